import { type Offer, PROFILE_PATHS } from '../wire/offer.ts';
import { type PushOptions, several } from './push-options.ts';
import { RUN_PATH, runPathOf, type ServerlessSettings, SWEEP_PATH } from './serverless-options.ts';

export const CARD_PATH = '/.well-known/agent-card.json';
export const OLD_CARD_PATH = '/.well-known/agent.json';
export const HEALTH_PATH = '/healthz';
export const READINESS_PATH = '/readyz';
export const KEYS_PATH = '/.well-known/jwks.json';
export const METRICS_PATH = '/metrics';

/** Where else cards are: below each path of JSON-RPC but the root, and below the paths of mounted profiles. */
export function cardPathBelow(path: string): string {
  return path + CARD_PATH;
}

/** The paths of JSON-RPC, in the standard form, that have a card below them. */
export function pathsWithCards(rpcPaths: readonly string[]): readonly string[] {
  return rpcPaths.filter((path) => path !== '/');
}

/** How long to wait for what must be ready: who asks does so every few seconds, and gives up about as soon. */
export const READY_MS = 2000;

/** Where 0.2 looks for it, from the address of the agent on: `{url}/../agent/authenticatedExtendedCard` (0.2 §7.9). */
export function extendedCardPath(rpcPath: string): string {
  const place = rpcPath.slice(0, rpcPath.lastIndexOf('/') + 1) || '/';
  return `${place}agent/authenticatedExtendedCard`;
}

export interface PageChoice {
  /** The first is the one that the card names. */
  readonly rpcPaths: readonly [string, ...string[]];
  readonly offer: Offer;
  readonly push: PushOptions | undefined;
  readonly metrics: boolean;
  readonly serverless: ServerlessSettings | undefined;
}

/** Where an agent answers what is no operation of the protocol. Known before it starts; `pages.ts` has what it answers. */
export function pagePaths({ rpcPaths, offer, push, metrics, serverless }: PageChoice): readonly string[] {
  const always = [CARD_PATH, OLD_CARD_PATH, HEALTH_PATH, READINESS_PATH, extendedCardPath(rpcPaths[0])];
  const keys = several(push?.signingKey).length === 0 ? [] : [KEYS_PATH];
  const own = serverless === undefined ? [] : [RUN_PATH, runPathOf(offer), SWEEP_PATH];
  const { profiles = [] } = offer;
  const below = [...pathsWithCards(rpcPaths), ...profiles.map((profile) => PROFILE_PATHS[profile])];
  return [...always, ...below.map(cardPathBelow), ...keys, ...(metrics ? [METRICS_PATH] : []), ...own];
}
