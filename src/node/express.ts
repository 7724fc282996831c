import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AgentHandler } from '../server/handler.ts';
import { toNodeListener } from './listener.ts';

/** Middleware as Express, Connect and `serve` call it. */
export type Middleware = (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  next: (error?: unknown) => void,
) => void | Promise<void>;

/**
 * Mounts an agent in Express, at the root or under a prefix, before or after body parsers. Other requests are passed to the next
 * handler.
 *
 * @example
 * express().use('/agent', toExpress(handler));
 */
export function toExpress(handler: AgentHandler): Middleware {
  const listener = toNodeListener(handler);
  return (incoming, outgoing, next) => {
    const [path = '/'] = (incoming.url ?? '/').split('?');
    if (handler.ownsWhole(path, incoming.method)) listener(incoming, outgoing);
    else next();
  };
}
