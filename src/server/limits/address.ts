import { digest } from '../../support/digest.ts';
import { networkOf } from '../../support/network-of.ts';
import type { HttpRequest } from '../http.ts';

/** Whether a socket's address is of this machine. */
export function isThisMachine(address: string | undefined): boolean {
  if (address === undefined) return false;
  return address === '::1' || address.startsWith('127.') || address.startsWith('::ffff:127.');
}

/**
 * A name for the network of an address that can be stored: there are 46,656 of them, so that each stands for some 90,000
 * networks of IPv4 alone and does not tell which one it was.
 */
export function networkName(address: string): string {
  return `address-${digest(networkOf(address)).slice(-3)}`;
}

/**
 * The address that a proxy of our own has seen: the last of its list, because what stands before that is the word of
 * whoever sent the request. Undefined if it is no address.
 */
export function forwardedAddress(header: string | undefined): string | undefined {
  const last = header?.slice(header.lastIndexOf(',') + 1).trim() ?? '';
  if (last.length > MAX_LENGTH) return undefined;
  // Some proxies add the port.
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(last)?.[1] ?? last.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1');
  return /^(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f]*:[0-9a-f:.]+)$/i.test(bare) ? bare : undefined;
}

/** Whether a proxy has said where a request is from, and nobody has believed it. */
export function isProxyUnheard(request: Pick<HttpRequest, 'remoteAddress' | 'header'>): boolean {
  const forwarded = forwardedAddress(request.header('x-forwarded-for'));
  return forwarded !== undefined && forwarded !== request.remoteAddress;
}

/** IPv6 with brackets and a port. */
const MAX_LENGTH = 60;
