import { A2AError } from '../errors.ts';
import { isDeeperThan } from '../support/json-depth.ts';
import { retryAfterMs } from '../support/retry-after.ts';
import { DEFAULT_LIMITS } from '../wire/reader.ts';
import { parseJson } from './binding.ts';
import { CallScope, withScope } from './call-scope.ts';
import { type FetchedCard, type KeptCard, kept, revalidation, sharedCards } from './card-cache.ts';
import { AuthAttempt } from './credentials.ts';
import { exchange, type Passage, refusedContext, type Wiring } from './exchange.ts';
import { Repeats } from './recovery.ts';
import { DEFAULT_TIMEOUTS } from './settings.ts';
import { chooseTransport } from './transport/choose-transport.ts';
import { TransportFailure, type TransportResponse } from './transport/transport.ts';

/** Statuses of who has too much to do, and of gateways whose agent is just being replaced. */
const PASSING: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Something else than a card is at a place where a card might be. */
export class NoCard extends Error {
  override readonly name = 'NoCard';
}

/** There may be a card later. */
class Busy extends NoCard {
  readonly retryAfterMs: number;

  constructor(message: string, afterMs: number) {
    super(message);
    this.retryAfterMs = afterMs;
  }
}

export interface CardRequest {
  readonly url: string;
  /** The version whose form of the card is wanted, if the agent has several. */
  readonly version: string;
  /** Whether it may come from the memory that all clients share. */
  readonly isShareable: boolean;
}

/**
 * The JSON at the address of a card. First without credentials, for most cards are public and not every place that serves
 * one should get them; where they are asked for, with them.
 *
 * @throws NoCard; A2AError `UNAUTHENTICATED` or `PERMISSION_DENIED`; TransportFailure
 */
export async function fetchCard(wiring: Wiring, scope: CallScope, request: CardRequest): Promise<unknown> {
  try {
    return await fetchPublicCard(wiring, scope, request);
  } catch (error) {
    if (!A2AError.is(error, 'UNAUTHENTICATED') && !A2AError.is(error, 'PERMISSION_DENIED')) throw error;
    if (wiring.credentials === undefined) throw error;
    return fetchPrivateCard(wiring, scope, request);
  }
}

/** The next client that wants this card gets it from the agent itself. */
export function forgetCard(request: Pick<CardRequest, 'url' | 'version'>): void {
  sharedCards.forget(keyOf(request));
}

function keyOf({ url, version }: Pick<CardRequest, 'url' | 'version'>): string {
  return `${version} ${url}`;
}

function fetchPublicCard(wiring: Wiring, scope: CallScope, request: CardRequest): Promise<unknown> {
  if (!request.isShareable) return jsonOf(wiring, passageOf(scope, undefined), request);
  const { clock } = wiring.settings;
  const card = sharedCards.get(keyOf(request), clock.now(), scope.deadline, () => {
    // By connections of its own: its first caller may close his while others still wait.
    const transport = chooseTransport(undefined);
    const own = new CallScope(clock, {}, DEFAULT_TIMEOUTS.discovery);
    const start = async (known: KeptCard | undefined): Promise<FetchedCard> => {
      const passage = passageOf(own, undefined);
      try {
        return await withScope(own, () => revalidated({ ...wiring, transport }, passage, request, known));
      } finally {
        await transport.close();
      }
    };
    return { start, stop: () => own.stop() };
  });
  // What one does with it is no affair of the others.
  return card.then((json) => JSON.parse(JSON.stringify(json)) as unknown);
}

async function fetchPrivateCard(wiring: Wiring, scope: CallScope, request: CardRequest): Promise<unknown> {
  const auth = new AuthAttempt();
  for (;;) {
    try {
      return await jsonOf(wiring, passageOf(scope, auth), request);
    } catch (error) {
      if (!A2AError.is(error, 'UNAUTHENTICATED')) throw error;
      const context = refusedContext(request.url, undefined, undefined);
      const renewal = wiring.credentials?.renew(context, auth) ?? Promise.resolve(false);
      if (!(await scope.deadline.within(renewal))) throw error;
    }
  }
}

function passageOf({ deadline, trace }: CallScope, auth: AuthAttempt | undefined): Passage {
  return { deadline, trace, auth, card: undefined };
}

async function jsonOf(wiring: Wiring, passage: Passage, request: CardRequest): Promise<unknown> {
  return (await revalidated(wiring, passage, request, undefined)).json;
}

/** A card may be asked for again and again. */
async function revalidated(
  wiring: Wiring,
  passage: Passage,
  request: CardRequest,
  known: KeptCard | undefined,
): Promise<FetchedCard> {
  const repeats = new Repeats(wiring.settings, passage.deadline);
  for (;;) {
    try {
      return await fetchOnce(wiring, passage, request, known);
    } catch (error) {
      const isPassing = error instanceof TransportFailure || error instanceof Busy;
      if (!isPassing || passage.deadline.aborted) throw error;
      const failure =
        error instanceof Busy
          ? { isNotTaken: false, askedMs: error.retryAfterMs, isKnown: false }
          : { isNotTaken: error.isRefused, askedMs: 0, isKnown: false };
      if (!(await repeats.next(failure))) throw error;
    }
  }
}

async function fetchOnce(
  wiring: Wiring,
  passage: Passage,
  { url, version }: CardRequest,
  known: KeptCard | undefined,
): Promise<FetchedCard> {
  const { clock, limits } = wiring.settings;
  const headers = { accept: 'application/json', 'a2a-version': version, ...revalidation(known) };
  const response = await exchange(wiring, passage, { operation: 'AgentCard', method: 'GET', url, headers });
  if (response.status === 304 && known !== undefined) {
    response.discard();
    return { json: known.json, keep: kept(known.json, response, clock.now()) };
  }
  if (response.status !== 200) {
    response.discard();
    throw refusal(url, response, clock.now());
  }
  const json = readJson(url, await response.text(limits.maxCardBytes));
  // Checked here because all later code that reads or copies the card is recursive.
  const { maxDepth } = DEFAULT_LIMITS;
  if (isDeeperThan(maxDepth, json)) throw new NoCard(`${url} has JSON of more than ${maxDepth} levels`);
  return { json, keep: kept(json, response, clock.now()) };
}

/** @throws NoCard */
function readJson(url: string, text: string): unknown {
  let json: unknown;
  try {
    json = parseJson(text);
  } catch (error) {
    throw new NoCard(`${url} has something that is not a card: ${(error as Error).message}`);
  }
  if (json === undefined) throw new NoCard(`${url} has something that is not JSON`);
  return json;
}

function refusal(url: string, response: TransportResponse, now: number): Error {
  const { status } = response;
  if (status === 401)
    return new A2AError('UNAUTHENTICATED', `The card at ${url} is only for those who say who they are`);
  if (status === 403) return new A2AError('PERMISSION_DENIED', `The card at ${url} is not for this caller`);
  const message = `${url} answered ${status}`;
  return PASSING.has(status)
    ? new Busy(message, retryAfterMs(response.header('retry-after'), now) ?? 0)
    : new NoCard(message);
}
