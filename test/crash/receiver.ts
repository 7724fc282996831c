import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { ArrivedPush, PushMessage } from './errand.ts';

/** A receiver of push notifications that outlives those who send them. */
export interface Receiver {
  /** The address at which those of one session arrive. */
  urlFor(session: string): string;
  /** All that has arrived for a session, in order. */
  received(session: string): readonly ArrivedPush[];
  close(): Promise<void>;
}

export async function openReceiver(): Promise<Receiver> {
  const bySession = new Map<string, ArrivedPush[]>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const path = request.url ?? '/';
      const arrived = bySession.get(path) ?? [];
      bySession.set(path, arrived);
      const message = JSON.parse(Buffer.concat(chunks).toString()) as PushMessage;
      arrived.push({ ...message, arrivedAt: Date.now() });
      // Whoever sends is about to be killed: nothing is worth being kept open.
      response.writeHead(204, { connection: 'close' }).end();
    });
    // A sender that dies in the middle of its words has said nothing.
    request.on('error', () => {});
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const pathOf = (session: string): string => `/${encodeURIComponent(session)}`;
  return {
    urlFor: (session) => `http://127.0.0.1:${port}${pathOf(session)}`,
    received: (session) => bySession.get(pathOf(session)) ?? [],
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
