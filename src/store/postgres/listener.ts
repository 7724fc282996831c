import type { Notification, Pool, PoolClient } from 'pg';
import { quoted } from './migrate.ts';

/** After a loss: soon, for it may have been a restart; and rarely where no notification ever comes through. */
const RECONNECT_MS = 1000;
const DEAF_MS = 60_000;
/** How often to make sure that notifications still arrive. */
const ECHO_MS = 10_000;

/** One that only its sender waits for. */
const ECHO = 'echo ';

/**
 * Hears notifications on a connection of its own, which does nothing else: who does not read them holds up the database.
 * A connection that is lost is made anew. Behind a pooler that shares connections a LISTEN succeeds and means nothing,
 * and a connection whose other end has vanished looks like any other, so now and then it sends something to itself.
 */
export class Listener {
  readonly #pool: Pool;
  readonly #channel: string;
  readonly #onPayload: (payload: string) => void;
  readonly #echo: string;
  #client: PoolClient | undefined;
  #attempt: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Whether the last thing sent to itself has come, and whether one ever did on this connection. */
  #hasHeard = false;
  #wasHeard = false;
  #isClosed = false;

  constructor(pool: Pool, channel: string, name: string, onPayload: (payload: string) => void) {
    this.#pool = pool;
    this.#channel = channel;
    this.#echo = ECHO + name;
    this.#onPayload = onPayload;
  }

  /** Begins, and goes on until it is closed. */
  listen(): void {
    if (this.#isClosed || this.#attempt !== undefined) return;
    // The only connection of a pool is needed for other things; without hints everything comes by looking, a bit later.
    if ((this.#pool.options?.max ?? 2) < 2) return;
    this.#attempt = this.#connect();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#attempt;
    const client = this.#drop();
    await client?.query('UNLISTEN *').then(
      () => client.release(),
      () => client.release(true),
    );
  }

  /** Never rejects. */
  async #connect(): Promise<void> {
    let client: PoolClient | undefined;
    try {
      client = await this.#pool.connect();
      this.#client = client;
      client.on('error', this.#lost);
      client.on('notification', this.#heard);
      await client.query(`LISTEN ${quoted(this.#channel)}`);
      this.#hasHeard = this.#wasHeard = false;
      this.#sendEcho();
    } catch {
      this.#lost();
    }
  }

  readonly #heard = ({ payload = '' }: Notification): void => {
    if (payload === this.#echo) this.#hasHeard = this.#wasHeard = true;
    else if (!payload.startsWith(ECHO)) this.#onPayload(payload);
  };

  readonly #lost = (): void => {
    this.#drop()?.release(true);
    this.#again(RECONNECT_MS);
  };

  /** Takes the connection out of use. The first to do so has it. */
  #drop(): PoolClient | undefined {
    const client = this.#client;
    this.#client = undefined;
    client?.off('error', this.#lost);
    client?.off('notification', this.#heard);
    return client;
  }

  #again(afterMs: number): void {
    this.#wait(afterMs, () => {
      this.#attempt = this.#connect();
    });
  }

  #sendEcho(): void {
    if (this.#client === undefined) return;
    // By another connection, as all hints come.
    this.#pool.query('SELECT pg_notify($1, $2)', [this.#channel, this.#echo]).catch(() => {});
    this.#wait(ECHO_MS, () => {
      if (this.#hasHeard) {
        this.#hasHeard = false;
        this.#sendEcho();
        return;
      }
      this.#drop()?.release(true);
      this.#again(this.#wasHeard ? RECONNECT_MS : DEAF_MS);
    });
  }

  #wait(ms: number, then: () => void): void {
    clearTimeout(this.#timer);
    if (this.#isClosed) return;
    this.#timer = setTimeout(then, ms);
    this.#timer.unref();
  }
}
