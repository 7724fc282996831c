import type { Pool } from 'pg';
import { newId } from '../../support/id.ts';
import type { WatchListener } from '../store.ts';
import { Listener } from './listener.ts';

/** Ids in one hint. PostgreSQL wants it to be shorter than 8000 bytes, and a character may take three. */
const MAX_IDS = 50;
const MAX_LENGTH = 2600;

interface Change {
  readonly taskId: string;
  readonly by: string | undefined;
  readonly isHeld: boolean;
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
  readonly #watcher: WatchListener;
  readonly #listener: Listener;
  #changes: Change[] = [];
  #sending: Promise<void> | undefined;

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

  /** Of what this process has committed. */
  tell(taskId: string, by: string | undefined, isHeld: boolean): void {
    this.#watcher(taskId, by, isHeld);
    this.#changes.push({ taskId, by, isHeld });
    this.#sending ??= this.#send();
  }

  /** Others hear of the last changes too: they may be what a node that stops leaves to them. */
  async close(): Promise<void> {
    await this.#sending;
    await this.#listener.close();
  }

  /** One at a time: what happens meanwhile goes into the next. */
  async #send(): Promise<void> {
    while (this.#changes.length > 0) {
      const changes = this.#changes.splice(0, MAX_IDS);
      for (const { by, isHeld, ids } of byWriter(changes)) {
        const payload = JSON.stringify([this.#sender, by ?? null, ids, isHeld] satisfies Hint);
        const values = [this.#channel, payload.length < MAX_LENGTH ? payload : ''];
        await this.#pool.query('SELECT pg_notify($1, $2)', values).catch(() => {});
      }
    }
    this.#sending = undefined;
  }

  #hear(payload: string): void {
    const [sender, by, ids, isHeld] = readHint(payload);
    if (sender === this.#sender) return;
    for (const id of ids) this.#watcher(id, by ?? undefined, isHeld);
  }
}

type Hint = readonly [sender: string, by: string | null, ids: readonly string[], isHeld?: boolean];

/** Whatever others send: what is no hint of ours tells of nothing. */
function readHint(payload: string): Hint {
  try {
    const hint = JSON.parse(payload) as Hint;
    if (Array.isArray(hint) && Array.isArray(hint[2])) return hint;
  } catch {
    // Too long to be sent whole, or not ours.
  }
  return ['', null, []];
}

interface Told extends Omit<Change, 'taskId'> {
  readonly ids: string[];
}

/** What can be said in one hint, together. */
function byWriter(changes: readonly Change[]): readonly Told[] {
  const all: Told[] = [];
  for (const { taskId, by, isHeld } of changes) {
    let told = all.find((one) => one.by === by && one.isHeld === isHeld);
    if (told === undefined) all.push((told = { by, isHeld, ids: [] }));
    if (!told.ids.includes(taskId)) told.ids.push(taskId);
  }
  return all;
}
