const NAMES = new Set(['localhost', '127.0.0.1', '::1', '[::1]']);

/** Whether a name or address means this machine, and nothing else. */
export function isLoopback(host: string): boolean {
  return NAMES.has(host.toLowerCase()) || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** Whether responses from this address cannot be changed in transit: it is https, or on this machine. */
export function isSecureAddress(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}
