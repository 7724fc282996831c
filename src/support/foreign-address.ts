/** What is looked at in addresses that strangers name, by all who call them: for webhooks, files, and agents of cards. */

export function isHttp({ protocol }: URL): boolean {
  return protocol === 'http:' || protocol === 'https:';
}

/** They would be sent along, and be somebody's whom nobody asked. */
export function holdsCredentials({ username, password }: URL): boolean {
  return username !== '' || password !== '';
}

const FIRST_USER_PORT = 1024;

/** Above the first one: what browsers refuse (the fetch standard's bad ports), for others than web servers listen there. */
const PORTS_OF_OTHERS = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10_080,
]);

/** Whether somebody who speaks HTTP can be meant: below 1024 all ports but two are those of other services. */
export function isWebPort(url: URL): boolean {
  const port = portOf(url);
  return port === 443 || port === 80 || (port >= FIRST_USER_PORT && !PORTS_OF_OTHERS.has(port));
}

export function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}
