/** A promise that somebody else settles. */
export interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
}

const nothing = (): void => {};

export function deferred<T>(): Deferred<T> {
  let resolve: (value: T) => void = nothing;
  let reject: (error: unknown) => void = nothing;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  // Whether anybody listens is their affair: an error that nobody waits for is not a crash.
  promise.catch(nothing);
  return { promise, resolve, reject };
}
