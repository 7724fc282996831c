import type { Run } from './run.ts';

const nothing = (): void => {};

/**
 * Makes a promise that a handler gets harmless. A rejection that nobody handles ends the process, and handlers forget
 * promises: so a rejection of ours counts as handled. What follows on a forgotten promise is out of our reach; but once
 * the handler has come to its end nobody can be waiting for it, and it is left as it is, neither kept nor broken.
 */
export function contained<T>(run: Run, promise: Promise<T>): Promise<T> {
  const result = promise.catch((error: unknown) => {
    if (run.isLeft) return new Promise<never>(nothing);
    throw error;
  });
  result.catch(nothing);
  return result;
}
