import { holdsCredentials, isHttp, isWebPort, portOf } from '../support/foreign-address.ts';
import { isPrivateHost } from '../support/private-address.ts';

/** Which addresses of strangers may be called. Without any of it: public hosts by https, at the usual ports. */
export interface AddressOptions {
  /** Only these hosts: `hooks.example.com`, or `*.example.com` for all below it. */
  readonly allowHosts?: readonly string[];
  /** Origins that may be called though they are private, by whatever scheme and port: `http://127.0.0.1:4200`. */
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
  readonly #allowHttp: boolean;
  readonly #ports: readonly number[] | undefined;

  constructor({ allowHosts, allowPrivate = [], allowHttp = false, allowPorts }: AddressOptions = {}) {
    this.#hosts = allowHosts?.map((host) => host.toLowerCase());
    this.#trusted = new Set(allowPrivate.map((origin) => new URL(origin).origin));
    this.#allowHttp = allowHttp;
    this.#ports = allowPorts;
  }

  /** @throws AddressRefused */
  admit(address: string | URL): Admitted {
    const url = parsed(address);
    if (!isHttp(url)) throw refused('expected a whole http or https address');
    if (holdsCredentials(url)) throw refused('must hold no user name or password');
    if (this.#trusted.has(url.origin)) return { url, isTrusted: true };
    if (url.protocol === 'http:' && !this.#allowHttp) throw refused('must be an https address');
    if (isPrivateHost(url.hostname) || !this.#allowsPort(url) || !this.#allowsHost(url)) throw refused(NOT_OURS);
    return { url, isTrusted: false };
  }

  #allowsPort(url: URL): boolean {
    return this.#ports === undefined ? isWebPort(url) : this.#ports.includes(portOf(url));
  }

  #allowsHost({ hostname }: URL): boolean {
    const name = hostname.replace(/\.$/, '');
    return this.#hosts === undefined || this.#hosts.some((host) => matches(name, host));
  }
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
