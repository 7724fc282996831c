import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AgentHandler } from '../server/handler.ts';
import { NodeRequest } from './node-request.ts';
import { sendResponse, type SendCare } from './node-response.ts';

/** How long a client may leave a full connection unread. A stream can be resumed by number. */
const STALL_MS = 30_000;

/** A listener for `node:http`, and a handler for whatever passes its requests on, such as Express. */
export type NodeListener = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

/**
 * Answers requests of `node:http` without a detour over web-standard ones.
 *
 * @example
 * http.createServer(toNodeListener(createHandler(translator, { store }))).listen(4100);
 * express().use('/agent', toNodeListener(handler));
 */
export function toNodeListener(handler: AgentHandler): NodeListener {
  return listenerWith(handler, STALL_MS);
}

/** As `toNodeListener`, with another time for clients that do not read. */
export function listenerWith(handler: AgentHandler, stallMs: number): NodeListener {
  const care = { heartbeats: handler.heartbeats, stallMs, responses: handler.edge.inFlight.responses };
  return (incoming, outgoing) => {
    void answer(handler, incoming, outgoing, care);
  };
}

/** Over when the answer is on its way: it may be a stream that is open for days. */
async function answer(
  handler: AgentHandler,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  care: SendCare,
): Promise<void> {
  const request = new NodeRequest(incoming, outgoing, handler.edge);
  try {
    const response = await handler.handle(request);
    // What was not read would be taken for the next request, or read to its end for nothing; and who goes away takes no
    // further request.
    const isLast = !incoming.complete || handler.isClosing;
    if (isLast && !outgoing.headersSent) outgoing.shouldKeepAlive = false;
    sendResponse(response, request, outgoing, request.method === 'HEAD', care);
  } catch {
    // The socket broke while it was written to; the core itself never rejects.
    outgoing.destroy();
  }
}
