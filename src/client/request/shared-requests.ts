import type { Deadline } from './deadline.ts';

export interface SharedRequest<T> {
  readonly promise: Promise<T>;
  /** Called when no caller waits for the request any more. */
  stop(): void;
}

/** A running request, and the number of callers that wait for it. */
interface Pending<T> extends SharedRequest<T> {
  waiting: number;
}

/** Requests by key. Concurrent callers share one request, which is stopped when no caller waits for it any more. */
export class SharedRequests<T> {
  readonly #pending = new Map<string, Pending<T>>();

  /** @param start Called if no request with this key is running. */
  async get(key: string, deadline: Deadline, start: () => SharedRequest<T>): Promise<T> {
    const pending = this.#pending.get(key) ?? this.#start(key, start());
    pending.waiting++;
    try {
      return await deadline.within(pending.promise);
    } finally {
      if (--pending.waiting === 0) pending.stop();
    }
  }

  #start(key: string, request: SharedRequest<T>): Pending<T> {
    // Lets later callers start a new request.
    const forget = (): void => void (this.#pending.get(key) === pending && this.#pending.delete(key));
    const stop = (): void => {
      forget();
      request.stop();
    };
    const pending: Pending<T> = { promise: request.promise.finally(forget), stop, waiting: 0 };
    this.#pending.set(key, pending);
    return pending;
  }
}
