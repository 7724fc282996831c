import type { Caller } from '../../engine/handler.ts';
import { A2AError } from '../../errors.ts';
import type { HttpRequest } from '../http.ts';
import type { LimitName, LimitSettings } from './limit-settings.ts';
import { addressKey, isExempt } from './rate-limit.ts';

/** `Retry-After` for a stream over the limit. Short, because the time at which a slot becomes free is unknown. */
const RETRY_MS = 5000;

export interface StreamOpening {
  readonly caller: Caller;
  readonly remoteAddress: HttpRequest['remoteAddress'];
  readonly isLocal: boolean;
  /** The key of the task of a subscription; undefined for the stream of a message. */
  readonly task: string | undefined;
}

/** Counts open streams by caller and by task. */
export class OpenStreams {
  readonly #settings: LimitSettings;
  readonly #byCaller = new Map<string, number>();
  readonly #byTask = new Map<string, number>();

  constructor(settings: LimitSettings) {
    this.#settings = settings;
  }

  /**
   * Takes the slots that a stream needs, and returns a function that releases them.
   *
   * @throws A2AError `RATE_LIMIT_EXCEEDED` if there is no free slot.
   */
  open(opening: StreamOpening): () => void {
    const settings = this.#settings;
    const { caller, task } = opening;
    const callerKey = isExempt(settings, 'streamsPerCaller', opening, caller) ? undefined : keyOf(opening);
    const taskKey = isExempt(settings, 'subscribersPerTask', opening, caller) ? undefined : task;
    if (isFull(this.#byCaller, callerKey, settings.streamsPerCaller)) {
      throw noRoom('streamsPerCaller', `Too many open streams: the limit is ${settings.streamsPerCaller} per caller`);
    }
    if (isFull(this.#byTask, taskKey, settings.subscribersPerTask)) {
      throw noRoom('subscribersPerTask', `Too many subscribers: the limit is ${settings.subscribersPerTask} per task`);
    }
    add(this.#byCaller, callerKey, 1);
    add(this.#byTask, taskKey, 1);
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      add(this.#byCaller, callerKey, -1);
      add(this.#byTask, taskKey, -1);
    };
  }
}

function keyOf(opening: StreamOpening): string {
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
