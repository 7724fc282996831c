/** Where time comes from. Everything that waits or compares takes one, so that tests decide what time it is. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls `run` once at or after the given time. The returned function takes it back. */
  callAt(time: number, run: () => void): () => void;
}

/** Longer delays fire at once in `setTimeout`. */
const MAX_DELAY = 2 ** 31 - 1;

export const systemClock: Clock = clockOf(() => Date.now());

/** @param now Milliseconds since 1970. */
export function clockOf(now: () => number): Clock {
  return {
    now,
    callAt(time, run) {
      let timer: ReturnType<typeof setTimeout>;
      const arm = (): void => {
        const delay = time - now();
        timer = delay > MAX_DELAY ? setTimeout(arm, MAX_DELAY) : setTimeout(run, Math.max(0, delay));
      };
      arm();
      return () => clearTimeout(timer);
    },
  };
}
