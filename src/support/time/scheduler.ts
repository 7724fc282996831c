/** Schedules work on the event loop. Code that batches work takes a scheduler, so that tests control the order. */
export interface Scheduler {
  /** Calls `run` once in a later turn of the event loop. */
  soon(run: () => void): void;
}

/** Captured at load, before a test can replace them. Not every runtime has `setImmediate`. */
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
