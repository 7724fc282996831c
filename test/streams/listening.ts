import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { listenerWith } from '../../src/node/listener.ts';
import type { Agent } from '../../src/agent/agent.ts';
import { type AgentHandler, createHandler } from '../../src/server/handler.ts';
import type { HandlerOptions } from '../../src/server/options/handler-options.ts';
import { silentLog } from '../../src/observe/log.ts';
import { memoryStore } from '../../src/store/memory/store.ts';

/** A server whose every part a test can look at. */
export interface Listening {
  readonly port: number;
  readonly http: Server;
  readonly handler: AgentHandler;
  /** The answers that are not over. */
  readonly responses: ReadonlySet<ServerResponse>;
}

/** Longer than any test: what waits for it fails. */
const NEVER_MS = 600_000;

/** Serves until the test is over. Readers may stop reading for `stallMs`. */
export async function listening(agent: Agent, options: HandlerOptions = {}, stallMs = NEVER_MS): Promise<Listening> {
  const handler = createHandler(agent, { store: memoryStore(), log: silentLog, ...options });
  await handler.start();
  const responses = new Set<ServerResponse>();
  const listener = listenerWith(handler, stallMs);
  const http = createServer((incoming, outgoing) => {
    responses.add(outgoing);
    outgoing.once('close', () => responses.delete(outgoing));
    // One that never had its turn on the connection does not say so.
    incoming.socket.setMaxListeners(0).once('close', () => responses.delete(outgoing));
    listener(incoming, outgoing);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    await handler.close();
    const closed = new Promise((resolve) => http.close(resolve));
    // A server has closed a little before its connections say so.
    http.closeAllConnections();
    await closed;
    while (responses.size > 0) await new Promise((resolve) => setImmediate(resolve));
  });
  return { port: (http.address() as AddressInfo).port, http, handler, responses };
}
