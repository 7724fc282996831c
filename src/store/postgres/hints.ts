import type { Pool } from 'pg';
import { newId } from '../../support/id.ts';
import { settled } from '../../support/settled.ts';
import type { Statement } from './statements.ts';
import { Listener } from './listener.ts';

/** Ids in one hint. PostgreSQL wants it to be shorter than 8000 bytes, and a character may take three. */
const MAX_IDS = 50;
const MAX_LENGTH = 2600;

/** What was committed of a task. */
export interface Change {
  readonly taskId: string;
  /** What the write was signed with. */
  readonly by: string | undefined;
  /** Whether it is there for any node to run. */
  readonly isLeft: boolean;
}

type HintListener = (taskId: string, by: string | undefined, isLeft: boolean) => void;

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
  readonly #watcher: HintListener;
  readonly #listener: Listener;
  #sending: Promise<unknown> = Promise.resolve();

  constructor(pool: Pool, channel: string, watcher: HintListener) {
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
    for (const { taskId, by, isLeft } of changes) this.#watcher(taskId, by, isLeft);
  }

  /** What tells the others, for whoever commits: to be run when he has. */
  statements(changes: readonly Change[]): readonly Statement[] {
    const statements: Statement[] = [];
    for (const [by, news] of byWriter(changes)) {
      for (let from = 0; from < news.length; from += MAX_IDS) {
        const some = news.slice(from, from + MAX_IDS);
        const left = some.filter(({ isLeft }) => isLeft).map(({ taskId }) => taskId);
        const rest = some.filter(({ isLeft }) => !isLeft).map(({ taskId }) => taskId);
        const payload = JSON.stringify([this.#sender, by, left, rest] satisfies Hint);
        const values = [this.#channel, payload.length < MAX_LENGTH ? payload : ''];
        statements.push({ text: 'SELECT pg_notify($1, $2)', values });
      }
    }
    return statements;
  }

  /** Of what was committed on a connection that is lost. */
  send(changes: readonly Change[]): void {
    const all = this.statements(changes).map(({ text, values = [] }) => this.#pool.query(text, [...values]));
    this.#sending = settled([this.#sending, ...all]);
  }

  /** Others hear of the last changes too: they may be what a node that stops leaves to them. */
  async close(): Promise<void> {
    await this.#sending;
    await this.#listener.close();
  }

  #hear(payload: string): void {
    if (payload.startsWith(this.#start)) return;
    const [, by, left, rest] = readHint(payload);
    for (const id of left) this.#watcher(id, by ?? undefined, true);
    for (const id of rest) this.#watcher(id, by ?? undefined, false);
  }
}

/** Ids of tasks that any node may run, and of all others. */
type Hint = readonly [sender: string, by: string | null, left: readonly string[], rest: readonly string[]];

/** Whatever others send: what is no hint of ours tells of nothing. */
function readHint(payload: string): Hint {
  try {
    const hint = JSON.parse(payload) as Hint;
    if (Array.isArray(hint) && Array.isArray(hint[2]) && Array.isArray(hint[3])) return hint;
  } catch {
    // Too long to be sent whole, or not ours.
  }
  return ['', null, [], []];
}

/** The last change of each task is what counts. */
function byWriter(changes: readonly Change[]): ReadonlyMap<string | null, readonly Change[]> {
  const all = new Map<string | null, Map<string, Change>>();
  for (const change of changes) {
    const { by = null } = change;
    const own = all.get(by) ?? new Map<string, Change>();
    all.set(by, own.set(change.taskId, change));
  }
  return new Map(Array.from(all, ([by, own]) => [by, [...own.values()]]));
}
