import type { IncomingMessage, ServerResponse } from 'node:http';
import { A2AError } from '../errors.ts';
import type { AgentHandler } from '../server/handler.ts';
import { isLoopback } from '../support/net/loopback.ts';
import { endResponse } from './early-response.ts';
import type { NodeListener } from './listener.ts';
import { NodeRequest } from './node-request.ts';

/**
 * Accepts only requests whose host is this machine or the public address. A web page can make its own name resolve to this
 * machine (DNS rebinding); the `Host` header shows that name. With `trustProxy`, `X-Forwarded-Host` must be the public name: a
 * proxy does not forward requests for `localhost`, but a rebinding page can set that header. Without a public address the right
 * name behind a proxy is not known, so every name is accepted.
 */
export function loopbackOnly(
  handler: AgentHandler,
  listener: NodeListener,
  publicUrl: string | undefined,
  trustProxy: boolean,
): NodeListener {
  if (trustProxy && publicUrl === undefined) return listener;
  const own = publicUrl === undefined ? '' : new URL(publicUrl).hostname;
  return (incoming, outgoing) => {
    const hosts = hostsOf(incoming);
    if (hosts.length > 1) return reject(outgoing, 400, 'Expected exactly one Host header');
    const forwarded = trustProxy ? forwardedHost(incoming) : undefined;
    const name = (forwarded ?? hosts[0] ?? 'localhost').replace(/:\d+$/, '');
    const isOwn = name.toLowerCase() === own || (forwarded === undefined && isLoopback(name));
    if (isOwn) return listener(incoming, outgoing);
    const shown = JSON.stringify(name.slice(0, 100));
    const reason = `This agent is not served under the host ${shown}. If it is, set publicUrl`;
    const error = new A2AError('PERMISSION_DENIED', reason, { details: { guard: 'host' } });
    handler.noteRejection(new NodeRequest(incoming, outgoing, handler.edge), error);
    reject(outgoing, 421, reason);
  };
}

/** The first entry, which is the host that the caller requested, before any proxy. */
function forwardedHost({ headers }: IncomingMessage): string | undefined {
  const value = headers['x-forwarded-host'];
  return (
    String(value ?? '')
      .split(',')[0]
      ?.trim() || undefined
  );
}

/** The hosts of a request: an absolute URL in the request line takes precedence over the header (RFC 9112 §3.2). */
function hostsOf({ url = '/', rawHeaders }: IncomingMessage): readonly string[] {
  if (!url.startsWith('/') && URL.canParse(url)) return [new URL(url).host];
  const hosts: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts.push(rawHeaders[i + 1] ?? '');
  }
  return hosts;
}

function reject(outgoing: ServerResponse, status: number, error: string): void {
  const body = JSON.stringify({ error });
  outgoing.shouldKeepAlive = false;
  outgoing.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  endResponse(outgoing.req, outgoing, body);
}
