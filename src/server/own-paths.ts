import { matchFlatTask, type Offer, offersBinding } from '../wire/offer.ts';
import { matchRest } from '../wire/rest-routes.ts';
import { pathBelow } from './base-url.ts';
import { pagePaths } from './page-paths.ts';
import type { PushOptions } from './push-options.ts';
import type { ServerlessSettings } from './serverless-options.ts';

export interface PathOptions {
  /** What paths begin with before the mount takes it off. */
  readonly basePath: string;
  readonly rpcPaths: readonly [string, ...string[]];
  readonly offer: Offer;
  readonly push: PushOptions | undefined;
  readonly metrics: boolean;
  readonly serverless: ServerlessSettings | undefined;
  /** Whether pages of other origins may call. */
  readonly cors: object | undefined;
}

/** What stands under these names is ours, now or later, so no tenant can have them. */
const OWN_NAMES = ['agent', 'agents', 'healthz', 'readyz', 'metrics', 'openapi.json', 'console', '_tandem'];

/** Which paths, from the mount on, are an agent's. */
export class OwnPaths {
  /** Names that are no tenants'. */
  readonly reserved: ReadonlySet<string>;
  readonly #rpc: ReadonlySet<string>;
  readonly #pages: ReadonlySet<string>;
  readonly #options: PathOptions;

  constructor(options: PathOptions) {
    const { rpcPaths, offer } = options;
    const ownRpc = offersBinding(offer, 'JSONRPC') ? rpcPaths : [];
    this.reserved = new Set([...OWN_NAMES, ...rpcPaths.map((path) => path.split('/')[1] ?? '')]);
    this.#rpc = new Set(ownRpc.flatMap((path) => (path === '/' ? ['/'] : [path, `${path}/`])));
    this.#pages = new Set(pagePaths(options));
    this.#options = options;
  }

  /** Whether JSON-RPC is spoken there. */
  isRpc(path: string): boolean {
    return this.#rpc.has(path);
  }

  /** At the mount itself only JSON-RPC and its preflight requests are the agent's: a page there belongs to the application. */
  has(path: string, method: string): boolean {
    const isCall = method === 'POST' || (method === 'OPTIONS' && this.#options.cors !== undefined);
    if (path === '/') return isCall && this.#rpc.has(path);
    if (this.#rpc.has(path) || this.#pages.has(path)) return true;
    if (!offersBinding(this.#options.offer, 'HTTP+JSON')) return false;
    const match = matchRest('GET', path);
    if (match !== undefined) return match.tenant === undefined || !this.reserved.has(match.tenant);
    return ['POST', 'GET'].some((verb) => matchFlatTask(verb, path, this.#options.offer) !== undefined);
  }

  /** As `has`, of a path that still has what `basePath` takes off. */
  hasWhole(path: string, method: string): boolean {
    const below = pathBelow(this.#options.basePath, path);
    return below !== undefined && this.has(below, method);
  }
}
