import type { IncomingMessage, ServerResponse } from 'node:http';

/** Limits for discarding the rest of a request that got its response before it was complete. */
const LINGER_MS = 5000;
const LINGER_BYTES = 32 * 2 ** 20;

/**
 * Ends a response whose head is written. If more of the request is on its way, closing the socket now would make the client lose the
 * response: data that arrives at a closed socket resets the connection (RFC 9112 §9.6). So the rest is read and discarded, up to
 * 5 s and 32 MiB.
 */
export function endResponse(incoming: IncomingMessage, outgoing: ServerResponse, body: string): void {
  const isOver = incoming.complete || incoming.destroyed || incoming.socket.destroyed;
  if (isOver || outgoing.shouldKeepAlive) return void outgoing.end(body);
  outgoing.flushHeaders();
  outgoing.write(body);
  let left = LINGER_BYTES;
  const discard = (chunk: Buffer): void => {
    left -= chunk.length;
    if (left < 0) end();
  };
  const end = (): void => {
    clearTimeout(late);
    incoming.off('data', discard).off('end', end).off('close', end);
    outgoing.end();
  };
  const late = setTimeout(end, LINGER_MS);
  // Events of the request, because a response that waits for its turn on the connection gets no `close` event.
  incoming.on('close', end).on('end', end).on('data', discard).resume();
}
