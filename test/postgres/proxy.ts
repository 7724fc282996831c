import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** What lies between a program and its database, and can fail. */
export interface DatabaseProxy {
  readonly url: string;
  /** Answers of the database no longer come through, on the connections that there are. */
  mute(): void;
  /** Ends all connections, without a word. New ones are as before. */
  cut(): void;
  /** What becomes of connections from now on, of those that there are too. */
  set(line: Line): void;
  /** Leads new connections to another database, and ends those that there are. */
  moveTo(url: string): void;
}

/**
 * - `open`: everything goes through.
 * - `slow`: answers take a while.
 * - `silent`: no answer comes through, now or later.
 * - `closed`: nobody is there.
 */
export type Line = 'open' | 'slow' | 'silent' | 'closed';

const SLOW_MS = 50;

interface Pair {
  readonly client: Socket;
  readonly database: Socket;
  isMuted: boolean;
}

/** What may be done to the bytes of an answer, or of a question, on their way. */
export interface Interference {
  readonly onAnswer?: (bytes: Buffer) => Buffer;
  readonly onQuestion?: (bytes: Buffer) => Buffer | void;
}

export async function proxyTo(url: string, { onAnswer, onQuestion }: Interference = {}): Promise<DatabaseProxy> {
  let target = new URL(url);
  const pairs = new Set<Pair>();
  let line: Line = 'open';
  const server = createServer({ noDelay: true }, (client) => {
    if (line === 'closed') return void client.resetAndDestroy();
    const database = connect({ port: Number(target.port), host: target.hostname, noDelay: true });
    const pair: Pair = { client, database, isMuted: line === 'silent' };
    pairs.add(pair);
    client.on('data', (question: Buffer) => void database.write(onQuestion?.(question) ?? question));
    client.on('end', () => database.end());
    database.on('data', (answer: Buffer) => {
      if (pair.isMuted || client.destroyed) return;
      const bytes = onAnswer?.(answer) ?? answer;
      if (line === 'slow') setTimeout(() => client.write(bytes), SLOW_MS);
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
      line = next;
      if (next === 'silent') mute();
      if (next === 'closed') cut();
    },
    moveTo(next) {
      target = new URL(next);
      cut();
    },
  };
}
