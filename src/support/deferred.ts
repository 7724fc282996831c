/** A promise with its resolve and reject functions. */
export interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
}

const nothing = (): void => {};

export function deferred<T>(): Deferred<T> {
  let resolve: (value: T) => void = nothing;
  let fail: (error: unknown) => void = nothing;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    fail = no;
  });
  const reject = (reason: unknown): void => {
    // Marks the rejection as handled: if nobody waits for it, the process must not crash.
    promise.catch(nothing);
    fail(reason);
  };
  return { promise, resolve, reject };
}
