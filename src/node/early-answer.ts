import type { IncomingMessage, ServerResponse } from 'node:http';

/** How long and how much is thrown away of a request that was answered before it was all there. */
const LINGER_MS = 5000;
const LINGER_BYTES = 32 * 2 ** 20;

/**
 * Ends an answer whose head is written. If more of the request is on its way, closing the socket now would make its sender
 * lose the answer: what arrives at a closed socket resets the connection (RFC 9112 §9.6). So the rest is read and
 * thrown away, for a while.
 */
export function endAnswer(incoming: IncomingMessage, outgoing: ServerResponse, body: string): void {
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
  // Of the request: an answer that waits for its turn on the connection is not told that there is none any more.
  incoming.on('close', end).on('end', end).on('data', discard).resume();
}
