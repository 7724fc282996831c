import type { AgentHandler } from '../handler.ts';

/** As much of Hono's context as an agent needs. */
export interface HonoContextLike {
  readonly req: { readonly raw: Request; text(): Promise<string> };
  /** What the host gives with a request. Throws if it gives nothing. */
  readonly executionCtx?: object;
}

export type HonoHandler = (context: HonoContextLike, next: () => Promise<void>) => Promise<Response | undefined>;

/**
 * Mounts an agent in Hono. Under a prefix the handler must know it, as `basePath`. What is not for the agent goes on to
 * the next handler.
 *
 * @example
 * const handler = createHandler(translator, { basePath: '/agent' });
 * new Hono().all('/agent/*', toHono(handler));
 */
export function toHono(handler: AgentHandler): HonoHandler {
  return async (context, next) => {
    const { req } = context;
    if (!handler.ownsWhole(new URL(req.raw.url).pathname, req.raw.method)) {
      await next();
      return undefined;
    }
    return handler.fetch(req.raw.bodyUsed ? await again(req) : req.raw, hostOf(context));
  };
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
