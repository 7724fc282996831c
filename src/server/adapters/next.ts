import type { AgentHandler } from '../handler.ts';

type RouteHandler = (request: Request) => Promise<Response>;

/** The exports of a Next route. */
export type NextRoutes = Readonly<Record<'GET' | 'HEAD' | 'POST' | 'DELETE' | 'OPTIONS', RouteHandler>>;

/**
 * Mounts an agent as a catch-all route of Next. The handler must know its path, as `basePath`.
 *
 * @example
 * // app/api/agent/[[...path]]/route.ts
 * const handler = createHandler(translator, { basePath: '/api/agent', store });
 * export const { GET, HEAD, POST, DELETE, OPTIONS } = toNext(handler);
 */
export function toNext(handler: AgentHandler): NextRoutes {
  // Next passes a second argument, which is none of ours.
  const answer: RouteHandler = (request) => {
    const path = new URL(request.url).pathname;
    if (!handler.ownsWhole(path, request.method)) handler.hintBasePath(path);
    return handler.fetch(request);
  };
  return { GET: answer, HEAD: answer, POST: answer, DELETE: answer, OPTIONS: answer };
}
