import type { Run } from './run.ts';

const nothing = (): void => {};

/**
 * Marks the rejection of a promise for a handler as handled. An unhandled rejection ends the process, and handlers forget
 * to await promises. Promises that the handler derives are out of reach; so once the handler has ended and nobody can be
 * waiting, a rejected promise stays pending instead.
 */
export function markHandled<T>(run: Run, promise: Promise<T>): Promise<T> {
  const result = promise.catch((error: unknown) => {
    if (run.isAbandoned) return new Promise<never>(nothing);
    throw error;
  });
  result.catch(nothing);
  return result;
}
