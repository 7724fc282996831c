import type { PoolClient } from 'pg';
import { canSendAhead, isDirectConnection } from '../statements.ts';
import type { FoundTask } from '../task-row.ts';
import type { Needs } from './transaction.ts';

/** About the number of concurrent runs. The next write to any other task reads it first. */
const MAX_TASKS = 1024;

interface Entry {
  readonly task: FoundTask;
  /** Comparable with the numbers of connections in `#metAt`. */
  readonly at: number;
}

/**
 * Caches the tasks that this process runs, as of its last write. The next write nearly always finds them unchanged and need not
 * read them first: it sends the expected version of each row, and fails if the version differs. Writes of other nodes always
 * change the version.
 *
 * Only for writes of runs. If the connection is lost right after sending, the outcome of such a write is unknown. A run restarts
 * and finds out. A caller, or a request that gets a message instead of a task, needs a definite response.
 *
 * A version is a transaction id. After a crash or a failover the same id may be assigned again, so an entry is valid only on
 * connections that are older than the entry, because a connection survives neither.
 */
export class KnownTasks {
  /** The most recently written task is the last. */
  readonly #tasks = new Map<string, Entry>();
  readonly #metAt = new WeakMap<PoolClient, number>();
  #count = 0;

  /** The tasks that a transaction needs, if all of them are cached. */
  find(client: PoolClient, needs: Needs): ReadonlyMap<string, FoundTask> | undefined {
    const { taskIds, keys, aliases, pushedIds, callIds, nodes, isLeaseHolder } = needs;
    const metAt = this.#meet(client);
    if (!canSendAhead(client) || !isDirectConnection(client)) return undefined;
    if (!isLeaseHolder || keys.size + aliases.size + pushedIds.size + callIds.size > 0 || nodes) return undefined;
    const found = new Map<string, FoundTask>();
    for (const id of taskIds) {
      const entry = this.#tasks.get(id);
      if (entry === undefined || entry.at <= metAt) return undefined;
      found.set(id, entry.task);
    }
    return found;
  }

  /** Caches a task after a write of its lease holder. */
  keep(task: FoundTask): void {
    this.#tasks.set(task.record.id, { task, at: ++this.#count });
    if (this.#tasks.size <= MAX_TASKS) return;
    for (const oldest of this.#tasks.keys()) {
      this.#tasks.delete(oldest);
      break;
    }
  }

  /** Called before a write, because its outcome is not known yet. */
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
