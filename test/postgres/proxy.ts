import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A proxy in front of a database, which can fail in several ways. */
export interface DatabaseProxy {
  readonly url: string;
  /** Drops all further responses of the database on the current connections. */
  mute(): void;
  /** Resets all current connections. New ones are not affected. */
  cut(): void;
  /** Changes the state of current and new connections. */
  set(state: ProxyState): void;
  /** Forwards new connections to another database, and resets the current ones. */
  moveTo(url: string): void;
}

/**
 * - `open`: forwards everything.
 * - `slow`: delays responses.
 * - `silent`: drops all responses, also on current connections.
 * - `closed`: resets all connections.
 */
export type ProxyState = 'open' | 'slow' | 'silent' | 'closed';

const SLOW_MS = 50;

interface Pair {
  readonly client: Socket;
  readonly database: Socket;
  isMuted: boolean;
}

/** Functions that may change the bytes of a response or a request on their way. */
export interface ProxyHooks {
  readonly onResponse?: (bytes: Buffer) => Buffer;
  readonly onRequest?: (bytes: Buffer) => Buffer | void;
}

export async function proxyTo(url: string, { onResponse, onRequest }: ProxyHooks = {}): Promise<DatabaseProxy> {
  let target = new URL(url);
  const pairs = new Set<Pair>();
  let state: ProxyState = 'open';
  const server = createServer({ noDelay: true }, (client) => {
    if (state === 'closed') return void client.resetAndDestroy();
    const database = connect({ port: Number(target.port), host: target.hostname, noDelay: true });
    const pair: Pair = { client, database, isMuted: state === 'silent' };
    pairs.add(pair);
    client.on('data', (request: Buffer) => void database.write(onRequest?.(request) ?? request));
    client.on('end', () => database.end());
    database.on('data', (response: Buffer) => {
      if (pair.isMuted || client.destroyed) return;
      const bytes = onResponse?.(response) ?? response;
      if (state === 'slow') setTimeout(() => client.write(bytes), SLOW_MS);
      else client.write(bytes);
    });
    for (const [one, other] of [
      [client, database],
      [database, client],
    ] as const) {
      one.on('error', () => {});
      one.on('close', () => {
        other.destroy();
        pairs.delete(pair);
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const mute = (): void => pairs.forEach((pair) => (pair.isMuted = true));
  const cut = (): void => {
    for (const { client } of pairs) client.resetAndDestroy();
  };
  onTestFinished(async () => {
    cut();
    server.close();
    await once(server, 'close');
  });
  const { port } = server.address() as AddressInfo;
  const own = new URL(url);
  own.port = String(port);
  return {
    url: own.href,
    mute,
    cut,
    set(next) {
      state = next;
      if (next === 'silent') mute();
      if (next === 'closed') cut();
    },
    moveTo(next) {
      target = new URL(next);
      cut();
    },
  };
}
