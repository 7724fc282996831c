import { A2AError } from '../errors.ts';
import { isPrivateAddress, isPrivateName } from '../support/private-address.ts';

/** Where a client may go, and with what: origins that its user named are trusted, all others come from strangers. */
export class Trust {
  readonly #origins = new Set<string>();

  constructor(allowed: readonly string[] = []) {
    for (const origin of allowed) this.add(parseUrl(origin));
  }

  add(url: URL): void {
    this.#origins.add(url.origin);
  }

  /** Whether credentials may be sent there, and private addresses are no matter. */
  includes(url: URL): boolean {
    if (this.#origins.has(url.origin)) return true;
    // The same host by the safer way is what its user named.
    return url.protocol === 'https:' && url.port === '' && this.#origins.has(`http://${url.hostname}`);
  }

  /**
   * Looks at the address as it is written; where a name leads to is for the transport to see.
   *
   * @throws A2AError `TRANSPORT_FAILED` if a stranger sends us where we must not go.
   */
  check(url: URL): void {
    if (url.protocol !== 'http:' && url.protocol !== 'https:') throw refused(url, 'is no HTTP address');
    if (this.includes(url)) return;
    if (isPrivateAddress(url.hostname) || isPrivateName(url.hostname)) throw refused(url, 'is on a private network');
  }
}

function refused(url: URL, why: string): A2AError {
  return new A2AError(
    'TRANSPORT_FAILED',
    `${url.origin} ${why}, and was named by a card or a redirect; add it to allowOrigins if that is right`,
    { details: { sent: 'no', url: url.href, reason: 'address-refused' } },
  );
}

/** @throws A2AError `INVALID_PARAMS` */
export function parseUrl(text: string | URL): URL {
  let url: URL;
  try {
    url = new URL(text);
  } catch (cause) {
    throw new A2AError('INVALID_PARAMS', `${JSON.stringify(String(text))} is no address`, { cause });
  }
  if (url.username !== '' || url.password !== '') {
    throw new A2AError('INVALID_PARAMS', 'An address must not hold credentials: give them as auth');
  }
  url.hash = '';
  return url;
}
