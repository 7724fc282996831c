import type { Deadline } from './deadline.ts';

export interface SharedRequest<T> {
  readonly promise: Promise<T>;
  /** Called when no caller waits for the request any more. */
  stop(): void;
}

/** Notes an attempt that failed and will be repeated. */
export type NoteFailure = (reason: string, error: unknown) => void;

/** A running request, and the deadlines of the callers that wait for it. */
interface Pending<T> extends SharedRequest<T> {
  readonly waiting: Set<Deadline>;
}

/** Requests by key. Concurrent callers share one request, which is stopped when no caller waits for it any more. */
export class SharedRequests<T> {
  readonly #pending = new Map<string, Pending<T>>();

  /** @param start Called if no request with this key is running. */
  async get(key: string, deadline: Deadline, start: (noteFailure: NoteFailure) => SharedRequest<T>): Promise<T> {
    const pending = this.#pending.get(key) ?? this.#start(key, start);
    pending.waiting.add(deadline);
    try {
      return await deadline.within(pending.promise);
    } finally {
      pending.waiting.delete(deadline);
      if (pending.waiting.size === 0) pending.stop();
    }
  }

  #start(key: string, start: (noteFailure: NoteFailure) => SharedRequest<T>): Pending<T> {
    const waiting = new Set<Deadline>();
    const request = start((reason, error) => {
      for (const deadline of waiting) deadline.noteFailure(reason, error);
    });
    // Lets later callers start a new request.
    const forget = (): void => void (this.#pending.get(key) === pending && this.#pending.delete(key));
    const stop = (): void => {
      forget();
      request.stop();
    };
    const pending: Pending<T> = { promise: request.promise.finally(forget), stop, waiting };
    this.#pending.set(key, pending);
    return pending;
  }
}
