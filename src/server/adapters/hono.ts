import { pathBelow } from '../http/base-url.ts';
import type { AgentHandler } from '../handler.ts';

/** The members of Hono's context that the adapter uses. */
export interface HonoContextLike {
  /** The request. */
  readonly req: {
    /** The web-standard request. */
    readonly raw: Request;
    /** The pattern of the matched route, such as `/agent/*`. */
    readonly routePath?: string;
    /** Returns the body, even if a middleware has read it before. */
    text(): Promise<string>;
  };
  /** The execution context of the host. The getter throws if there is none. */
  readonly executionCtx?: object;
}

/** A Hono handler or middleware. */
export type HonoHandler = (context: HonoContextLike, next: () => Promise<void>) => Promise<Response | undefined>;

/**
 * Mounts an agent in Hono, at the root or under a prefix, which is taken from the route. Other requests are passed to the next
 * handler. If the route has parameters, such as `/:team/agent/*`, set `basePath` of the handler to the literal prefix, such as
 * `/red/agent`; one handler serves one prefix then.
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

/** Recreates a request whose body is consumed. Hono caches the body if it was read through `c.req`. */
async function again(req: HonoContextLike['req']): Promise<Request> {
  const { url, method, headers, signal } = req.raw;
  try {
    return new Request(url, { method, headers, signal, body: await req.text() });
  } catch {
    // The body is lost; the handler reports that with a better error.
    return req.raw;
  }
}
