import type { HttpResponse } from '../host/http.ts';
import type { LeaveSignal, Leaving } from '../support/leave-signal.ts';

/** Thrown to break the connection without a response. */
export class ConnectionDropped extends Error {
  override readonly name = 'ConnectionDropped';
}

/** Never responds. Rejects when the caller has disconnected. */
export function silence(signal: LeaveSignal): Promise<never> {
  return new Promise((_, reject) => {
    const drop = (): void => reject(new ConnectionDropped('The caller has disconnected'));
    if (signal.aborted) drop();
    else signal.addEventListener('abort', drop, { once: true });
  });
}

/** The error of Node's `fetch` for a broken connection. */
export function failedFetch(message: 'fetch failed' | 'terminated'): TypeError {
  const cause = Object.assign(new Error('other side closed'), { code: 'ECONNRESET' });
  return new TypeError(message, { cause });
}

/** Converts a response to that of `fetch`. `release` is called when its body has ended. */
export function toResponse({ status, headers, body }: HttpResponse, leaving: Leaving, release: () => void): Response {
  if (body === undefined || typeof body === 'string') {
    release();
    return new Response(body ?? null, { status, headers });
  }
  const pieces = body[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      const end = (): void => {
        release();
        controller.error(failedFetch('terminated'));
      };
      if (leaving.aborted) end();
      else leaving.addEventListener('abort', end);
    },
    async pull(controller) {
      try {
        const next = await pieces.next();
        if (leaving.aborted) return;
        if (next.done !== true) return controller.enqueue(encoder.encode(next.value));
        release();
        controller.close();
      } catch {
        release();
        if (!leaving.aborted) controller.error(failedFetch('terminated'));
      }
    },
    cancel() {
      release();
      leaving.leave();
    },
  });
  return new Response(stream, { status, headers });
}
