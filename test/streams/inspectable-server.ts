import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { listenerWith } from '../../src/node/listener.ts';
import type { Agent } from '../../src/agent/agent.ts';
import { type AgentHandler, createHandler } from '../../src/server/handler.ts';
import type { HandlerOptions } from '../../src/server/options/handler-options.ts';
import { silentLog } from '../../src/observe/log.ts';
import { memoryStore } from '../../src/store/memory/store.ts';

/** A server that gives a test access to its sockets, handler and open responses. */
export interface InspectableServer {
  readonly port: number;
  readonly http: Server;
  readonly handler: AgentHandler;
  /** The responses that have not ended. */
  readonly responses: ReadonlySet<ServerResponse>;
}

/** Longer than the time limit of any test. */
const NEVER_MS = 600_000;

/** Serves until the test is over. Clients may stop reading for `stallMs`. */
export async function startInspectable(
  agent: Agent,
  options: HandlerOptions = {},
  stallMs = NEVER_MS,
): Promise<InspectableServer> {
  const handler = createHandler(agent, { store: memoryStore(), log: silentLog, ...options });
  await handler.start();
  const responses = new Set<ServerResponse>();
  const listener = listenerWith(handler, stallMs);
  const http = createServer((incoming, outgoing) => {
    responses.add(outgoing);
    outgoing.once('close', () => responses.delete(outgoing));
    // A response that never had its turn on the connection emits no event.
    incoming.socket.setMaxListeners(0).once('close', () => responses.delete(outgoing));
    listener(incoming, outgoing);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    await handler.close();
    const closed = new Promise((resolve) => http.close(resolve));
    // The server emits `close` shortly before its connections do.
    http.closeAllConnections();
    await closed;
    while (responses.size > 0) await new Promise((resolve) => setImmediate(resolve));
  });
  return { port: (http.address() as AddressInfo).port, http, handler, responses };
}
