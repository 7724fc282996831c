import type { NodeListener } from './listener.ts';

const NAMES = new Set(['localhost', '127.0.0.1', '::1', '[::1]']);

/** Whether a name or address means this machine, and nothing else. */
export function isLoopback(host: string): boolean {
  return NAMES.has(host.toLowerCase()) || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/**
 * Lets requests through that were meant for this machine. A page in a browser can have its own name point here and would
 * then be let in as if it were local: the name it uses gives it away.
 */
export function loopbackOnly(listener: NodeListener, publicUrl: string | undefined, trustProxy: boolean): NodeListener {
  if (trustProxy) return listener;
  const own = publicUrl === undefined ? '' : new URL(publicUrl).hostname;
  return (incoming, outgoing) => {
    const host = incoming.headers.host ?? 'localhost';
    const name = host.replace(/:\d+$/, '');
    if (isLoopback(name) || name.toLowerCase() === own) return listener(incoming, outgoing);
    const error = `This agent is not served as ${JSON.stringify(name.slice(0, 100))}: set publicUrl if it is`;
    outgoing.writeHead(421, { 'content-type': 'application/json', connection: 'close' });
    outgoing.end(JSON.stringify({ error }));
  };
}
