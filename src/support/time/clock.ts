/** The source of time. Everything that waits or compares times takes a clock, so that tests control the time. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls `run` once at or after the given time. The returned function cancels it. */
  callAt(time: number, run: () => void): () => void;
}

/** `setTimeout` fires longer delays at once. */
const MAX_DELAY = 2 ** 31 - 1;

export const systemClock: Clock = clockOf(() => Date.now());

/** Creates a clock from a function that returns the time in milliseconds since 1970. */
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
