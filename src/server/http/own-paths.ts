import { matchFlatTask, type Offer, offersBinding, PROFILE_PATHS, profileOffer } from '../../wire/offer.ts';
import { matchRest } from '../../wire/rest/rest-routes.ts';
import { CALL_HINT_PATH } from '../../host/options/peer-options.ts';
import { pathBelow } from './base-url.ts';
import { agentPagePaths, hostPagePaths, type PageChoice } from './page-paths.ts';

export interface PathOptions extends PageChoice {
  readonly basePath: string;
  /** Set if pages of other origins can call. */
  readonly cors: object | undefined;
}

/** Names that are reserved for endpoints, now or later, so no tenant can have them. */
const OWN_NAMES = ['agent', 'agents', 'healthz', 'readyz', 'metrics', 'openapi.json', 'console', '_tandem'];

/** The paths that an agent serves, relative to its mount point. They are the same for all agents of a host. */
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
    this.#pages = new Set(agentPagePaths(options));
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
}

/** The path below which the host mounts several agents, each at its id. */
const MOUNTS = '/a/';

/** A path below the mount point of one of several agents. */
export interface MountedPath {
  readonly id: string;
  readonly below: string;
}

/** Where a host mounts one of several agents. */
export function mountOf(id: string): string {
  return MOUNTS + encodeURIComponent(id);
}

export function mountedPath(path: string): MountedPath | undefined {
  if (!path.startsWith(MOUNTS)) return undefined;
  const end = path.indexOf('/', MOUNTS.length);
  const name = end < 0 ? path.slice(MOUNTS.length) : path.slice(MOUNTS.length, end);
  try {
    return { id: decodeURIComponent(name), below: end < 0 ? '/' : path.slice(end) };
  } catch {
    // Not valid percent-encoding.
    return undefined;
  }
}

/** The paths that a handler serves, relative to its mount point: one agent at the root, or several, each at its own path. */
export class HandlerPaths {
  /** The paths of each agent. */
  readonly ofAgent: OwnPaths;
  readonly #basePath: string;
  readonly #pages: ReadonlySet<string>;
  /** The ids of the agents, if there are several. */
  readonly #mounted: ReadonlySet<string> | undefined;

  constructor(ids: readonly string[], options: PathOptions) {
    this.ofAgent = new OwnPaths(options);
    this.#basePath = options.basePath;
    this.#pages = new Set(hostPagePaths(options));
    this.#mounted = ids.length > 1 ? new Set(ids) : undefined;
  }

  has(path: string, method: string): boolean {
    if (this.#pages.has(path) || path.startsWith(CALL_HINT_PATH)) return true;
    if (this.#mounted === undefined) return this.ofAgent.has(path, method);
    const mounted = mountedPath(path);
    return mounted !== undefined && this.#mounted.has(mounted.id) && this.ofAgent.has(mounted.below, method);
  }

  /** Like `has`, for a path that still includes `basePath`. */
  hasWhole(path: string, method: string): boolean {
    const below = pathBelow(this.#basePath, path);
    return below !== undefined && this.has(below, method);
  }
}
