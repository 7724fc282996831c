import type { PoolClient } from 'pg';
import { canSendAhead, isStraight } from './statements.ts';
import type { FoundTask } from './task-row.ts';
import type { Needs } from './transaction.ts';

/** About as many as run at the same time; of others the next write has to look. */
const MAX_TASKS = 1024;

interface Entry {
  readonly task: FoundTask;
  /** Counts with the connections that were met. */
  readonly at: number;
}

/**
 * The tasks that a process runs, as its last write has left them. Nearly always the next one finds them so, and need not ask
 * first: it names the version of each row, and is refused if that is another one by now. What others write changes the row
 * in any case.
 *
 * Only for what runs write: if a connection is lost at once, nobody knows whether such a write is stored. A run begins anew
 * then, and finds out; a caller would have to be told, and so would who gets a reply in the place of a task.
 *
 * A version is the number of a transaction. After a crash or a failover it may be given again, so it only counts on
 * connections that are older than what is known: they would not have outlived either.
 */
export class KnownTasks {
  /** The one that was written to last is the last. */
  readonly #tasks = new Map<string, Entry>();
  readonly #metAt = new WeakMap<PoolClient, number>();
  #count = 0;

  /** All that a transaction needs, if it is known. */
  find(client: PoolClient, needs: Needs): ReadonlyMap<string, FoundTask> | undefined {
    const { taskIds, keys, aliases, pushedIds, nodes, isHolders } = needs;
    const metAt = this.#meet(client);
    if (!canSendAhead(client) || !isStraight(client)) return undefined;
    if (!isHolders || keys.size + aliases.size + pushedIds.size > 0 || nodes) return undefined;
    const found = new Map<string, FoundTask>();
    for (const id of taskIds) {
      const entry = this.#tasks.get(id);
      if (entry === undefined || entry.at <= metAt) return undefined;
      found.set(id, entry.task);
    }
    return found;
  }

  /** As its holder has left it. */
  keep(task: FoundTask): void {
    this.#tasks.set(task.record.id, { task, at: ++this.#count });
    if (this.#tasks.size <= MAX_TASKS) return;
    for (const oldest of this.#tasks.keys()) {
      this.#tasks.delete(oldest);
      break;
    }
  }

  /** Before they are written to: nobody knows how that ends. */
  forget(taskIds: Iterable<string>): void {
    for (const id of taskIds) this.#tasks.delete(id);
  }

  #meet(client: PoolClient): number {
    const known = this.#metAt.get(client);
    if (known !== undefined) return known;
    this.#metAt.set(client, ++this.#count);
    return this.#count;
  }
}
