import type { AgentHandler } from '../handler.ts';

/** Handles the requests of one method of a route. */
type RouteHandler = (request: Request) => Promise<Response>;

/** The exports of a Next.js route. */
export type NextRoutes = Readonly<Record<'GET' | 'HEAD' | 'POST' | 'DELETE' | 'OPTIONS', RouteHandler>>;

/**
 * Mounts an agent as a catch-all route of Next.js. Set `basePath` of the handler to the path of the route.
 *
 * @example
 * // app/api/agent/[[...path]]/route.ts
 * const handler = createHandler(translator, { basePath: '/api/agent', store });
 * export const { GET, HEAD, POST, DELETE, OPTIONS } = toNext(handler);
 */
export function toNext(handler: AgentHandler): NextRoutes {
  // Next passes route parameters as the second argument; `fetch` must not get them.
  const handle: RouteHandler = (request) => {
    const path = new URL(request.url).pathname;
    if (!handler.ownsWhole(path, request.method)) handler.hintBasePath(path);
    return handler.fetch(request);
  };
  return { GET: handle, HEAD: handle, POST: handle, DELETE: handle, OPTIONS: handle };
}
