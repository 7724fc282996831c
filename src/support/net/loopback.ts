const NAMES = new Set(['localhost', '127.0.0.1', '::1', '[::1]']);

/** Returns whether a host name or address always means this machine. */
export function isLoopback(host: string): boolean {
  return NAMES.has(host.toLowerCase()) || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** Returns whether responses from this address cannot be changed in transit: it is https, or on this machine. */
export function isSecureAddress(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}
