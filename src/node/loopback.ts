import type { IncomingMessage, ServerResponse } from 'node:http';
import { endAnswer } from './early-answer.ts';
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
    const hosts = hostsOf(incoming);
    if (hosts.length > 1) return refuse(outgoing, 400, 'Expected the header Host once');
    const name = (hosts[0] ?? 'localhost').replace(/:\d+$/, '');
    if (isLoopback(name) || name.toLowerCase() === own) return listener(incoming, outgoing);
    const shown = JSON.stringify(name.slice(0, 100));
    refuse(outgoing, 421, `This agent is not served as ${shown}: set publicUrl if it is`);
  };
}

/** Whom a request is for: a whole address in its first line counts, else the header (RFC 9112 §3.2). */
function hostsOf({ url = '/', rawHeaders }: IncomingMessage): readonly string[] {
  if (!url.startsWith('/') && URL.canParse(url)) return [new URL(url).host];
  const hosts: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts.push(rawHeaders[i + 1] ?? '');
  }
  return hosts;
}

function refuse(outgoing: ServerResponse, status: number, error: string): void {
  const body = JSON.stringify({ error });
  outgoing.shouldKeepAlive = false;
  outgoing.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  endAnswer(outgoing.req, outgoing, body);
}
