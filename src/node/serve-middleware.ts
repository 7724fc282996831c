import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Log } from '../observe/log.ts';
import { endResponse } from './early-response.ts';
import type { Middleware } from './express.ts';
import type { NodeListener } from './listener.ts';

/**
 * Runs middleware before a listener, one after the other. Each passes the request on with `next()`, or responds itself. An error that
 * is thrown, rejected or passed to `next` becomes a 500.
 */
export function withMiddleware(all: readonly Middleware[], listener: NodeListener, log: Log): NodeListener {
  if (all.length === 0) return listener;
  return (incoming, outgoing) => {
    const run = (index: number): void => {
      // Ignore next() of middleware that has already responded.
      if (outgoing.headersSent || outgoing.destroyed) return;
      const middleware = all[index];
      if (middleware === undefined) return listener(incoming, outgoing);
      let isDone = false;
      const once = (go: () => void): void => {
        if (isDone) return;
        isDone = true;
        go();
      };
      const fail = (error: unknown): void => once(() => respondToFailure(error, incoming, outgoing, log));
      const next = (error?: unknown): void => {
        if (error === undefined || error === null) once(() => run(index + 1));
        else fail(error);
      };
      try {
        const result: unknown = middleware(incoming, outgoing, next);
        // Middleware in JavaScript may return anything, such as the response.
        if (result instanceof Promise) result.catch(fail);
      } catch (error) {
        fail(error);
      }
    };
    run(0);
  };
}

function respondToFailure(error: unknown, incoming: IncomingMessage, outgoing: ServerResponse, log: Log): void {
  const [path] = (incoming.url ?? '/').split('?');
  log.error('Middleware failed', { method: incoming.method, path, error });
  if (outgoing.headersSent) {
    outgoing.destroy();
    return;
  }
  const body = JSON.stringify({ error: 'Internal error' });
  outgoing.shouldKeepAlive = incoming.complete && outgoing.shouldKeepAlive;
  outgoing.writeHead(500, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  endResponse(incoming, outgoing, body);
}
