import type { Message } from '../../model/message.ts';
import { defined } from '../../support/defined.ts';
import type { Created, Idempotency, Scope } from '../store.ts';

type Repeat = Extract<Created, { kind: 'repeated' | 'key-reused' }>;

interface KeyRow {
  readonly digest: string;
  readonly taskId: string;
  readonly keepUntil: number;
  readonly reply?: Message;
}

/** When there are too many, so large a part of them goes at once: to find the oldest is to walk over those that left. */
const PART = 64;

/**
 * Requests that may come twice, and what came of them. There is an end to how many are kept: beyond it those go whose
 * task is gone, in the order in which it went, and then the oldest.
 */
export class RequestKeys {
  readonly #max: number;
  readonly #rows = new Map<string, KeyRow>();
  /** The keys that only wait for their time. */
  readonly #loose = new Set<string>();

  constructor(max: number) {
    this.#max = max;
  }

  /** What a request comes to that was made before; nothing if it is new. */
  find(scope: Scope, request: Idempotency | undefined): Repeat | undefined {
    const known = request && this.#rows.get(scoped(scope, request.key));
    if (known === undefined) return undefined;
    if (known.digest !== request?.digest) return { kind: 'key-reused' };
    return defined({ kind: 'repeated' as const, taskId: known.taskId, reply: known.reply });
  }

  /** Gives the name under which the key is kept. */
  remember(scope: Scope, taskId: string, { key, digest, keepUntil }: Idempotency): string {
    const name = scoped(scope, key);
    this.#rows.set(name, { digest, taskId, keepUntil });
    if (this.#rows.size > this.#max) this.#makeRoom();
    return name;
  }

  /** The message becomes the outcome of the requests of a task. */
  answer(taskId: string, names: readonly string[], reply: Message): void {
    for (const name of names) {
      const known = this.#rows.get(name);
      // One that had to go may have come again, for another task.
      if (known?.taskId === taskId) this.#rows.set(name, { ...known, reply });
    }
  }

  /** The task goes. Its keys stay until their time has come. */
  release(taskId: string, names: readonly string[]): void {
    for (const name of names) {
      if (this.#rows.get(name)?.taskId === taskId) this.#loose.add(name);
    }
  }

  /** Removes those whose task and whose time are gone. */
  prune(now: number): void {
    for (const name of this.#loose) {
      if ((this.#rows.get(name)?.keepUntil ?? 0) < now) this.#remove(name);
    }
  }

  #makeRoom(): void {
    const left = this.#max - Math.floor(this.#max / PART);
    for (const names of [this.#loose, this.#rows.keys()]) {
      for (const name of names) {
        if (this.#rows.size <= left) return;
        this.#remove(name);
      }
    }
  }

  #remove(name: string): void {
    this.#rows.delete(name);
    this.#loose.delete(name);
  }
}

/** What is unique to a scope, under a name that is unique. */
export function scoped({ tenant, owner }: Scope, name: string): string {
  return `${tenant.length} ${owner.length} ${tenant}${owner}${name}`;
}
