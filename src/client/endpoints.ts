import type { Endpoint } from './endpoint.ts';

/**
 * The ways to reach one agent, and the one in use. A next one is taken when an answer shows that the one in use is wrong;
 * all calls of the client take part in that.
 */
export class Endpoints {
  readonly #interfaces: readonly [Endpoint, ...Endpoint[]];
  /** Other addresses for an interface whose own one leads nowhere. */
  readonly #otherUrls: readonly string[];
  #current: Endpoint;

  constructor(interfaces: readonly [Endpoint, ...Endpoint[]], otherUrls: readonly string[] = []) {
    this.#interfaces = interfaces;
    this.#otherUrls = otherUrls;
    this.#current = interfaces[0];
  }

  get current(): Endpoint {
    return this.#current;
  }

  /** The version was refused there (1.0 §3.6.3). False if there is no other interface. */
  refuse(endpoint: Endpoint): boolean {
    if (endpoint !== this.#current) return true;
    const at = this.#interfaces.findIndex(
      ({ binding, version }) => binding === endpoint.binding && version === endpoint.version,
    );
    const next = this.#interfaces.slice(at + 1).find(({ version }) => version !== endpoint.version);
    if (next === undefined) return false;
    this.#current = { ...next, why: `${next.why}; the agent refused ${endpoint.binding} ${endpoint.version}` };
    return true;
  }

  /** Nobody was there. False if there is no other place to look. */
  miss(endpoint: Endpoint): boolean {
    if (endpoint.url !== this.#current.url) return true;
    const url = this.#otherUrls[this.#otherUrls.indexOf(endpoint.url) + 1];
    if (url === undefined || endpoint.binding !== 'JSONRPC') return false;
    const stated = this.#interfaces[0].url;
    this.#current = {
      ...endpoint,
      url,
      why: `${this.#interfaces[0].why}; not at ${stated} as the card says, but at ${url}`,
    };
    return true;
  }
}
