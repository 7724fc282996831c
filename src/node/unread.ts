import type { ServerResponse } from 'node:http';

/** Clients that do not read: their connections are closed when they have made no progress for a while. */

/** A response is written in slices of this size, so that reading one of them is progress. */
const SLICE_BYTES = 64 * 2 ** 10;

/**
 * Writes bytes slice by slice, each when the connection has taken the one before it. Calls back when all are taken, or when
 * the connection is closed, by its client or because the client has read nothing for `stallMs`. Never throws.
 */
export function writeSlices(outgoing: ServerResponse, bytes: Buffer, stallMs: number, then: () => void): void {
  let at = 0;
  const next = (): void => {
    try {
      while (at < bytes.length && !outgoing.destroyed) {
        const slice = bytes.subarray(at, (at += SLICE_BYTES));
        if (!outgoing.write(slice)) return whenDrained(outgoing, stallMs, next);
      }
      then();
    } catch {
      // Somebody else's `write`: middleware may have put its own in the place of Node's.
      outgoing.destroy();
      then();
    }
  };
  next();
}

/** Calls back when the connection has taken what was written, or is closed. */
export function whenDrained(outgoing: ServerResponse, stallMs: number, then: () => void): void {
  whenTaken(outgoing, 'drain', stallMs, then);
}

/** Closes the connection of a response that has ended if its client does not read the rest of it. */
export function whenSent(outgoing: ServerResponse, stallMs: number): void {
  whenTaken(outgoing, 'finish', stallMs, () => {});
}

function whenTaken(outgoing: ServerResponse, event: 'drain' | 'finish', stallMs: number, then: () => void): void {
  const done = (): void => {
    stop();
    then();
  };
  const timer = setTimeout(() => {
    if (isQueued(outgoing)) timer.refresh();
    else lose();
  }, stallMs);
  // A response that waits for its turn is not told that its connection is closed.
  const connection = outgoing.socket === null ? outgoing.req.socket : undefined;
  const lose = (): void => {
    stop();
    outgoing.destroy();
    then();
  };
  const stop = (): void => {
    clearTimeout(timer);
    outgoing.off(event, done).off('close', done);
    connection?.off('close', lose);
  };
  outgoing.on(event, done).on('close', done);
  // A client may send any number of requests at once, each with a listener of its own.
  connection?.setMaxListeners(0).on('close', lose);
  if (outgoing.destroyed) done();
  else if (connection?.destroyed === true) lose();
}

/**
 * Whether a response waits for its turn behind another one on the same connection, as HTTP/1.1 lets clients have it: its
 * client cannot read it yet.
 */
function isQueued({ socket, req }: ServerResponse): boolean {
  return socket === null && !req.socket.destroyed;
}
