import { receiverOf } from '../push-shares.ts';
import type { PushConfigQuery, PushConfigRecord, TaskRecord } from '../store.ts';
import type { PushEntry, PushQueue } from './push-queue.ts';

/** The push configs of one task. Kept as JSON, so that callers can change the returned copies. */
export class PushConfigs {
  /** A replaced push config keeps its position. */
  readonly #byId = new Map<string, PushEntry>();
  readonly #task: { readonly record: TaskRecord; readonly order: number };
  readonly #queue: PushQueue;
  #created = 0;

  constructor(task: { readonly record: TaskRecord; readonly order: number }, queue: PushQueue) {
    this.#task = task;
    this.#queue = queue;
  }

  get size(): number {
    return this.#byId.size;
  }

  /** The approximate size in bytes. */
  get bytes(): number {
    let bytes = 0;
    for (const { json } of this.#byId.values()) bytes += json.length;
    return bytes;
  }

  /** Whether a delivery is pending. */
  get isDue(): boolean {
    return [...this.#byId.values()].some(({ dueAt }) => dueAt !== undefined);
  }

  /** @param delivered The number of the last event that it does not receive. */
  add(config: PushConfigRecord, delivered: number): void {
    this.#byId.set(config.id, {
      task: this.#task,
      id: config.id,
      number: (this.#created += 1),
      json: JSON.stringify(config),
      receiver: receiverOf(config),
      progress: { told: delivered, attempts: 0, givenUp: 0 },
      dueAt: undefined,
      disabled: undefined,
      node: undefined,
      fence: 0,
    });
  }

  /** Replaces a push config, which keeps its position and its creation time. Returns whether there is one. */
  replace(config: PushConfigRecord): boolean {
    const known = this.#byId.get(config.id);
    if (known === undefined) return false;
    known.json = JSON.stringify({ ...config, createdAt: toRecord(known.json).createdAt });
    known.receiver = receiverOf(config);
    this.#queue.resume(known);
    return true;
  }

  /** Called after new events. */
  makeDue(): void {
    for (const entry of this.#byId.values()) this.#queue.makeDue(entry);
  }

  get(id: string): PushEntry | undefined {
    return this.#byId.get(id);
  }

  page({ id, limit, after }: PushConfigQuery): readonly PushConfigRecord[] {
    const ids = [...this.#byId.keys()];
    const start = after === undefined ? 0 : ids.indexOf(after) + 1;
    return [...this.#byId.values()]
      .slice(start)
      .filter((one) => id === undefined || one.id === id)
      .slice(0, limit)
      .map(({ json }) => toRecord(json));
  }

  delete(id: string): boolean {
    const entry = this.#byId.get(id);
    if (entry !== undefined) this.#queue.remove(entry);
    return this.#byId.delete(id);
  }

  /** Called when the task is removed. */
  clear(): void {
    for (const id of this.#byId.keys()) this.delete(id);
  }
}

function toRecord(json: string): PushConfigRecord {
  return JSON.parse(json) as PushConfigRecord;
}
