import { pathBelow } from '../base-url.ts';
import type { AgentHandler } from '../handler.ts';

/** As much of Hono's context as an agent needs. */
export interface HonoContextLike {
  readonly req: { readonly raw: Request; readonly routePath?: string; text(): Promise<string> };
  /** What the host gives with a request. Throws if it gives nothing. */
  readonly executionCtx?: object;
}

export type HonoHandler = (context: HonoContextLike, next: () => Promise<void>) => Promise<Response | undefined>;

/**
 * Mounts an agent in Hono, at the root or under a prefix. Requests that are not for the agent go on to the next handler. If the
 * prefix has parameters, such as `/:team/agent`, give it as `basePath` of the handler.
 *
 * @example
 * new Hono().all('/agent/*', toHono(createHandler(translator)));
 */
export function toHono(handler: AgentHandler): HonoHandler {
  return async (context, next) => {
    const { req } = context;
    const { method, url } = req.raw;
    const path = new URL(url).pathname;
    const prefix = handler.edge.basePath === '' ? prefixOf(req.routePath) : '';
    const isOwn = prefix === '' ? handler.ownsWhole(path, method) : isBelow(handler, prefix, path, method);
    if (!isOwn) {
      handler.hintBasePath(path);
      await next();
      return undefined;
    }
    const request = req.raw.bodyUsed ? await again(req) : req.raw;
    return prefix === ''
      ? handler.fetch(request, hostOf(context))
      : handler.fetchBelow(prefix, request, hostOf(context));
  };
}

/** The path before the `*` of a route; empty if the route has none, or has parameters. */
function prefixOf(route = ''): string {
  const [, prefix = ''] = /^((?:\/[\w.~-]+)+)\/\*$/.exec(route) ?? [];
  return prefix;
}

function isBelow(handler: AgentHandler, prefix: string, path: string, method: string): boolean {
  const below = pathBelow(prefix, path);
  return below !== undefined && handler.owns(below, method);
}

function hostOf(context: HonoContextLike): object | undefined {
  try {
    return context.executionCtx;
  } catch {
    return undefined;
  }
}

/** Somebody has read the body; Hono has kept it, if it was asked for it. */
async function again(req: HonoContextLike['req']): Promise<Request> {
  const { url, method, headers, signal } = req.raw;
  try {
    return new Request(url, { method, headers, signal, body: await req.text() });
  } catch {
    // Gone for good, which the handler tells better.
    return req.raw;
  }
}
