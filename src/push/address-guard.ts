import { holdsCredentials, isHttp, isWebPort, portOf } from '../support/foreign-address.ts';
import { IpNetwork } from '../support/ip-network.ts';
import { isPrivateHost } from '../support/private-address.ts';

/** Which addresses of strangers may be called. Without any of it: public hosts by https, at the usual ports. */
export interface AddressOptions {
  /** Only these hosts: `hooks.example.com`, or `*.example.com` for all below it. */
  readonly allowHosts?: readonly string[];
  /**
   * Private addresses that may be called: an origin (`http://127.0.0.1:4200`), an origin with any port (`http://localhost:*`), or
   * a network (`10.0.0.0/8`), which covers its addresses by any scheme and port, and names that lead to them.
   */
  readonly allowPrivate?: readonly string[];
  /** Public hosts may be called without encryption, too. */
  readonly allowHttp?: boolean;
  /** Only these ports; 443, 80 and those from 1024 on that browsers call if not set. */
  readonly allowPorts?: readonly number[];
}

/** An address that may be called. */
export interface Admitted {
  readonly url: URL;
  /** Its owner is known: it may lead to a private network. */
  readonly isTrusted: boolean;
}

/** An address is refused. The message is fit for strangers: it says nothing that the address itself does not say. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
}

/** One sentence for all that depends on networks and lists, so that nobody can find out what they look like. */
export const NOT_OURS = 'must be a public address that this agent is allowed to call';

/**
 * Looks at addresses as they are written, after the same parser that connects has read them: `0x7f.1` is `127.0.0.1` by
 * then. Where a name leads to is for the transport to see, when it connects.
 */
export class AddressGuard {
  readonly #hosts: readonly string[] | undefined;
  readonly #trusted: ReadonlySet<string>;
  /** Origins without their ports. */
  readonly #trustedHosts: ReadonlySet<string>;
  readonly #networks: readonly IpNetwork[];
  readonly #allowHttp: boolean;
  readonly #ports: readonly number[] | undefined;

  constructor({ allowHosts, allowPrivate = [], allowHttp = false, allowPorts }: AddressOptions = {}) {
    this.#hosts = allowHosts?.map((host) => host.toLowerCase());
    const rules = allowPrivate.map((entry) => privateRule(entry));
    this.#trusted = new Set(rules.flatMap((rule) => rule?.origin ?? []));
    this.#trustedHosts = new Set(rules.flatMap((rule) => rule?.anyPort ?? []));
    this.#networks = rules.flatMap((rule) => rule?.network ?? []);
    this.#allowHttp = allowHttp;
    this.#ports = allowPorts;
  }

  /** @throws AddressRefused */
  admit(address: string | URL): Admitted {
    const url = parsed(address);
    if (!isHttp(url)) throw refused('expected a whole http or https address');
    if (holdsCredentials(url)) throw refused('must hold no user name or password');
    if (this.#isTrusted(url)) return { url, isTrusted: true };
    if (url.protocol === 'http:' && !this.#allowHttp) throw refused('must be an https address');
    if (isPrivateHost(url.hostname) || !this.#allowsPort(url) || !this.#allowsHost(url)) throw refused(NOT_OURS);
    return { url, isTrusted: false };
  }

  /** Whether `allowPrivate` names a network that has this IP address. */
  allowsAddress(address: string): boolean {
    return this.#networks.some((network) => network.has(address));
  }

  #isTrusted({ origin, protocol, hostname }: URL): boolean {
    return (
      this.#trusted.has(origin) || this.#trustedHosts.has(`${protocol}//${hostname}`) || this.allowsAddress(hostname)
    );
  }

  #allowsPort(url: URL): boolean {
    return this.#ports === undefined ? isWebPort(url) : this.#ports.includes(portOf(url));
  }

  #allowsHost({ hostname }: URL): boolean {
    const name = hostname.replace(/\.$/, '');
    return this.#hosts === undefined || this.#hosts.some((host) => matches(name, host));
  }
}

/** An entry of `allowPrivate`, as it is compared with addresses: one of the three. */
export interface PrivateRule {
  readonly origin?: string;
  /** An origin without its port. */
  readonly anyPort?: string;
  readonly network?: IpNetwork;
}

const ANY_PORT = ':*';

/** Undefined if it is not an entry for `allowPrivate`. */
export function privateRule(entry: string): PrivateRule | undefined {
  const network = IpNetwork.parse(entry);
  if (network !== undefined) return { network };
  const text = entry.replace(/\/$/, '').toLowerCase();
  const isAnyPort = text.endsWith(ANY_PORT);
  const origin = isAnyPort ? text.slice(0, -ANY_PORT.length) : text;
  // A host cannot be a pattern.
  if (origin.includes('*') || !URL.canParse(origin)) return undefined;
  const url = new URL(origin);
  if (!isHttp(url) || url.origin !== origin) return undefined;
  if (!isAnyPort) return { origin };
  return url.port === '' ? { anyPort: origin } : undefined;
}

function matches(name: string, host: string): boolean {
  return host.startsWith('*.') ? name.endsWith(host.slice(1)) && name.length >= host.length : name === host;
}

function parsed(address: string | URL): URL {
  try {
    return new URL(address);
  } catch {
    throw refused('expected a whole http or https address');
  }
}

function refused(why: string): AddressRefused {
  return new AddressRefused(why);
}
