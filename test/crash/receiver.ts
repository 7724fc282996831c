import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { ArrivedPush, PushMessage } from './worker-protocol.ts';

/** A receiver of push notifications in the process of the test, which is not killed. */
export interface Receiver {
  /** The address for the notifications of one session. */
  urlFor(session: string): string;
  /** All notifications that have arrived for a session, in order. */
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
      // The sender will be killed, so its connections are not kept open.
      response.writeHead(204, { connection: 'close' }).end();
    });
    // A notification counts only if it is complete; its sender may be killed before.
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
