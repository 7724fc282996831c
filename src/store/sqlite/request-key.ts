import type { Message } from '../../model/message.ts';
import type { Created, Idempotency, Scope } from '../store.ts';
import type { Connection } from './connection.ts';
import type { FoundTask } from './task-row.ts';

/** Requests that may come twice, and what came of them. */

type KeyRow = readonly [digest: string, taskId: string, reply: string | null];

type Repeat = Extract<Created, { readonly kind: 'repeated' | 'key-reused' }>;

const FIND = 'SELECT digest, task_id, reply FROM request_key WHERE tenant = ? AND owner = ? AND key = ?';
const INSERT = 'INSERT INTO request_key VALUES (?, ?, ?, ?, ?, ?, ?, NULL)';

/** What a request comes to that was made before; nothing if it is new. */
export function findRepeat(connection: Connection, scope: Scope, request: Idempotency | undefined): Repeat | undefined {
  if (request === undefined) return undefined;
  const known = connection.get(FIND, scope.tenant, scope.owner, request.key) as KeyRow | undefined;
  if (known === undefined) return undefined;
  const [digest, taskId, reply] = known;
  if (digest !== request.digest) return { kind: 'key-reused' };
  const repeat: Repeat = { kind: 'repeated', taskId };
  return reply === null ? repeat : { ...repeat, reply: JSON.parse(reply) as Message };
}

export function rememberRequest(connection: Connection, task: FoundTask, request: Idempotency | undefined): void {
  if (request === undefined) return;
  const { tenant, owner, id } = task.record;
  connection.run(INSERT, tenant, owner, request.key, request.digest, id, task.pk, request.keepUntil);
}

/** The message becomes the outcome of the requests of a task. */
export function answerRequests(connection: Connection, pk: number, reply: Message): void {
  connection.run('UPDATE request_key SET reply = ? WHERE task_pk = ?', JSON.stringify(reply), pk);
}

/** The task goes. Its keys stay until their time has come. */
export function releaseRequests(connection: Connection, pk: number): void {
  connection.run('UPDATE request_key SET task_pk = NULL WHERE task_pk = ?', pk);
}

/** Removes keys whose task and whose time are gone, at most `limit` of them. Returns how many. */
export function dropOldRequests(connection: Connection, now: number, limit: number): number {
  // A delete of its own takes no LIMIT in the usual builds of SQLite.
  const old =
    'SELECT tenant, owner, key FROM request_key WHERE task_pk IS NULL AND keep_until < ? ORDER BY keep_until LIMIT ?';
  return connection.all(`DELETE FROM request_key WHERE (tenant, owner, key) IN (${old}) RETURNING 1`, now, limit)
    .length;
}

/** Removes keys of one owner whose task is gone, at most `limit` of them. Returns how many. */
export function dropRequestsOf(connection: Connection, { tenant, owner }: Scope, limit: number): number {
  const gone = 'SELECT key FROM request_key WHERE tenant = ? AND owner = ? AND task_pk IS NULL LIMIT ?';
  const text = `DELETE FROM request_key WHERE tenant = ? AND owner = ? AND key IN (${gone}) RETURNING 1`;
  return connection.all(text, tenant, owner, tenant, owner, limit).length;
}

/**
 * The keys of requests that are about to be stored. A request whose key is neither here nor in the table is new. They are
 * told apart without their owners, whom a write does not name: at worst a new one is taken for one that may not be.
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
