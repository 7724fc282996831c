import type { ServerResponse } from 'node:http';

/** Closes the connections of clients that do not read their responses. */

/** A response is written in slices of this size, so that reading one of them counts as progress. */
const SLICE_BYTES = 64 * 2 ** 10;

/**
 * Writes bytes slice by slice, each when the connection has taken the one before it. Calls back when all are taken, or when
 * the connection is closed, by its client or because the client has read nothing for `stallMs`. Never throws.
 */
export function writeSlices(outgoing: ServerResponse, bytes: Buffer, stallMs: number, then: () => void): void {
  let at = 0;
  const write = (): boolean => {
    try {
      while (at < bytes.length && !outgoing.destroyed) {
        if (!outgoing.write(bytes.subarray(at, (at += SLICE_BYTES)))) return true;
      }
    } catch {
      // Middleware may have replaced `write`.
      outgoing.destroy();
    }
    return false;
  };
  if (write()) whileUnread(outgoing, 'drain', stallMs, write, then);
  else then();
}

export function whenDrained(outgoing: ServerResponse, stallMs: number, then: () => void): void {
  whileUnread(outgoing, 'drain', stallMs, isAll, then);
}

/** Closes the connection of a response that has ended if its client does not read the rest of it. */
export function whenSent(outgoing: ServerResponse, stallMs: number): void {
  whileUnread(outgoing, 'finish', stallMs, isAll, () => {});
}

const isAll = (): boolean => false;

/**
 * Waits until the connection has taken all written data. `more` then returns whether to wait again; if not, or if the connection is
 * closed, `then` is called once. A client that takes nothing for `stallMs` is disconnected;
 * the time of a response that waits behind another one starts with its turn.
 */
function whileUnread(
  outgoing: ServerResponse,
  event: 'drain' | 'finish',
  stallMs: number,
  more: () => boolean,
  then: () => void,
): void {
  let isOver = false;
  // May be called after `off`, because some middleware forwards `on` but not `off`.
  const taken = (): void => {
    if (isOver) return;
    if (more()) timer.refresh();
    else end();
  };
  const startTurn = (): void => {
    if (!isOver) timer.refresh();
  };
  const end = (): void => {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    outgoing.off(event, taken).off('close', end).off('socket', startTurn);
    connection?.off('close', lose);
    then();
  };
  const lose = (): void => {
    outgoing.destroy();
    end();
  };
  const timer = setTimeout(() => {
    if (isQueued(outgoing)) timer.refresh();
    else lose();
  }, stallMs);
  // A response that waits for its turn gets no `close` event when its connection closes.
  const connection = outgoing.socket === null ? outgoing.req.socket : undefined;
  outgoing.on(event, taken).on('close', end);
  if (connection !== undefined) outgoing.on('socket', startTurn);
  // A client may send any number of requests at once, each with its own listener.
  connection?.setMaxListeners(0).on('close', lose);
  if (outgoing.destroyed) end();
  else if (connection?.destroyed === true) lose();
}

/**
 * Whether a response waits behind another one on the same connection (HTTP/1.1 pipelining), so that its client cannot read it yet.
 */
function isQueued({ socket, req }: ServerResponse): boolean {
  return socket === null && !req.socket.destroyed;
}
