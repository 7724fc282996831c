import type { Message } from '../../model/message.ts';
import { jsonSize } from '../../support/json/json-size.ts';
import type { Idempotency, Scope, TaskRecord } from '../store.ts';
import type { KnownRequest } from '../writes.ts';
import { type Endable, EndedQueue } from './ended-queue.ts';

/** The key of a request that may be repeated. */
export interface RequestKey extends Endable, KnownRequest {
  /** Unique across all scopes. */
  readonly name: string;
  readonly keepUntil: number;
  reply: Message | undefined;
  replyBytes: number;
  /** The previous key of the same task. */
  earlier: RequestKey | undefined;
  /** `false` after the key was removed to make room. The same request may have been stored again since. */
  isKept: boolean;
}

/** The measured memory of a key besides its texts. */
const KEY_BYTES = 256;

/** One in so many keys is removed at once, because finding the oldest key skips the removed ones. */
const EVICTION_DIVISOR = 64;

/**
 * The keys of requests that may be repeated, with their outcomes. Their number and size are limited. Beyond the limits, the keys of
 * removed tasks are removed first, in the order in which the tasks were removed, and then the oldest keys.
 */
export class RequestKeys {
  readonly #max: number;
  readonly #maxBytes: number;
  readonly #keys = new Map<string, RequestKey>();
  /** The keys of removed tasks, which only wait to expire. */
  readonly #loose = new EndedQueue<RequestKey>();

  /** The size of all keys. */
  #bytes = 0;
  #last = { tenant: '', owner: '', key: '', name: scoped({ tenant: '', owner: '' }, '') };

  constructor(max: number, maxBytes: number) {
    this.#max = max;
    this.#maxBytes = maxBytes;
  }

  find(scope: Scope, key: string): RequestKey | undefined {
    return this.#keys.get(this.#nameOf(scope, key));
  }

  /** Adds the key of a request for a task. @param earlier The previous key of the task. */
  add(task: TaskRecord, request: Idempotency, earlier: RequestKey | undefined): RequestKey {
    const { key, digest, keepUntil } = request;
    const added: RequestKey = {
      name: this.#nameOf(task, key),
      digest,
      taskId: task.id,
      keepUntil,
      reply: undefined,
      replyBytes: 0,
      earlier,
      isKept: true,
      endedPlace: undefined,
    };
    this.#keys.set(added.name, added);
    this.#bytes += bytesOf(added);
    this.#makeRoom();
    return added;
  }

  /** Stores a message as the outcome of the request with this key and of the earlier requests of its task. */
  answer(last: RequestKey | undefined, reply: Message): void {
    const size = jsonSize(reply);
    for (let key = last; key !== undefined; key = key.earlier) {
      if (key.isKept) this.#bytes += size - key.replyBytes;
      key.reply = reply;
      key.replyBytes = size;
    }
  }

  /** Called when a task is removed, with its last key. Its keys stay until they expire. */
  release(last: RequestKey | undefined): void {
    let key = last;
    while (key !== undefined) {
      if (key.isKept) this.#loose.add(key);
      const { earlier } = key;
      // Otherwise the last key would keep all earlier ones in memory.
      key.earlier = undefined;
      key = earlier;
    }
  }

  /** Removes the expired keys of removed tasks. */
  prune(now: number): void {
    for (const key of this.#loose.all()) if (key.keepUntil < now) this.#remove(key);
  }

  /** Removes the keys of one owner whose tasks were removed, expired or not. */
  forget(scope: Scope): void {
    const prefix = scoped(scope, '');
    for (const key of this.#loose.all()) if (key.name.startsWith(prefix)) this.#remove(key);
  }

  /** A write looks its key up before it adds it, so the last name is kept instead of built again. */
  #nameOf({ tenant, owner }: Scope, key: string): string {
    const last = this.#last;
    if (last.key !== key || last.owner !== owner || last.tenant !== tenant)
      this.#last = { tenant, owner, key, name: scoped({ tenant, owner }, key) };
    return this.#last.name;
  }

  #makeRoom(): void {
    if (this.#keys.size <= this.#max && this.#bytes <= this.#maxBytes) return;
    const left = this.#max - Math.floor(this.#max / EVICTION_DIVISOR);
    const leftBytes = this.#maxBytes - Math.floor(this.#maxBytes / EVICTION_DIVISOR);
    const isEnough = (): boolean => this.#keys.size <= left && this.#bytes <= leftBytes;
    for (let key = this.#loose.first(); key !== undefined && !isEnough(); key = this.#loose.first()) this.#remove(key);
    for (const key of this.#keys.values()) {
      if (isEnough()) return;
      this.#remove(key);
    }
  }

  #remove(key: RequestKey): void {
    this.#bytes -= bytesOf(key);
    key.isKept = false;
    this.#keys.delete(key.name);
    this.#loose.remove(key);
  }
}

function bytesOf({ name, digest, replyBytes }: RequestKey): number {
  return KEY_BYTES + name.length + digest.length + replyBytes;
}

/** Makes a name of a scope unique across all scopes. Uses `join`, because a concatenated string keeps all its pieces in memory. */
export function scoped({ tenant, owner }: Scope, name: string): string {
  return [`${tenant.length} ${owner.length} `, tenant, owner, name].join('');
}
