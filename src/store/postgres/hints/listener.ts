import type { Notification, Pool, PoolClient } from 'pg';
import { quoted } from '../migrate.ts';

/** The delays before a reconnect: short after a loss, which may be a restart; long if no notification has ever arrived. */
const RECONNECT_MS = 1000;
const DEAF_MS = 60_000;
/** How often to check that notifications still arrive. */
const ECHO_MS = 10_000;

/** The prefix of the notification that a listener sends to itself. */
const ECHO = 'echo ';

/**
 * Listens for notifications on a dedicated connection, because unread notifications fill the queue of the database. Reconnects when
 * the connection is lost. Behind a pooler that shares connections, LISTEN succeeds without effect, and a broken connection may look
 * healthy. So the listener regularly sends a notification to itself.
 */
export class Listener {
  readonly #pool: Pool;
  readonly #channel: string;
  readonly #onPayload: (payload: string) => void;
  readonly #echo: string;
  #client: PoolClient | undefined;
  #attempt: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Whether the last echo has arrived, and whether any has on this connection. */
  #hasHeard = false;
  #wasHeard = false;
  #isClosed = false;

  constructor(pool: Pool, channel: string, name: string, onPayload: (payload: string) => void) {
    this.#pool = pool;
    this.#channel = channel;
    this.#echo = ECHO + name;
    this.#onPayload = onPayload;
  }

  /** Listens until it is closed. */
  listen(): void {
    if (this.#isClosed || this.#attempt !== undefined) return;
    // A pool with one connection needs it for queries. Without hints, polling notices changes a little later.
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
      client.on('notification', this.#onNotification);
      await client.query(`LISTEN ${quoted(this.#channel)}`);
      this.#hasHeard = this.#wasHeard = false;
      this.#sendEcho();
    } catch {
      this.#lost();
    }
  }

  readonly #onNotification = ({ payload = '' }: Notification): void => {
    if (payload === this.#echo) this.#hasHeard = this.#wasHeard = true;
    else if (!payload.startsWith(ECHO)) this.#onPayload(payload);
  };

  readonly #lost = (): void => {
    this.#drop()?.release(true);
    this.#again(RECONNECT_MS);
  };

  /** Detaches the connection and returns it to the first caller. */
  #drop(): PoolClient | undefined {
    const client = this.#client;
    this.#client = undefined;
    client?.off('error', this.#lost);
    client?.off('notification', this.#onNotification);
    return client;
  }

  #again(afterMs: number): void {
    this.#wait(afterMs, () => {
      this.#attempt = this.#connect();
    });
  }

  #sendEcho(): void {
    if (this.#client === undefined) return;
    // On another connection, like all hints.
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
