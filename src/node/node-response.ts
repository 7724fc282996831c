import type { ServerResponse } from 'node:http';
import type { Heartbeats } from '../server/heartbeats.ts';
import type { HttpResponse } from '../server/http.ts';
import { endAnswer } from './early-answer.ts';

/** How long a reader may leave a full connection unread. It can come back for the rest by number. */
const STALL_MS = 30_000;

/** Writes an answer of the core. Resolves when it is written or its reader is gone. */
export function sendResponse(
  response: HttpResponse,
  outgoing: ServerResponse,
  isHead: boolean,
  heartbeats: Heartbeats,
): void | Promise<void> {
  const { status, headers, body } = response;
  if (outgoing.destroyed) return leave(body);
  if (body === undefined || typeof body === 'string') {
    // 204 and 304 have no body, so no length either.
    const length = body === undefined ? undefined : Buffer.byteLength(body);
    outgoing.writeHead(status, length === undefined ? headers : { ...headers, 'content-length': length });
    endAnswer(outgoing.req, outgoing, isHead ? '' : (body ?? ''));
    return;
  }
  outgoing.writeHead(status, headers);
  outgoing.flushHeaders();
  return writePieces(body, outgoing, heartbeats);
}

/** Nobody reads it: what it holds is let go. */
function leave(body: HttpResponse['body']): void {
  if (typeof body === 'object') void body[Symbol.asyncIterator]().return?.();
}

/**
 * Takes a piece only when there is room for it, so that a slow reader holds no more than the buffer of its socket: what it
 * has not read yet is in the store.
 */
async function writePieces(
  pieces: AsyncIterable<string>,
  outgoing: ServerResponse,
  heartbeats: Heartbeats,
): Promise<void> {
  let isQuiet = false;
  const stopBeating = heartbeats.add((beat) => {
    if (isQuiet && !outgoing.writableNeedDrain) outgoing.write(beat);
    isQuiet = true;
  });
  try {
    for await (const piece of pieces) {
      if (outgoing.destroyed) return;
      isQuiet = false;
      if (!outgoing.write(piece)) await drained(outgoing);
    }
    outgoing.end();
  } finally {
    stopBeating();
  }
}

/** Resolves when there is room again, or nobody to need it. */
function drained(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const stalled = setTimeout(() => outgoing.destroy(), STALL_MS);
    const done = (): void => {
      clearTimeout(stalled);
      outgoing.off('drain', done);
      outgoing.off('close', done);
      resolve();
    };
    outgoing.on('drain', done);
    outgoing.on('close', done);
    if (outgoing.destroyed) done();
  });
}
