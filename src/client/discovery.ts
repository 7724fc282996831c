import { A2AError } from '../errors.ts';
import type { AgentCard } from '../model/card.ts';
import { classifyCard } from '../wire/classify.ts';
import { type DecodedCard, readCard } from '../wire/read-card.ts';
import type { CallScope } from './call-scope.ts';
import { type CardPlace, type Whereabouts, whereaboutsOf } from './card-places.ts';
import type { Wiring } from './exchange.ts';
import { toPublicError } from './failures.ts';
import { fetchCard, forgetCard, NoCard } from './fetch-card.ts';
import type { ConnectOptions } from './options.ts';
import { trustedCard } from './trusted-card.ts';

/** A card, and where it was found. */
export interface FoundCard extends DecodedCard {
  readonly url: string;
  /** The agent's own address. */
  readonly base: string;
  /** Nobody is where it leads to: it must not be kept. */
  forget(): void;
}

/**
 * Looks for the card of an agent at all the places where one may be.
 *
 * @throws A2AError `DISCOVERY_FAILED` that says what was found instead at each place, `UNAUTHENTICATED`,
 * `PERMISSION_DENIED`, or `TRANSPORT_FAILED`.
 */
export async function findCard(
  wiring: Wiring,
  scope: CallScope,
  given: URL,
  options: ConnectOptions,
): Promise<FoundCard> {
  const whereabouts = whereaboutsOf(given, options.version);
  const isShareable = options.cache !== false && isPlain(options);
  const version = options.version ?? '1.0';
  const found: string[] = [];
  for (const place of whereabouts.cards) {
    try {
      const json = await fetchCard(wiring, scope, { url: place.url, version, isShareable });
      // What is no card at all needs no signature to be left alone.
      const trusted = classifyCard(json) === undefined ? json : await trustedCard(wiring, scope, json);
      const card = await readFound(trusted, wiring, options, whereabouts, place);
      return { ...card, forget: () => forgetCard({ url: place.url, version }) };
    } catch (error) {
      if (!(error instanceof NoCard)) throw toPublicError(scope.explain(error), place.url);
      found.push(error.message);
    }
  }
  throw new A2AError('DISCOVERY_FAILED', `No agent card was found: ${found.join('; ')}`, {
    details: { url: given.href },
  });
}

/** What others fetched in their own way may not be what this client would get. */
function isPlain({ fetch, interceptors, headers, allowOrigins, limits }: ConnectOptions): boolean {
  const isAsUsual = (option: object | undefined): boolean => option === undefined || Object.keys(option).length === 0;
  return fetch === undefined && [interceptors, headers, allowOrigins, limits].every(isAsUsual);
}

async function readFound(
  json: unknown,
  { settings }: Wiring,
  { version }: ConnectOptions,
  { base }: Whereabouts,
  { url, isShared }: CardPlace,
): Promise<Omit<FoundCard, 'forget'>> {
  let decoded: DecodedCard;
  try {
    decoded = await readCard(json, { ...settings.read, ...(version === '0.1' && { unstated: version }) });
  } catch (error) {
    if (!A2AError.is(error) || settings.strict) throw error;
    throw new NoCard(`${url} has no card: ${error.message}`);
  }
  if (isShared && !names(decoded.value, base, url)) throw new NoCard(`${url} has a card of another agent`);
  settings.warn(decoded.warnings);
  return { ...decoded, url, base };
}

/** Whether a card says that the agent is at an address, or below it. */
function names(card: AgentCard, base: string, cardUrl: string): boolean {
  return card.supportedInterfaces.some(({ url }) => {
    if (!URL.canParse(url, cardUrl)) return false;
    const { pathname } = new URL(url, cardUrl);
    const path = new URL(base).pathname;
    return pathname === path || pathname.startsWith(`${path}/`);
  });
}
