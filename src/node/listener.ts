import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AgentHandler } from '../server/handler.ts';
import { NodeRequest } from './node-request.ts';
import { sendResponse, type SendContext } from './node-response.ts';

/** How long a client may not read from a full connection before it is closed. Clients can resume streams. */
const STALL_MS = 30_000;

/** A request listener for `node:http`, or for a framework that passes Node requests on, such as Express. */
export type NodeListener = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

/**
 * Creates a request listener for `node:http`. It avoids the cost of web-standard `Request` and `Response` objects.
 *
 * @example
 * http.createServer(toNodeListener(createHandler(translator, { store }))).listen(4100);
 * express().use('/agent', toNodeListener(handler));
 */
export function toNodeListener(handler: AgentHandler): NodeListener {
  return listenerWith(handler, STALL_MS);
}

/** Like `toNodeListener`, with another time limit for clients that do not read. */
export function listenerWith(handler: AgentHandler, stallMs: number): NodeListener {
  const context = { heartbeats: handler.heartbeats, stallMs, responses: handler.edge.inFlight.responses };
  return (incoming, outgoing) => {
    void respond(handler, incoming, outgoing, context);
  };
}

/** Resolves when the response has been started; it may be a stream that stays open for days. */
async function respond(
  handler: AgentHandler,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  context: SendContext,
): Promise<void> {
  const request = new NodeRequest(incoming, outgoing, handler.edge);
  try {
    const response = await handler.handle(request);
    // The unread rest of a body would be parsed as the next request, or read to its end for nothing. A server that is
    // closing accepts no further requests.
    const isLast = !incoming.complete || handler.isClosing;
    if (isLast && !outgoing.headersSent) outgoing.shouldKeepAlive = false;
    sendResponse(response, request, outgoing, request.method === 'HEAD', context);
  } catch {
    // Writing to the socket failed; the core itself never rejects.
    outgoing.destroy();
  }
}
