import type { Message } from '../../model/message.ts';
import { defined } from '../../support/defined.ts';
import { jsonSize } from '../../support/json-size.ts';
import type { Created, Idempotency, Scope } from '../store.ts';
import { type Endable, EndedQueue } from './ended-queue.ts';

type Repeat = Extract<Created, { kind: 'repeated' | 'key-reused' }>;

/** A request that may come twice. */
export interface RequestKey extends Endable {
  /** Unique among all scopes. */
  readonly name: string;
  readonly digest: string;
  readonly taskId: string;
  readonly keepUntil: number;
  reply: Message | undefined;
  replyBytes: number;
  /** The one before it of the same task. */
  earlier: RequestKey | undefined;
  /** Once it has had to make room, the same request may have come again. */
  isKept: boolean;
}

/** The key of a request that made or changed a task; its name is made once, for it is looked up and kept. */
export function requestKey(scope: Scope, taskId: string, given: Idempotency | undefined): RequestKey | undefined {
  if (given === undefined) return undefined;
  const { key, digest, keepUntil } = given;
  return {
    name: scoped(scope, key),
    digest,
    taskId,
    keepUntil,
    reply: undefined,
    replyBytes: 0,
    earlier: undefined,
    isKept: false,
    endedPlace: undefined,
  };
}

/** What a key takes in memory beside its texts: measured. */
const KEY_BYTES = 256;

/** When there are too many, so large a part of them goes at once: to find the oldest is to walk over those that left. */
const PART = 64;

/**
 * Requests that may come twice, and what came of them. There is an end to how many are kept, and to how many bytes they
 * take: beyond it those go whose task is gone, in the order in which it went, and then the oldest.
 */
export class RequestKeys {
  readonly #max: number;
  readonly #maxBytes: number;
  readonly #keys = new Map<string, RequestKey>();
  /** Those that only wait for their time. */
  readonly #loose = new EndedQueue<RequestKey>();

  /** Of all of them. */
  #bytes = 0;

  constructor(max: number, maxBytes: number) {
    this.#max = max;
    this.#maxBytes = maxBytes;
  }

  /** What a request comes to that was made before; nothing if it is new. */
  find({ name, digest }: RequestKey): Repeat | undefined {
    const known = this.#keys.get(name);
    if (known === undefined) return undefined;
    if (known.digest !== digest) return { kind: 'key-reused' };
    return defined({ kind: 'repeated' as const, taskId: known.taskId, reply: known.reply });
  }

  add(key: RequestKey): void {
    key.isKept = true;
    this.#keys.set(key.name, key);
    this.#bytes += bytesOf(key);
    this.#makeRoom();
  }

  /** A message is what came of the request of this key and of those before it. */
  answer(last: RequestKey | undefined, reply: Message): void {
    const size = jsonSize(reply);
    for (let key = last; key !== undefined; key = key.earlier) {
      if (key.isKept) this.#bytes += size - key.replyBytes;
      key.reply = reply;
      key.replyBytes = size;
    }
  }

  /** The task of this key and of those before it goes. They stay until their time has come. */
  release(last: RequestKey | undefined): void {
    let key = last;
    while (key !== undefined) {
      if (key.isKept) this.#loose.add(key);
      const { earlier } = key;
      // Or the last that goes would keep all of them.
      key.earlier = undefined;
      key = earlier;
    }
  }

  /** Removes those whose task and whose time are gone. */
  prune(now: number): void {
    for (const key of this.#loose.all()) if (key.keepUntil < now) this.#remove(key);
  }

  /** Removes those of one owner whose task is gone, whether or not their time has come. */
  forget(scope: Scope): void {
    const prefix = scoped(scope, '');
    for (const key of this.#loose.all()) if (key.name.startsWith(prefix)) this.#remove(key);
  }

  #makeRoom(): void {
    if (this.#keys.size <= this.#max && this.#bytes <= this.#maxBytes) return;
    const left = this.#max - Math.floor(this.#max / PART);
    const leftBytes = this.#maxBytes - Math.floor(this.#maxBytes / PART);
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

/** What is unique to a scope, under a name that is unique. Joined, because what is put together keeps all its pieces. */
export function scoped({ tenant, owner }: Scope, name: string): string {
  return [`${tenant.length} ${owner.length} `, tenant, owner, name].join('');
}
