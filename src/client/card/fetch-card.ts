import { A2AError } from '../../errors.ts';
import { isDeeperThan } from '../../support/json/json-depth.ts';
import { isRecord } from '../../support/json/to-json.ts';
import { retryAfterMs } from '../../support/net/retry-after.ts';
import { DEFAULT_LIMITS } from '../../wire/decoder.ts';
import { parseJson } from '../request/binding.ts';
import { CallScope, withScope } from '../request/call-scope.ts';
import { type CardFetch, type FetchedCard, type KeptCard, kept, revalidation, sharedCards } from './card-cache.ts';
import { AuthAttempt } from '../auth/credentials.ts';
import { durationText } from '../request/deadline.ts';
import type { NoteFailure } from '../request/shared-requests.ts';
import { exchange, refusedContext, type ClientContext } from '../request/exchange.ts';
import { Repeats } from '../request/recovery.ts';
import { DEFAULT_TIMEOUTS } from '../settings.ts';
import { createHttpClient } from '../../support/http-client/create-http-client.ts';
import { TransportFailure, type OutboundResponse } from '../../support/http-client/http-client.ts';

/** Statuses of busy servers, and of gateways whose agent is being replaced. */
const PASSING: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Error pages of web servers can be long, and contain no reason. */
const MAX_ERROR_BYTES = 4096;

/** There is no card at one of the possible URLs. */
export class NoCard extends Error {
  override readonly name = 'NoCard';
}

/** There is no card now, but there may be one later. */
class Busy extends NoCard {
  readonly retryAfterMs: number;

  constructor(message: string, afterMs: number) {
    super(message);
    this.retryAfterMs = afterMs;
  }
}

export interface CardRequest {
  readonly url: string;
  /** The version of the card to request, if the agent has several. */
  readonly version: string;
  /** Whether to use the cache that all clients share. */
  readonly isShareable: boolean;
}

/**
 * Fetches the JSON of a card. First without credentials, because most cards are public and not every server of a card should get
 * them; then with credentials, if the server requires them.
 *
 * @throws NoCard; A2AError `UNAUTHENTICATED` or `PERMISSION_DENIED`; TransportFailure
 */
export async function fetchCard(context: ClientContext, scope: CallScope, request: CardRequest): Promise<unknown> {
  try {
    return await fetchPublicCard(context, scope, request);
  } catch (error) {
    if (!A2AError.is(error, 'UNAUTHENTICATED') && !A2AError.is(error, 'PERMISSION_DENIED')) throw error;
    if (context.credentials === undefined) throw error;
    return fetchPrivateCard(context, scope, request);
  }
}

/** Removes a card from the cache, so that the next client fetches it again. */
export function forgetCard(request: Pick<CardRequest, 'url' | 'version'>): void {
  sharedCards.forget(keyOf(request));
}

function keyOf({ url, version }: Pick<CardRequest, 'url' | 'version'>): string {
  return `${version} ${url}`;
}

function fetchPublicCard(context: ClientContext, scope: CallScope, request: CardRequest): Promise<unknown> {
  if (!request.isShareable) return jsonOf(context, scope, request);
  const { clock } = context.settings;
  const card = sharedCards.get(keyOf(request), clock.now(), scope.deadline, () => {
    // Uses its own connections, because the first client may be closed while others still wait.
    const http = createHttpClient();
    const limitMs = DEFAULT_TIMEOUTS.discovery;
    const own = new CallScope(clock, {}, limitMs, durationText(limitMs));
    const start: CardFetch['start'] = async (known, noteFailure) => {
      try {
        return await withScope(own, () => revalidated({ ...context, http }, own, request, { known, noteFailure }));
      } finally {
        await http.close();
      }
    };
    return { start, stop: () => own.stop() };
  });
  // Each client gets a copy, because it may change the card.
  return card.then((json) => JSON.parse(JSON.stringify(json)) as unknown);
}

async function fetchPrivateCard(context: ClientContext, scope: CallScope, request: CardRequest): Promise<unknown> {
  const auth = AuthAttempt.of(scope.credentials ?? context.credentials, undefined);
  for (;;) {
    try {
      return await jsonOf(context, scope, request, auth);
    } catch (error) {
      if (auth === undefined || !A2AError.is(error, 'UNAUTHENTICATED')) throw error;
      const authContext = refusedContext(request.url, undefined, undefined);
      if (!(await scope.deadline.within(auth.credentials.renew(authContext, auth)))) throw error;
    }
  }
}

async function jsonOf(
  context: ClientContext,
  scope: CallScope,
  request: CardRequest,
  auth?: AuthAttempt,
): Promise<unknown> {
  return (await revalidated(context, scope, request, { auth })).json;
}

/** A stale card to revalidate, the credentials to send, and a listener for attempts that are repeated. */
interface Given {
  readonly known?: KeptCard | undefined;
  readonly auth?: AuthAttempt | undefined;
  readonly noteFailure?: NoteFailure;
}

/** Fetches or revalidates a card. Repeats the request after failures, which is always safe. */
async function revalidated(
  context: ClientContext,
  scope: CallScope,
  request: CardRequest,
  given: Given,
): Promise<FetchedCard> {
  const { deadline } = scope;
  const repeats = new Repeats(context.settings, deadline);
  for (;;) {
    try {
      return await fetchOnce(context, scope, request, given);
    } catch (error) {
      const isPassing = error instanceof TransportFailure || error instanceof Busy;
      if (!isPassing || deadline.aborted) throw error;
      const { noteFailure = deadline.noteFailure.bind(deadline) } = given;
      noteFailure(error instanceof Busy ? error.message : `${request.url}: ${error.message}`, error);
      const failure =
        error instanceof Busy
          ? { isNotTaken: false, askedMs: error.retryAfterMs, isKnown: false }
          : { isNotTaken: error.isRefused, askedMs: 0, isKnown: false };
      if (!(await repeats.next(failure))) throw error;
    }
  }
}

async function fetchOnce(
  context: ClientContext,
  scope: CallScope,
  { url, version }: CardRequest,
  { known, auth }: Given,
): Promise<FetchedCard> {
  const { clock, limits } = context.settings;
  const headers = { accept: 'application/json', 'a2a-version': version, ...revalidation(known) };
  const request = { operation: 'AgentCard', method: 'GET', url, headers } as const;
  const response = await exchange(context, scope, request, auth);
  if (response.status === 304 && known !== undefined) {
    response.discard();
    return { json: known.json, keep: kept(known.json, response, clock.now()) };
  }
  if (response.status !== 200) {
    throw refusal(url, response, await reasonOf(response), clock.now());
  }
  const json = readJson(url, await response.text(limits.maxCardBytes, 'limits.maxCardBytes'));
  // Checked here because all later code that reads or copies the card is recursive.
  const { maxDepth } = DEFAULT_LIMITS;
  if (isDeeperThan(maxDepth, json)) throw new NoCard(`${url} returned JSON with more than ${maxDepth} levels`);
  return { json, keep: kept(json, response, clock.now()) };
}

/** @throws NoCard */
function readJson(url: string, text: string): unknown {
  let json: unknown;
  try {
    json = parseJson(text);
  } catch (error) {
    throw new NoCard(`${url} returned an invalid card: ${(error as Error).message}`);
  }
  if (json === undefined) throw new NoCard(`${url} returned a body that is not JSON`);
  return json;
}

/** The reason that an agent gives in the body of an error, as text to append. Empty if the body is something else. */
async function reasonOf(response: OutboundResponse): Promise<string> {
  try {
    const json = parseJson(await response.text(MAX_ERROR_BYTES));
    const error = isRecord(json) ? json['error'] : undefined;
    return isRecord(error) && typeof error['message'] === 'string' ? `: ${error['message']}` : '';
  } catch {
    return '';
  }
}

function refusal(url: string, response: OutboundResponse, reason: string, now: number): Error {
  const { status } = response;
  if (status === 401)
    return new A2AError('UNAUTHENTICATED', `The card at ${url} requires authentication. Pass credentials as auth`);
  if (status === 403)
    return new A2AError('PERMISSION_DENIED', `The agent does not show the card at ${url} to this caller`);
  const message = `${url} responded with ${status}${reason}`;
  return PASSING.has(status)
    ? new Busy(message, retryAfterMs(response.header('retry-after'), now) ?? 0)
    : new NoCard(message);
}
