import { type Offer, PROFILE_PATHS } from '../../wire/offer.ts';
import { type PushSettings, several } from '../../host/options/push-options.ts';

export const CARD_PATH = '/.well-known/agent-card.json';
export const OLD_CARD_PATH = '/.well-known/agent.json';
export const HEALTH_PATH = '/healthz';
export const READINESS_PATH = '/readyz';
export const KEYS_PATH = '/.well-known/jwks.json';
export const METRICS_PATH = '/metrics';

/** The path of further cards: below each JSON-RPC path except the root, and below the paths of mounted profiles. */
export function cardPathBelow(path: string): string {
  return path + CARD_PATH;
}

/** The standard JSON-RPC paths that have a card below them. */
export function pathsWithCards(rpcPaths: readonly string[]): readonly string[] {
  return rpcPaths.filter((path) => path !== '/');
}

/** The time limit of a readiness probe. Orchestrators probe every few seconds and time out about as soon. */
export const READY_MS = 2000;

/** The path of the extended card in 0.2, relative to the URL of the agent: `{url}/../agent/authenticatedExtendedCard` (0.2 §7.9). */
export function extendedCardPath(rpcPath: string): string {
  const folder = rpcPath.slice(0, rpcPath.lastIndexOf('/') + 1) || '/';
  return `${folder}agent/authenticatedExtendedCard`;
}

export interface PageChoice {
  readonly rpcPaths: readonly [string, ...string[]];
  readonly offer: Offer;
  readonly push: Pick<PushSettings, 'signingKey'>;
  readonly metrics: boolean;
  /** The paths of requests of the process to itself. */
  readonly selfPaths: readonly string[];
}

/** The paths of the pages of one agent. Known before the start; `pages.ts` implements them. */
export function agentPagePaths({ rpcPaths, offer: { profiles = [] } }: PageChoice): readonly string[] {
  const below = [...pathsWithCards(rpcPaths), ...profiles.map((profile) => PROFILE_PATHS[profile])];
  return [CARD_PATH, OLD_CARD_PATH, extendedCardPath(rpcPaths[0]), ...below.map(cardPathBelow)];
}

/** The paths of the pages of a host. */
export function hostPagePaths({ push, metrics, selfPaths }: PageChoice): readonly string[] {
  const keys = several(push.signingKey).length === 0 ? [] : [KEYS_PATH];
  return [HEALTH_PATH, READINESS_PATH, ...keys, ...(metrics ? [METRICS_PATH] : []), ...selfPaths];
}
