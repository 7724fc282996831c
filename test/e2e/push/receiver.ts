/** Receivers of notifications on real sockets. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly json: unknown;
}

export interface Receiver {
  readonly url: string;
  readonly origin: string;
  /** All notifications so far. */
  readonly received: readonly Received[];
  /** How many connections were made. */
  readonly connections: () => number;
  /** Resolves when the given number of notifications has arrived. */
  until(count: number): Promise<readonly Received[]>;
}

export type Responder = (response: ServerResponse, request: IncomingMessage, received: Received) => void;

const noContent: Responder = (response) => void response.writeHead(204).end();

/** Listens until the test ends. */
export async function startReceiver(respond: Responder = noContent): Promise<Receiver> {
  const received: Received[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    request.on('end', () => {
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
      const json: unknown = text === '' ? undefined : JSON.parse(text);
      const one = { method: request.method ?? '', path: request.url ?? '', headers, text, json };
      received.push(one);
      respond(response, request, one);
      for (const each of waiting) if (received.length >= each.count) each.resolve();
    });
  });
  server.on('connection', () => (connections += 1));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `${origin}/hook`,
    origin,
    received,
    connections: () => connections,
    until: async (count) => {
      if (received.length < count) await new Promise<void>((resolve) => waiting.push({ count, resolve }));
      return received;
    },
  };
}
