/** Checks of URLs from outside: webhooks, files, and the endpoints of agent cards. */

export function isHttp({ protocol }: URL): boolean {
  return protocol === 'http:' || protocol === 'https:';
}

/** Returns whether a URL contains credentials, which would be sent with the request although nobody authorized that. */
export function holdsCredentials({ username, password }: URL): boolean {
  return username !== '' || password !== '';
}

const FIRST_USER_PORT = 1024;

/**
 * Ports from 1024 on that browsers block (the bad ports of the Fetch standard), because other services than web servers use
 * them.
 */
const PORTS_OF_OTHERS = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10_080,
]);

/** Returns whether a port can belong to an HTTP server. Below 1024, all ports but 80 and 443 belong to other services. */
export function isWebPort(url: URL): boolean {
  const port = portOf(url);
  return port === 443 || port === 80 || (port >= FIRST_USER_PORT && !PORTS_OF_OTHERS.has(port));
}

export function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}
