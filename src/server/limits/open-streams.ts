import type { Caller } from '../../engine/handler.ts';
import { A2AError } from '../../errors.ts';
import type { HttpRequest } from '../http.ts';
import type { LimitName, LimitSettings } from './limit-settings.ts';
import { addressKey, isSpared } from './rate-limit.ts';

/** When somebody may try again whose place another has: nobody knows, so soon. */
const RETRY_MS = 5000;

export interface StreamOpening {
  readonly caller: Caller;
  readonly remoteAddress: HttpRequest['remoteAddress'];
  readonly isLocal: boolean;
  /** What names the task of a subscription, for its owner; undefined for the answer to a message. */
  readonly task: string | undefined;
}

/** Counts the streams that are open, by who reads them and by what they tell of. */
export class OpenStreams {
  readonly #settings: LimitSettings;
  readonly #byCaller = new Map<string, number>();
  readonly #byTask = new Map<string, number>();

  constructor(settings: LimitSettings) {
    this.#settings = settings;
  }

  /**
   * Takes the places that a stream needs, and returns what gives them back.
   *
   * @throws A2AError `RATE_LIMIT_EXCEEDED` if there is none.
   */
  open(opening: StreamOpening): () => void {
    const settings = this.#settings;
    const { caller, task } = opening;
    const who = isSpared(settings, 'streamsPerCaller', opening, caller) ? undefined : readerKey(opening);
    const what = isSpared(settings, 'subscribersPerTask', opening, caller) ? undefined : task;
    if (isFull(this.#byCaller, who, settings.streamsPerCaller)) {
      throw noRoom('streamsPerCaller', `Too many streams: ${settings.streamsPerCaller} at a time for one caller`);
    }
    if (isFull(this.#byTask, what, settings.subscribersPerTask)) {
      throw noRoom('subscribersPerTask', `Too many subscribers: ${settings.subscribersPerTask} at a time for one task`);
    }
    add(this.#byCaller, who, 1);
    add(this.#byTask, what, 1);
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      add(this.#byCaller, who, -1);
      add(this.#byTask, what, -1);
    };
  }
}

function readerKey(opening: StreamOpening): string {
  return opening.caller.isVerified ? `caller ${opening.caller.id}` : `address ${addressKey(opening)}`;
}

function isFull(counts: ReadonlyMap<string, number>, key: string | undefined, max: number): boolean {
  return key !== undefined && (counts.get(key) ?? 0) >= max;
}

function add(counts: Map<string, number>, key: string | undefined, step: number): void {
  if (key === undefined) return;
  const count = (counts.get(key) ?? 0) + step;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}

function noRoom(limit: LimitName, message: string): A2AError {
  return new A2AError('RATE_LIMIT_EXCEEDED', message, { details: { limit }, retryAfterMs: RETRY_MS });
}
