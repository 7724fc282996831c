import { isLoopback } from '../../support/loopback.ts';
import { trimEndOf } from '../../support/trim-end.ts';

/**
 * What a token may say that is for the agent at this address: the address, or its origin, which is all that a client knows
 * before it has read the card. This machine has several names, and its port is the same by each of them.
 */
export function audiencesOf(publicUrl: string): readonly string[] {
  const url = new URL(publicUrl);
  const hosts = isLoopback(url.hostname) ? [url.hostname, 'localhost', '127.0.0.1', '[::1]'] : [url.hostname];
  const port = url.port === '' ? '' : `:${url.port}`;
  const path = trimEndOf(url.pathname, '/');
  const all = hosts.flatMap((host) => {
    const origin = `${url.protocol}//${host}${port}`;
    return [origin, `${origin}/`, `${origin}${path}`, `${origin}${path}/`];
  });
  return [...new Set(all)];
}
