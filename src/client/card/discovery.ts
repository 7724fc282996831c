import { A2AError } from '../../errors.ts';
import type { AgentCard } from '../../model/card.ts';
import { classifyCard } from '../../wire/classify.ts';
import { type DecodedCard, readCard } from '../../wire/card/read-card.ts';
import type { CallScope } from '../request/call-scope.ts';
import { type CardLocation, type CardSource, cardSourceOf } from './card-locations.ts';
import type { ClientContext } from '../request/exchange.ts';
import { toPublicError } from '../request/failures.ts';
import { fetchCard, forgetCard, NoCard } from './fetch-card.ts';
import type { ConnectOptions } from '../options.ts';
import { trustedCard } from './trusted-card.ts';

/** A card and where it was found. */
export interface FoundCard extends DecodedCard {
  /** The URL of the card. */
  readonly url: string;
  /** The agent's own address. */
  readonly base: string;
  /** Removes the card from the cache, because no agent is at the address that it names. */
  forget(): void;
}

/**
 * Looks for the card of an agent at all its possible URLs.
 *
 * @throws A2AError `DISCOVERY_FAILED` with the problem at each URL, `UNAUTHENTICATED`, `PERMISSION_DENIED`, or `TRANSPORT_FAILED`.
 */
export async function findCard(
  context: ClientContext,
  scope: CallScope,
  given: URL,
  options: ConnectOptions,
): Promise<FoundCard> {
  const source = cardSourceOf(given, options.version);
  const isShareable = options.cache !== false && isPlain(options);
  const version = options.version ?? '1.0';
  const found: string[] = [];
  for (const location of source.cards) {
    try {
      const json = await fetchCard(context, scope, { url: location.url, version, isShareable });
      // JSON that is not a card is skipped, so its signature is not checked.
      const trusted = classifyCard(json) === undefined ? json : await trustedCard(context, scope, json);
      const card = await readFound(trusted, context, options, source, location);
      return { ...card, forget: () => forgetCard({ url: location.url, version }) };
    } catch (error) {
      if (!(error instanceof NoCard)) throw toPublicError(scope.explain(error), location.url);
      found.push(error.message);
    }
  }
  throw new A2AError('DISCOVERY_FAILED', `No agent card was found: ${found.join('; ')}`, {
    details: { url: given.href },
  });
}

/** Whether the options cannot change the card, so that this client may share it with others. */
function isPlain({ fetch, interceptors, headers, allowOrigins, limits }: ConnectOptions): boolean {
  const isAsUsual = (option: object | undefined): boolean => option === undefined || Object.keys(option).length === 0;
  return fetch === undefined && [interceptors, headers, allowOrigins, limits].every(isAsUsual);
}

async function readFound(
  json: unknown,
  { settings }: ClientContext,
  { version }: ConnectOptions,
  { base }: CardSource,
  { url, isShared }: CardLocation,
): Promise<Omit<FoundCard, 'forget'>> {
  let decoded: DecodedCard;
  try {
    decoded = await readCard(json, { ...settings.read, ...(version === '0.1' && { unstated: version }) });
  } catch (error) {
    if (!A2AError.is(error) || settings.strict) throw error;
    throw new NoCard(`${url} returned an invalid card: ${error.message}`);
  }
  if (isShared && !names(decoded.value, base, url)) throw new NoCard(`${url} returned the card of another agent`);
  settings.warn(decoded.warnings);
  return { ...decoded, url, base };
}

/** Whether a card has an interface at an address or below it. */
function names(card: AgentCard, base: string, cardUrl: string): boolean {
  return card.supportedInterfaces.some(({ url }) => {
    if (!URL.canParse(url, cardUrl)) return false;
    const { pathname } = new URL(url, cardUrl);
    const path = new URL(base).pathname;
    return pathname === path || pathname.startsWith(`${path}/`);
  });
}
