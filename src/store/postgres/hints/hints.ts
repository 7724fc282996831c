import type { Pool } from 'pg';
import { newId } from '../../../support/id.ts';
import { settled } from '../../../support/settled.ts';
import type { WatchListener } from '../../store.ts';
import { type Change, decodeHint, encodeHint } from './hint-payload.ts';
import { Listener } from './listener.ts';
import { quoted } from '../migrate.ts';
import { type Queryable, rowsOf, type Statement } from '../statements.ts';

/** The maximum number of tasks in one payload. */
const MAX_TASKS = 50;

/**
 * A condition that a transaction is committed, as SQL with `$3` for a value. A hint is sent before the outcome of the commit is
 * known, and must not announce uncommitted changes.
 */
export interface CommitCondition {
  readonly name: string;
  readonly sql: string;
  readonly value: string;
}

/**
 * Notifies watchers about commits: in this process at once, on other nodes with NOTIFY after the commit. NOTIFY inside the
 * transaction would serialize all commits of the database. A lost hint only delays its watchers until their next poll.
 */
export class Hints {
  readonly #pool: Pool;
  readonly #channel: string;
  /** Identifies our own notifications. */
  readonly #sender = newId();
  readonly #start = `["${this.#sender}",`;
  readonly #watcher: WatchListener;
  readonly #listener: Listener;
  #sending: Promise<unknown> = Promise.resolve();

  constructor(pool: Pool, channel: string, watcher: WatchListener) {
    this.#pool = pool;
    this.#channel = channel;
    this.#watcher = watcher;
    this.#listener = new Listener(pool, channel, this.#sender, (payload) => this.#receive(payload));
  }

  /** Starts to listen for the commits of other nodes. */
  listen(): void {
    this.#listener.listen();
  }

  /** Notifies the watchers of this process, after the commit. */
  tellHere(changes: readonly Change[]): void {
    for (const { taskId, by, isClaimable, progress, callsDue } of changes)
      this.#watcher(taskId, by, isClaimable, () => progress, callsDue);
  }

  /** The statements that notify other nodes, to run after the commit. */
  statements(changes: readonly Change[], { name, sql, value }: CommitCondition): readonly Statement[] {
    return this.#payloads(changes).map((payload) => ({
      name: `notify ${name}`,
      text: `SELECT pg_notify($1, $2) WHERE ${sql}`,
      values: [this.#channel, payload, value],
    }));
  }

  /** Notifies other nodes about changes that were committed on a connection that is lost. */
  send(changes: readonly Change[]): void {
    const all = this.#payloads(changes).map((payload) =>
      this.#pool.query('SELECT pg_notify($1, $2)', [this.#channel, payload]),
    );
    this.#sending = settled([this.#sending, ...all]);
  }

  /** Sends the last hints first, because they may announce the tasks that this node leaves to others. */
  async close(): Promise<void> {
    await this.#sending;
    await this.#listener.close();
  }

  #payloads(changes: readonly Change[]): readonly string[] {
    const payloads: string[] = [];
    for (const [by, news] of byWriter(changes)) {
      for (let from = 0; from < news.length; from += MAX_TASKS) {
        payloads.push(encodeHint(this.#sender, by, news.slice(from, from + MAX_TASKS)));
      }
    }
    return payloads;
  }

  #receive(payload: string): void {
    if (payload.startsWith(this.#start)) return;
    for (const { taskId, by, isClaimable, progress, callsDue } of decodeHint(payload))
      this.#watcher(taskId, by, isClaimable, progress, callsDue);
  }
}

/** The NOTIFY channel of a schema. Only roles that can read its tables can compute it. A copy of a schema has another channel. */
export async function channelOf(client: Queryable, schema: string): Promise<string> {
  const text = `SELECT encode(sha256(convert_to(secret || $1, 'UTF8')), 'hex') FROM ${quoted(schema)}.migration
    WHERE number = 1`;
  const [row] = await rowsOf(client, text, [schema]);
  return `tandem:${String(row?.[0]).slice(0, 40)}`;
}

/** Merges the changes of each task: the last progress, with the events of all changes. */
function byWriter(changes: readonly Change[]): ReadonlyMap<string | null, readonly Change[]> {
  const all = new Map<string | null, Map<string, Change>>();
  for (const change of changes) {
    const { by = null, taskId } = change;
    const own = all.get(by) ?? new Map<string, Change>();
    const before = own.get(taskId);
    all.set(by, own.set(taskId, before === undefined ? change : joined(before, change)));
  }
  return new Map(Array.from(all, ([by, own]) => [by, [...own.values()]]));
}

function joined({ progress: before, callsDue: wereDue }: Change, change: Change): Change {
  const last = { ...change, callsDue: change.callsDue || wereDue };
  if (before === undefined || last.progress === undefined) return last;
  return { ...last, progress: { ...last.progress, events: [...before.events, ...last.progress.events] } };
}
