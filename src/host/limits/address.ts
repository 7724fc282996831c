import { digest } from '../../support/secret/digest.ts';
import { networkOf } from '../../support/net/network-of.ts';
import type { HttpRequest } from '../http.ts';

/** Whether the address of a socket is a loopback address. */
export function isThisMachine(address: string | undefined): boolean {
  if (address === undefined) return false;
  return address === '::1' || address.startsWith('127.') || address.startsWith('::ffff:127.');
}

/**
 * A pseudonym for the network of an address that can be stored. There are 46,656 of them, so each stands for about 90,000 IPv4
 * addresses and does not reveal the real one.
 */
export function networkName(address: string): string {
  return `address-${digest(networkOf(address)).slice(-3)}`;
}

/**
 * The client address that our own proxy reports: the last entry, because the client can forge all entries before it. Undefined if it
 * is not an address.
 */
export function forwardedAddress(header: string | undefined): string | undefined {
  const last = header?.slice(header.lastIndexOf(',') + 1).trim() ?? '';
  if (last.length > MAX_LENGTH) return undefined;
  // Some proxies add the port.
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(last)?.[1] ?? last.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1');
  return /^(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f]*:[0-9a-f:.]+)$/i.test(bare) ? bare : undefined;
}

/** Whether `X-Forwarded-For` names another address, and it is not trusted. */
export function isProxyIgnored(request: Pick<HttpRequest, 'remoteAddress' | 'header'>): boolean {
  const forwarded = forwardedAddress(request.header('x-forwarded-for'));
  return forwarded !== undefined && forwarded !== request.remoteAddress;
}

/** IPv6 with brackets and a port. */
const MAX_LENGTH = 60;
