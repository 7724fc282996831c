import type { Message } from '../../model/message.ts';
import type { Idempotency, Scope } from '../store.ts';
import type { KnownRequest } from '../writes.ts';
import type { Connection } from './database/connection.ts';

/** The keys of requests that may be repeated, with their outcomes. */

type KeyRow = readonly [digest: string, taskId: string, reply: string | null];

const FIND = 'SELECT digest, task_id, reply FROM request_key WHERE tenant = ? AND owner = ? AND key = ?';

/** The earlier request with this key. */
export function findRequest(connection: Connection, scope: Scope, key: string): KnownRequest | undefined {
  const known = connection.get(FIND, scope.tenant, scope.owner, key) as KeyRow | undefined;
  if (known === undefined) return undefined;
  const [digest, taskId, reply] = known;
  return { digest, taskId, reply: reply === null ? undefined : (JSON.parse(reply) as Message) };
}

/** Removes at most `limit` expired keys of removed tasks. Returns how many. */
export function dropOldRequests(connection: Connection, now: number, limit: number): number {
  // DELETE has no LIMIT in the usual builds of SQLite.
  const old =
    'SELECT tenant, owner, key FROM request_key WHERE task_pk IS NULL AND keep_until < ? ORDER BY keep_until LIMIT ?';
  return connection.all(`DELETE FROM request_key WHERE (tenant, owner, key) IN (${old}) RETURNING 1`, now, limit)
    .length;
}

/** Removes at most `limit` keys of one owner whose task was removed. Returns how many. */
export function dropRequestsOf(connection: Connection, { tenant, owner }: Scope, limit: number): number {
  const gone = 'SELECT key FROM request_key WHERE tenant = ? AND owner = ? AND task_pk IS NULL LIMIT ?';
  const text = `DELETE FROM request_key WHERE tenant = ? AND owner = ? AND key IN (${gone}) RETURNING 1`;
  return connection.all(text, tenant, owner, tenant, owner, limit).length;
}

/**
 * The keys of requests that are being stored. A request whose key is neither here nor in the table is new. Keys are compared
 * without their owners, which a write does not contain. At worst, a new request is treated as one that may be a repeat.
 */
export class KeysUnderWay {
  readonly #counts = new Map<string, number>();

  has({ key }: Idempotency): boolean {
    return this.#counts.has(key);
  }

  enter({ key }: Idempotency): void {
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  leave({ key }: Idempotency): void {
    const count = this.#counts.get(key) ?? 0;
    if (count > 1) this.#counts.set(key, count - 1);
    else this.#counts.delete(key);
  }
}
