import { holdsCredentials, isHttp, isWebPort, portOf } from '../support/net/url-checks.ts';
import { IpNetwork } from '../support/net/ip-network.ts';
import { isPrivateHost } from '../support/net/private-address.ts';

/** Which URLs supplied by callers may be requested. By default: public hosts, over https, on the usual ports. */
export interface AddressOptions {
  /** Allow only these hosts: `hooks.example.com`, or `*.example.com` for all its subdomains. All public hosts if not set. */
  readonly allowHosts?: readonly string[];
  /**
   * Allow these private addresses: an origin (`http://127.0.0.1:4200`), an origin with any port (`http://localhost:*`), or a
   * network (`10.0.0.0/8`). A network allows its addresses with any scheme and port, and host names that resolve to them.
   */
  readonly allowPrivate?: readonly string[];
  /** Allow `http:` for public hosts, too. Default: `false`. */
  readonly allowHttp?: boolean;
  /** Allow only these ports. If not set: 443, 80, and the ports from 1024 that browsers do not block. */
  readonly allowPorts?: readonly number[];
}

/** Members can be undefined. */
type Unset<T> = { readonly [K in keyof T]: T[K] | undefined };

/** A URL that passed the guard. */
export interface Admitted {
  readonly url: URL;
  /** `allowPrivate` lists it, so it may resolve to a private network. */
  readonly isTrusted: boolean;
}

/** The guard rejected a URL. The message is safe for callers: it reveals nothing about networks or configuration. */
export class AddressRejected extends Error {
  override readonly name = 'AddressRejected';
}

/** One message for every reason that depends on networks or lists, so that callers cannot probe them. */
export const ADDRESS_NOT_ALLOWED = 'must be a public address that this agent is allowed to call';
const NOT_A_URL = 'must be an absolute http or https URL';

/**
 * Checks URLs before any name is resolved, with the parser that the transport uses to connect: it turns `0x7f.1` into
 * `127.0.0.1`. The transport checks the resolved addresses when it connects.
 */
export class AddressGuard {
  readonly #hosts: readonly string[] | undefined;
  readonly #trusted: ReadonlySet<string>;
  /** Origins without their ports. */
  readonly #trustedHosts: ReadonlySet<string>;
  readonly #networks: readonly IpNetwork[];
  readonly #allowHttp: boolean;
  readonly #ports: readonly number[] | undefined;

  constructor({ allowHosts, allowPrivate = [], allowHttp = false, allowPorts }: Unset<AddressOptions> = {}) {
    this.#hosts = allowHosts?.map((host) => host.toLowerCase());
    const rules = allowPrivate.map((entry) => privateRule(entry));
    this.#trusted = new Set(rules.flatMap((rule) => rule?.origin ?? []));
    this.#trustedHosts = new Set(rules.flatMap((rule) => rule?.anyPort ?? []));
    this.#networks = rules.flatMap((rule) => rule?.network ?? []);
    this.#allowHttp = allowHttp;
    this.#ports = allowPorts;
  }

  /** @throws AddressRejected */
  admit(address: string | URL): Admitted {
    const url = parsed(address);
    if (!isHttp(url)) throw rejected(NOT_A_URL);
    if (holdsCredentials(url)) throw rejected('must not contain a user name or password');
    if (this.#isTrusted(url)) return { url, isTrusted: true };
    if (url.protocol === 'http:' && !this.#allowHttp)
      throw rejected('must be an https URL, unless the operator of the agent allows it with allowPrivate or allowHttp');
    if (isPrivateHost(url.hostname) || !this.#allowsPort(url) || !this.#allowsHost(url))
      throw rejected(ADDRESS_NOT_ALLOWED);
    return { url, isTrusted: false };
  }

  /** Whether `allowPrivate` lists a network that contains this IP address. */
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

/** A parsed entry of `allowPrivate`. Exactly one member is set. */
export interface PrivateRule {
  readonly origin?: string;
  /** An origin without its port. */
  readonly anyPort?: string;
  readonly network?: IpNetwork;
}

const ANY_PORT = ':*';

/** Parses an entry of `allowPrivate`. Returns undefined if it is invalid. */
export function privateRule(entry: string): PrivateRule | undefined {
  const network = IpNetwork.parse(entry);
  if (network !== undefined) return { network };
  const text = entry.replace(/\/$/, '').toLowerCase();
  const isAnyPort = text.endsWith(ANY_PORT);
  const origin = isAnyPort ? text.slice(0, -ANY_PORT.length) : text;
  // Only the port can be a wildcard.
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
    throw rejected(NOT_A_URL);
  }
}

function rejected(why: string): AddressRejected {
  return new AddressRejected(why);
}
