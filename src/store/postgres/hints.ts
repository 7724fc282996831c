import type { Pool } from 'pg';
import { newId } from '../../support/id.ts';
import { settled } from '../../support/settled.ts';
import type { WatchListener } from '../store.ts';
import { type Change, decodeHint, encodeHint } from './hint-payload.ts';
import { Listener } from './listener.ts';
import { quoted } from './migrate.ts';
import { type Queryable, rowsOf, type Statement } from './statements.ts';

/** Tasks in one hint. */
const MAX_TASKS = 50;

/**
 * That a transaction is committed, as SQL with `$3` for a value. A hint is on its way before anybody knows whether it is, and
 * what it tells of must be there.
 */
export interface Proof {
  readonly name: string;
  readonly sql: string;
  readonly value: string;
}

/**
 * Tells who watches of what was committed: here at once, and on other nodes by a notification after the commit. Within
 * the transaction it would make all commits of the database wait for each other. A hint that is lost costs its listeners
 * one interval of their own looking, and nothing else.
 */
export class Hints {
  readonly #pool: Pool;
  readonly #channel: string;
  /** Tells our own notifications from those of others. */
  readonly #sender = newId();
  readonly #start = `["${this.#sender}",`;
  readonly #watcher: WatchListener;
  readonly #listener: Listener;
  #sending: Promise<unknown> = Promise.resolve();

  constructor(pool: Pool, channel: string, watcher: WatchListener) {
    this.#pool = pool;
    this.#channel = channel;
    this.#watcher = watcher;
    this.#listener = new Listener(pool, channel, this.#sender, (payload) => this.#hear(payload));
  }

  /** Begins to hear of what others commit. */
  listen(): void {
    this.#listener.listen();
  }

  /** To those of this process, once it is committed. */
  tellHere(changes: readonly Change[]): void {
    for (const { taskId, by, isLeft, progress } of changes) this.#watcher(taskId, by, isLeft, () => progress);
  }

  /** What tells the others, for whoever commits: to be run when he has. */
  statements(changes: readonly Change[], { name, sql, value }: Proof): readonly Statement[] {
    return this.#payloads(changes).map((payload) => ({
      name: `notify ${name}`,
      text: `SELECT pg_notify($1, $2) WHERE ${sql}`,
      values: [this.#channel, payload, value],
    }));
  }

  /** Of what was committed on a connection that is lost. */
  send(changes: readonly Change[]): void {
    const all = this.#payloads(changes).map((payload) =>
      this.#pool.query('SELECT pg_notify($1, $2)', [this.#channel, payload]),
    );
    this.#sending = settled([this.#sending, ...all]);
  }

  /** Others hear of the last changes too: they may be what a node that stops leaves to them. */
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

  #hear(payload: string): void {
    if (payload.startsWith(this.#start)) return;
    for (const { taskId, by, isLeft, progress } of decodeHint(payload)) this.#watcher(taskId, by, isLeft, progress);
  }
}

/** Where hints of a schema are heard, as only those know who may read its tables. A copy of a schema has another one. */
export async function channelOf(client: Queryable, schema: string): Promise<string> {
  const text = `SELECT encode(sha256(convert_to(secret || $1, 'UTF8')), 'hex') FROM ${quoted(schema)}.migration
    WHERE number = 1`;
  const [row] = await rowsOf(client, text, [schema]);
  return `tandem:${String(row?.[0]).slice(0, 40)}`;
}

/** The last change of each task is what counts, with the events of all of them. */
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

function joined({ progress: before }: Change, last: Change): Change {
  if (before === undefined || last.progress === undefined) return last;
  return { ...last, progress: { ...last.progress, events: [...before.events, ...last.progress.events] } };
}
