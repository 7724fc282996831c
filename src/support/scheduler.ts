/** When work that can wait a moment is done. Whoever gathers work takes one, so that tests decide about the order. */
export interface Scheduler {
  /** Calls `run` once in a later turn of the event loop, after what is under way now. */
  soon(run: () => void): void;
}

/** Taken at the start, before a test can put a false one in its place. Not every runtime has `setImmediate`. */
const { setImmediate: immediate, setTimeout: timeout } = globalThis as Partial<typeof globalThis>;

export const systemScheduler: Scheduler = {
  soon(run) {
    if (immediate === undefined) timeout?.(run, 0);
    else immediate(run);
  },
};

/** Resolves in a later turn of the event loop. */
export function nextTurn(scheduler: Scheduler): Promise<void> {
  return new Promise((resolve) => scheduler.soon(resolve));
}
