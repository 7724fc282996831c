import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** What lies between a program and its database, and can fail. */
export interface DatabaseProxy {
  readonly url: string;
  /** Answers of the database no longer come through. */
  mute(): void;
  /** Ends all connections, without a word. New ones are as before. */
  cut(): void;
}

/** What may be done to the bytes of an answer, or of a question, on their way. */
export interface Interference {
  readonly onAnswer?: (bytes: Buffer) => Buffer;
  readonly onQuestion?: (bytes: Buffer) => void;
}

export async function proxyTo(url: string, { onAnswer, onQuestion }: Interference = {}): Promise<DatabaseProxy> {
  const target = new URL(url);
  const pairs = new Set<{ readonly client: Socket; readonly server: Socket }>();
  const server = createServer((client) => {
    const database = connect(Number(target.port), target.hostname);
    const pair = { client, server: database };
    pairs.add(pair);
    client.pipe(database);
    if (onQuestion !== undefined) client.on('data', onQuestion);
    if (onAnswer === undefined) database.pipe(client);
    else database.on('data', (bytes) => client.write(onAnswer(bytes)));
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
    mute: () => pairs.forEach(({ client, server: database }) => database.unpipe(client)),
    cut,
  };
}
