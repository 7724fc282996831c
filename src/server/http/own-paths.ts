import { matchFlatTask, type Offer, offersBinding, PROFILE_PATHS, profileOffer } from '../../wire/offer.ts';
import { matchRest } from '../../wire/rest/rest-routes.ts';
import { pathBelow } from './base-url.ts';
import { type PageChoice, pagePaths } from './page-paths.ts';

export interface PathOptions extends PageChoice {
  readonly basePath: string;
  /** Set if pages of other origins can call. */
  readonly cors: object | undefined;
}

/** Names that are reserved for endpoints, now or later, so no tenant can have them. */
const OWN_NAMES = ['agent', 'agents', 'healthz', 'readyz', 'metrics', 'openapi.json', 'console', '_tandem'];

/** The paths that an agent serves, relative to its mount point. */
export class OwnPaths {
  readonly reserved: ReadonlySet<string>;
  readonly #rpc: ReadonlyMap<string, Offer>;
  readonly #pages: ReadonlySet<string>;
  readonly #options: PathOptions;

  constructor(options: PathOptions) {
    const { rpcPaths, offer } = options;
    const { profiles = [] } = offer;
    const standard = offersBinding(offer, 'JSONRPC') ? rpcPaths.map((path) => [path, offer] as const) : [];
    const ofProfiles = profiles
      .map((profile) => [PROFILE_PATHS[profile], profileOffer(profile)] as const)
      .filter(([, own]) => offersBinding(own, 'JSONRPC'));
    const taken = [...rpcPaths, ...profiles.map((profile) => PROFILE_PATHS[profile])];
    this.reserved = new Set([...OWN_NAMES, ...taken.map((path) => path.split('/')[1] ?? '')]);
    this.#rpc = new Map(
      [...standard, ...ofProfiles].flatMap(([path, own]) =>
        (path === '/' ? ['/'] : [path, `${path}/`]).map((each) => [each, own] as const),
      ),
    );
    this.#pages = new Set(pagePaths(options));
    this.#options = options;
  }

  /** The offer of a JSON-RPC path; undefined for other paths. */
  rpcOffer(path: string): Offer | undefined {
    return this.#rpc.get(path);
  }

  /** At the mount point itself the agent serves only JSON-RPC and its preflight requests; a page there belongs to the application. */
  has(path: string, method: string): boolean {
    const isCall = method === 'POST' || (method === 'OPTIONS' && this.#options.cors !== undefined);
    if (path === '/') return isCall && this.#rpc.has(path);
    if (this.#rpc.has(path) || this.#pages.has(path)) return true;
    const { offer } = this.#options;
    if (['POST', 'GET'].some((verb) => matchFlatTask(verb, path, offer) !== undefined)) return true;
    const match = offersBinding(offer, 'HTTP+JSON') ? matchRest('GET', path) : undefined;
    return match !== undefined && (match.tenant === undefined || !this.reserved.has(match.tenant));
  }

  /** Like `has`, for a path that still includes `basePath`. */
  hasWhole(path: string, method: string): boolean {
    const below = pathBelow(this.#options.basePath, path);
    return below !== undefined && this.has(below, method);
  }
}
