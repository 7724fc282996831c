import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AgentHandler } from '../server/handler.ts';
import { toNodeListener } from './listener.ts';

/** As much of Fastify as mounting an agent needs. */
export interface FastifyScope {
  readonly prefix: string;
  removeAllContentTypeParsers(): void;
  addContentTypeParser(
    type: string,
    parser: (request: unknown, payload: unknown, done: (error: Error | null, body?: unknown) => void) => void,
  ): unknown;
  all(path: string, handler: (request: FastifyRequestLike, reply: FastifyReplyLike) => void): unknown;
}

interface FastifyRequestLike {
  readonly raw: IncomingMessage & { originalUrl?: string };
}

interface FastifyReplyLike {
  readonly raw: ServerResponse;
  getHeaders(): Readonly<Record<string, number | string | string[] | undefined>>;
  hijack(): unknown;
  callNotFound(): unknown;
}

export type FastifyPlugin = (scope: FastifyScope, options: unknown, done: () => void) => void;

/**
 * Mounts an agent in Fastify, at the root or under a prefix. Bodies are left to the agent within its scope, and parsed as
 * ever elsewhere. Other routes go first, and what is neither theirs nor the agent's is not found.
 *
 * @example
 * await fastify().register(toFastify(handler), { prefix: '/agent' });
 */
export function toFastify(handler: AgentHandler): FastifyPlugin {
  const listener = toNodeListener(handler);
  return (scope, _options, done) => {
    const depth = scope.prefix.split('/').filter(Boolean).length;
    const answer = ({ raw: incoming }: FastifyRequestLike, reply: FastifyReplyLike): void => {
      const url = incoming.url ?? '/';
      const below = urlBelow(url, depth);
      if (!handler.ownsWhole(below.split('?')[0] ?? '/', incoming.method)) return void reply.callNotFound();
      incoming.originalUrl = url;
      incoming.url = below;
      // What hooks have set, such as those of CORS, is otherwise lost with the reply.
      for (const [name, value] of Object.entries(reply.getHeaders())) {
        if (value !== undefined) reply.raw.setHeader(name, value);
      }
      reply.hijack();
      listener(incoming, reply.raw);
    };
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, parsed) => parsed(null));
    scope.all('/*', answer);
    // At the root the line above has it, and lets a page of the application go first.
    if (depth > 0) scope.all('/', answer);
    done();
  };
}

/** Without the prefix, which may have parameters: it is known by how many segments it has. */
function urlBelow(url: string, depth: number): string {
  const [path = '/'] = url.split('?', 1);
  const rest = path.split('/').slice(depth + 1);
  return `/${rest.join('/')}${url.slice(path.length)}`;
}
