import { trimEndOf } from '../trim-end.ts';

/**
 * Returns whether an IP address, as written by DNS or `URL.hostname`, is meaningful only on this machine or in this
 * network: loopback, private, link-local (including cloud metadata services), shared, reserved, multicast. Text that is not
 * an IP address is not private.
 */
export function isPrivateAddress(text: string): boolean {
  const address = text.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
  if (!address.includes(':')) {
    const bytes = ipv4(address);
    return bytes !== undefined && isPrivate4(bytes);
  }
  const groups = ipv6(address);
  return groups !== undefined && isPrivate6(groups);
}

/** Returns whether a host name resolves to a private address by convention, independent of DNS. */
export function isPrivateName(hostname: string): boolean {
  const name = trimEndOf(hostname.toLowerCase(), '.');
  return PRIVATE_SUFFIX.test(name) || METADATA_NAMES.includes(name);
}

/** Returns whether a host is private as written. A name without a dot belongs to the local network. */
export function isPrivateHost(hostname: string): boolean {
  const isName = !hostname.startsWith('[');
  return isPrivateAddress(hostname) || isPrivateName(hostname) || (isName && !/[^.]\.+[^.]/.test(hostname));
}

const PRIVATE_SUFFIX =
  /(?:^|\.)(?:localhost|local|internal|intranet|lan|corp|home|private|svc|consul|home\.arpa|localdomain)$/;

/** Names of cloud metadata services, as far as they do not have a private suffix. */
const METADATA_NAMES = ['metadata', 'instance-data', 'metadata.goog', 'metadata.tencentyun.com', 'metadata.packet.net'];

/** First address and prefix length: RFC 6890 and its registry. */
const PRIVATE_4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // Not in the registry: the host agent of Azure.
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
];

/** Created on first use, because most programs never check an address and should start fast. */
let networks4: readonly { readonly first: number; readonly length: number }[] | undefined;

function isPrivate4(address: number): boolean {
  networks4 ??= PRIVATE_4.map(([first, length]) => ({ first: ipv4(first) ?? 0, length }));
  return networks4.some(({ first, length }) => address >>> (32 - length) === first >>> (32 - length));
}

function isPrivate6(groups: readonly number[]): boolean {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = groups;
  const embedded = (high: number, low: number): boolean => isPrivate4(((high << 16) | low) >>> 0);
  // Unspecified, loopback, and embedded IPv4 (::x and ::ffff:x).
  if ((a | b | c | d | e) === 0 && (f === 0 || f === 0xffff)) return (f | g | h) < 2 || embedded(g, h);
  if ((a | b | c | d) === 0 && e === 0xffff && f === 0) return embedded(g, h);
  // NAT64 (64:ff9b::/96 and its local variant), 6to4 and Teredo lead to IPv4 addresses.
  if (a === 0x64 && b === 0xff9b) return c !== 0 || embedded(g, h);
  if (a === 0x2002) return embedded(b, c);
  if (a === 0x2001 && b < 0x200) return true;
  // Documentation prefixes.
  if ((a === 0x2001 && b === 0xdb8) || (a === 0x3fff && b < 0x1000)) return true;
  // Only 2000::/3 is allocated for public use; other ranges are local, multicast or reserved.
  return a >>> 13 !== 1;
}

/** Parses an IPv4 address in dotted form; `undefined` if it is not one. */
export function ipv4(text: string): number | undefined {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)?.slice(1).map(Number);
  if (parts === undefined || parts.some((part) => part > 255)) return undefined;
  return parts.reduce((address, part) => address * 256 + part, 0);
}

/** Parses an IPv6 address in any common form into its eight groups. */
export function ipv6(text: string): readonly number[] | undefined {
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text);
  const tail = dotted === null ? undefined : ipv4(dotted[2] ?? '');
  if (dotted !== null && tail === undefined) return undefined;
  const hex = tail === undefined ? text : `${dotted?.[1]}${(tail >>> 16).toString(16)}:${(tail & 0xffff).toString(16)}`;
  const [head = '', rest, ...more] = hex.split('::');
  if (more.length > 0) return undefined;
  const groupsOf = (part: string): string[] => (part === '' ? [] : part.split(':'));
  const before = groupsOf(head);
  const after = groupsOf(rest ?? '');
  const missing = 8 - before.length - after.length;
  if (rest === undefined ? missing !== 0 : missing < 1) return undefined;
  const groups = [...before, ...Array.from({ length: rest === undefined ? 0 : missing }, () => '0'), ...after];
  return groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))
    ? groups.map((group) => parseInt(group, 16))
    : undefined;
}
