import { trimEndOf } from '../support/trim-end.ts';
import type { InFlight } from './limits/in-flight.ts';

/** How an edge reads where a request came to. */
export interface EdgeOptions {
  /** What paths begin with at the mount; empty if nothing. */
  readonly basePath: string;
  /** Whether to believe what a proxy says of a request. */
  readonly trustProxy: boolean;
  /** What the edge counts while it receives and sends; absent if nothing limits it. */
  readonly inFlight?: InFlight;
}

/** What an edge knows of where a request came to. */
export interface Arrival {
  /** `http` or `https`, as far as this process can tell. */
  readonly protocol: string;
  /** The header, or the address of the socket. */
  readonly host: string;
  /** The place at which the handler is mounted, without a slash at its end. */
  readonly mount: string;
}

/**
 * The address of the mount as its caller sees it. What a proxy says is believed only if asked for, and only if it can be
 * an address: cards are made of it.
 */
export function baseUrl(
  { protocol, host, mount }: Arrival,
  header: ((name: string) => string | undefined) | undefined,
): string {
  const seen = (name: string): string => header?.(name)?.split(',')[0]?.trim() ?? '';
  const scheme = /^https?$/i.test(seen('x-forwarded-proto')) ? seen('x-forwarded-proto').toLowerCase() : protocol;
  const name = isHost(seen('x-forwarded-host')) ? seen('x-forwarded-host') : isHost(host) ? host : 'localhost';
  const prefix = /^\/[\w\-./~%]*$/.test(seen('x-forwarded-prefix')) ? seen('x-forwarded-prefix') : '';
  return `${scheme}://${name}${trimEndOf(prefix, '/')}${mount}`;
}

/** A name or address with an optional port, and nothing that could end it early. */
function isHost(text: string): boolean {
  return /^(?:[a-z0-9_.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i.test(text) && text.length <= 255;
}

/** The rest of a path; undefined if it is outside of the mount. */
export function pathBelow(basePath: string, path: string): string | undefined {
  if (basePath === '') return path;
  if (path === basePath) return '/';
  return path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : undefined;
}
