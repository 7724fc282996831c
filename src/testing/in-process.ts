import type { HttpResponse } from '../server/http.ts';
import type { LeaveSignal, Leaving } from '../support/leave-signal.ts';

/** Thrown to lose the connection without a word. */
export class ConnectionDropped extends Error {
  override readonly name = 'ConnectionDropped';
}

/** Never answers: waits until the caller has gone. */
export function silence(signal: LeaveSignal): Promise<never> {
  return new Promise((_, reject) => {
    const drop = (): void => reject(new ConnectionDropped('The caller has gone'));
    if (signal.aborted) drop();
    else signal.addEventListener('abort', drop, { once: true });
  });
}

/** What `fetch` of Node throws when a connection breaks. */
export function failedFetch(message: 'fetch failed' | 'terminated'): TypeError {
  const cause = Object.assign(new Error('other side closed'), { code: 'ECONNRESET' });
  return new TypeError(message, { cause });
}

/** An answer as `fetch` gives it. `letGo` is called when nothing of it is to come. */
export function toResponse({ status, headers, body }: HttpResponse, leaving: Leaving, letGo: () => void): Response {
  if (body === undefined || typeof body === 'string') {
    letGo();
    return new Response(body ?? null, { status, headers });
  }
  const pieces = body[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      const end = (): void => {
        letGo();
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
        letGo();
        controller.close();
      } catch {
        letGo();
        if (!leaving.aborted) controller.error(failedFetch('terminated'));
      }
    },
    cancel() {
      letGo();
      leaving.leave();
    },
  });
  return new Response(stream, { status, headers });
}
