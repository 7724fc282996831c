import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { serve } from '../../src/node/index.ts';
import { agent, type Handler, type HandlerOptions, memoryStore } from '../../src/server/index.ts';
import { type FakePeer, fakePeer, type FakePeerOptions } from '../../src/testing/index.ts';

const SILENT = { info() {}, warn() {}, error() {} };

/** Serves an agent of this library until the test ends. */
export async function serveAgent(run: Handler, options: HandlerOptions = {}): Promise<string> {
  const outputModes = ['text/plain', 'application/json', 'image/png'];
  const subject = agent({ name: 'Subject', description: 'Runs the handler of the test.', run, outputModes });
  const server = await serve(subject, { port: 0, store: memoryStore(), log: SILENT, ...options });
  onTestFinished(() => server.close({ finishMs: 0 }));
  return server.url;
}

/** Serves any HTTP server until the test ends. */
export async function serveRaw(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Returns an address with a closed port. */
export async function closedAddress(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return `http://127.0.0.1:${port}`;
}

/** Serves a scripted peer until the test ends. */
export async function servePeer(options: FakePeerOptions = {}): Promise<FakePeer> {
  const peer = await fakePeer(options);
  onTestFinished(() => peer.close());
  return peer;
}

/** Serves a card, and passes all other requests to the listener of the test. */
export async function serveCard(answer: RequestListener): Promise<string> {
  return serveRaw((request, response) => {
    if (request.method !== 'GET') return answer(request, response);
    const [url, protocolVersion] = [`http://${request.headers.host}/rpc`, '1.0'];
    const supportedInterfaces = [{ url, protocolBinding: 'JSONRPC', protocolVersion }];
    const words = { name: 'Raw', description: 'Raw', version: '1' };
    const modes = { defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'], skills: [] };
    response.end(JSON.stringify({ ...words, supportedInterfaces, capabilities: { streaming: true }, ...modes }));
  });
}

/** Returns one event of a JSON-RPC stream. */
export function frame(result: unknown): string {
  return `data: ${JSON.stringify({ jsonrpc: '2.0', id: 1, result })}\n\n`;
}
