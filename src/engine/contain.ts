import type { Run } from './run.ts';

/** Wraps what a handler may call, so that it can do no harm to others with the promise. */
export type Contain = <A extends unknown[], T>(call: (...args: A) => Promise<T>) => (...args: A) => Promise<T>;

/**
 * A rejection that nobody handles ends the process, and handlers forget promises. So a rejection of ours counts as handled.
 * What follows on a forgotten promise is out of our reach; but once the handler has come to its end nobody can be waiting
 * for it, and it is left as it is, neither kept nor broken.
 */
export function containedIn(run: Run): Contain {
  return (call) =>
    (...args) => {
      const result = call(...args).catch((error: unknown) => {
        if (run.isLeft) return new Promise<never>(() => {});
        throw error;
      });
      result.catch(() => {});
      return result;
    };
}
