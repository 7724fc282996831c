import { A2AError } from '../../errors.ts';
import { holdsCredentials, isHttp, isWebPort } from '../../support/net/url-checks.ts';
import { isPrivateHost } from '../../support/net/private-address.ts';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

function originAt(url: URL, host: string): string {
  return url.origin.replace(url.hostname, host);
}

/** How a client may use a URL. */
export interface Verdict {
  /** The URL may be on a private network. */
  readonly isTrusted: boolean;
  /** The URL may get credentials. */
  readonly isRecipient: boolean;
}

/** Decides which URLs a client may request, and which get credentials. Only origins that the user named are trusted. */
export class Trust {
  readonly #origins = new Set<string>();
  readonly #recipients = new Set<string>();
  #isEverywhere = false;
  /** Cached, because `URL.origin` costs more than everything else here and most requests use the same URL object. */
  #verdicts = new WeakMap<URL, Verdict>();

  constructor(allowed: readonly string[] = []) {
    for (const origin of allowed) this.add(parseUrl(origin));
  }

  add(url: URL): void {
    this.#origins.add(url.origin);
    this.#verdicts = new WeakMap();
  }

  /** Trusts all URLs. For an agent in the same process, which gets the requests whatever their URL. */
  addAll(): void {
    this.#isEverywhere = true;
  }

  /** Lets an origin get credentials although its URL comes from a card. */
  addRecipient(url: URL): void {
    this.#recipients.add(url.origin);
    this.#verdicts = new WeakMap();
  }

  /**
   * Checks a URL as it is written. The HTTP client checks the addresses that its host name resolves to.
   *
   * @throws A2AError `TRANSPORT_FAILED` if the URL is not allowed.
   */
  judge(url: URL): Verdict {
    let verdict = this.#verdicts.get(url);
    if (verdict === undefined) {
      const isTrusted = this.#includes(url);
      if (!isHttp(url)) throw refused(url, 'is not an http or https URL');
      if (holdsCredentials(url)) throw refused(url, 'contains a user name or password');
      if (!isTrusted && isPrivateHost(url.hostname)) throw refused(url, 'is on a private network', ALLOW);
      if (!isTrusted && !isWebPort(url)) throw refused(url, 'uses the port of another service', ALLOW);
      verdict = { isTrusted, isRecipient: isTrusted || this.#recipients.has(url.origin) };
      this.#verdicts.set(url, verdict);
    }
    return verdict;
  }

  /** Whether a URL may get credentials. */
  isRecipient(url: URL): boolean {
    return this.#includes(url) || this.#recipients.has(url.origin);
  }

  #includes(url: URL): boolean {
    if (this.#isEverywhere || this.#origins.has(url.origin)) return true;
    // The same host over https is as trusted as over http.
    if (url.protocol === 'https:' && url.port === '' && this.#origins.has(`http://${url.hostname}`)) return true;
    // So is the same port of this machine under another loopback name.
    return LOOPBACK.includes(url.hostname) && LOOPBACK.some((host) => this.#origins.has(originAt(url, host)));
  }
}

const ALLOW = '. Add its origin to allowOrigins to allow it';

function refused(url: URL, why: string, advice = ''): A2AError {
  const shown = new URL(url);
  // Errors are logged, so they must not contain credentials.
  shown.username = '';
  shown.password = '';
  const place = `${url.protocol}//${url.host}`;
  const message = `Rejected a URL from a card, part or redirect: ${place} ${why}${advice}`;
  return new A2AError('TRANSPORT_FAILED', message, {
    details: { sent: 'no', url: shown.href, reason: 'address-refused' },
  });
}

/** @throws A2AError `INVALID_PARAMS` */
export function parseUrl(text: string | URL): URL {
  const url = readUrl(text);
  if (!holdsCredentials(url)) return url;
  throw new A2AError('INVALID_PARAMS', 'The URL must not contain a user name or password. Pass credentials as auth');
}

/** Parses any URL. `judge()` checks whether it is allowed. @throws A2AError `INVALID_PARAMS` */
export function readUrl(text: string | URL): URL {
  try {
    const url = new URL(text);
    url.hash = '';
    return url;
  } catch (cause) {
    throw new A2AError('INVALID_PARAMS', `Expected a URL, got ${JSON.stringify(String(text))}`, { cause });
  }
}
