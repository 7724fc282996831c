import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AgentHandler } from '../server/handler.ts';
import { toNodeListener } from './listener.ts';

/** The members of a Fastify instance that the plugin uses. */
export interface FastifyScope {
  /** The prefix that the plugin is registered with; empty at the root. */
  readonly prefix: string;
  /** Removes the body parsers of this scope. */
  removeAllContentTypeParsers(): void;
  /** Adds a body parser to this scope. */
  addContentTypeParser(
    type: string,
    parser: (request: unknown, payload: unknown, done: (error: Error | null, body?: unknown) => void) => void,
  ): unknown;
  /** Adds a route for all methods. */
  all(path: string, handler: (request: FastifyRequestLike, reply: FastifyReplyLike) => void): unknown;
}

/** The member of a Fastify request that the plugin uses. */
interface FastifyRequestLike {
  /** The request of Node. */
  readonly raw: IncomingMessage & {
    /** The URL with the prefix, set by the plugin before it removes the prefix. */
    originalUrl?: string;
  };
}

/** The members of a Fastify reply that the plugin uses. */
interface FastifyReplyLike {
  /** The response of Node. */
  readonly raw: ServerResponse;
  /** Returns the headers that hooks have set. */
  getHeaders(): Readonly<Record<string, number | string | string[] | undefined>>;
  /** Leaves the response to the plugin. */
  hijack(): unknown;
  /** Sends the 404 of Fastify. */
  callNotFound(): unknown;
}

/** A Fastify plugin. */
export type FastifyPlugin = (scope: FastifyScope, options: unknown, done: () => void) => void;

/**
 * Mounts an agent in Fastify, at the root or under a prefix. The agent reads request bodies itself within its scope; other scopes keep
 * their body parsers. Other routes take precedence. A request that matches neither gets Fastify's 404.
 *
 * @example
 * await fastify().register(toFastify(handler), { prefix: '/agent' });
 */
export function toFastify(handler: AgentHandler): FastifyPlugin {
  const listener = toNodeListener(handler);
  return (scope, _options, done) => {
    const depth = scope.prefix.split('/').filter(Boolean).length;
    const handle = ({ raw: incoming }: FastifyRequestLike, reply: FastifyReplyLike): void => {
      const url = incoming.url ?? '/';
      const below = urlBelow(url, depth);
      if (!handler.ownsWhole(below.split('?')[0] ?? '/', incoming.method)) return void reply.callNotFound();
      incoming.originalUrl = url;
      incoming.url = below;
      // hijack() would drop headers that hooks have set, such as those of CORS.
      for (const [name, value] of Object.entries(reply.getHeaders())) {
        if (value !== undefined) reply.raw.setHeader(name, value);
      }
      reply.hijack();
      listener(incoming, reply.raw);
    };
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, parsed) => parsed(null));
    scope.all('/*', handle);
    // Without a prefix the wildcard covers the root, and a route of the application takes precedence.
    if (depth > 0) scope.all('/', handle);
    done();
  };
}

/** Removes the prefix by its number of segments, because it may have parameters. */
function urlBelow(url: string, depth: number): string {
  const [path = '/'] = url.split('?', 1);
  const rest = path.split('/').slice(depth + 1);
  return `/${rest.join('/')}${url.slice(path.length)}`;
}
