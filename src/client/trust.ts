import { A2AError } from '../errors.ts';
import { holdsCredentials, isHttp, isWebPort } from '../support/foreign-address.ts';
import { isPrivateHost } from '../support/private-address.ts';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

function originAt(url: URL, host: string): string {
  return url.origin.replace(url.hostname, host);
}

/** What may be done with an address. */
export interface Verdict {
  /** It does not matter if it is private. */
  readonly isTrusted: boolean;
  /** Credentials may be sent there. */
  readonly isRecipient: boolean;
}

/** Where a client may go, and with what: origins that its user named are trusted, all others come from strangers. */
export class Trust {
  readonly #origins = new Set<string>();
  readonly #recipients = new Set<string>();
  #isEverywhere = false;
  /** To ask a URL for its origin costs more than everything else here, and most requests go to the same one. */
  #verdicts = new WeakMap<URL, Verdict>();

  constructor(allowed: readonly string[] = []) {
    for (const origin of allowed) this.add(parseUrl(origin));
  }

  add(url: URL): void {
    this.#origins.add(url.origin);
    this.#verdicts = new WeakMap();
  }

  /** For an agent in the same process: whatever the address, it is the agent who gets the request. */
  addAll(): void {
    this.#isEverywhere = true;
  }

  /** Credentials are for that one, though its address comes from a card. */
  addRecipient(url: URL): void {
    this.#recipients.add(url.origin);
    this.#verdicts = new WeakMap();
  }

  /**
   * Looks at the address as it is written; where a name leads to is for the transport to see.
   *
   * @throws A2AError `TRANSPORT_FAILED` if a stranger sends us where we must not go.
   */
  judge(url: URL): Verdict {
    let verdict = this.#verdicts.get(url);
    if (verdict === undefined) {
      const isTrusted = this.#includes(url);
      if (!isHttp(url)) throw refused(url, 'is no HTTP address');
      if (holdsCredentials(url)) throw refused(url, 'was written with a user name or password');
      if (!isTrusted && isPrivateHost(url.hostname)) throw refused(url, 'is on a private network', ALLOW);
      if (!isTrusted && !isWebPort(url)) throw refused(url, 'has the port of another service', ALLOW);
      verdict = { isTrusted, isRecipient: isTrusted || this.#recipients.has(url.origin) };
      this.#verdicts.set(url, verdict);
    }
    return verdict;
  }

  /** Whether credentials may be sent there. */
  isRecipient(url: URL): boolean {
    return this.#includes(url) || this.#recipients.has(url.origin);
  }

  #includes(url: URL): boolean {
    if (this.#isEverywhere || this.#origins.has(url.origin)) return true;
    // The same host by the safer way is what its user named.
    if (url.protocol === 'https:' && url.port === '' && this.#origins.has(`http://${url.hostname}`)) return true;
    // So is the same port of this machine under another of its names.
    return LOOPBACK.includes(url.hostname) && LOOPBACK.some((host) => this.#origins.has(originAt(url, host)));
  }
}

const ALLOW = '; add it to allowOrigins if that is right';

function refused(url: URL, why: string, advice = ''): A2AError {
  const shown = new URL(url);
  // Somebody's secret, and errors are logged.
  shown.username = '';
  shown.password = '';
  const place = `${url.protocol}//${url.host}`;
  return new A2AError('TRANSPORT_FAILED', `${place} ${why}, and was named by a card, a part or a redirect${advice}`, {
    details: { sent: 'no', url: shown.href, reason: 'address-refused' },
  });
}

/** @throws A2AError `INVALID_PARAMS` */
export function parseUrl(text: string | URL): URL {
  const url = readUrl(text);
  if (!holdsCredentials(url)) return url;
  throw new A2AError('INVALID_PARAMS', 'An address must not hold credentials: give them as auth');
}

/** Takes any address: what must not stand in one is for `judge()` to say. @throws A2AError `INVALID_PARAMS` */
export function readUrl(text: string | URL): URL {
  try {
    const url = new URL(text);
    url.hash = '';
    return url;
  } catch (cause) {
    throw new A2AError('INVALID_PARAMS', `${JSON.stringify(String(text))} is no address`, { cause });
  }
}
