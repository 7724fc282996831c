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
  hijack(): unknown;
}

export type FastifyPlugin = (scope: FastifyScope, options: unknown, done: () => void) => void;

/**
 * Mounts an agent in Fastify. Bodies are left to the agent within its scope, and parsed as ever elsewhere.
 *
 * @example
 * await fastify().register(toFastify(handler), { prefix: '/agent' });
 */
export function toFastify(handler: AgentHandler): FastifyPlugin {
  const listener = toNodeListener(handler);
  return (scope, _options, done) => {
    const { prefix } = scope;
    const answer = ({ raw: incoming }: FastifyRequestLike, reply: FastifyReplyLike): void => {
      reply.hijack();
      const url = incoming.url ?? '/';
      incoming.originalUrl = url;
      const rest = url.slice(prefix.length);
      incoming.url = rest.startsWith('/') ? rest : `/${rest}`;
      listener(incoming, reply.raw);
    };
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, parsed) => parsed(null));
    scope.all('/', answer);
    scope.all('/*', answer);
    done();
  };
}
