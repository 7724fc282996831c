import { trimEndOf } from '../../support/trim-end.ts';
import type { InFlight } from '../../host/limits/in-flight.ts';

/** How an edge determines the URL of a request. */
export interface EdgeOptions {
  /** The path prefix of the mount point; empty if there is none. */
  readonly basePath: string;
  readonly trustProxy: boolean;
  /** Counters for bytes that are received and sent; absent if they are unlimited. */
  readonly inFlight?: InFlight;
}

/** The URL of a request as this process sees it. */
export interface Arrival {
  /** `http` or `https`, as seen by this process. */
  readonly protocol: string;
  /** The `Host` header, or the address of the socket. */
  readonly host: string;
  /** The path of the mount point, without a trailing slash. */
  readonly mount: string;
}

/**
 * The URL of the mount point as the caller sees it. Headers of a proxy are used only if `header` is passed, and only if they are valid,
 * because cards contain the result.
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

/** Whether a text is a host name or address with an optional port, and contains nothing else. */
function isHost(text: string): boolean {
  return /^(?:[a-z0-9_.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i.test(text) && text.length <= 255;
}

/** The path relative to `basePath`; undefined if it is outside. */
export function pathBelow(basePath: string, path: string): string | undefined {
  if (basePath === '') return path;
  if (path === basePath) return '/';
  return path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : undefined;
}
