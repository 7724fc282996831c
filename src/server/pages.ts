import type { Caller } from '../engine/handler.ts';
import { A2AError } from '../errors.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { NotificationTokens } from '../push/notification-tokens.ts';
import { inTime } from '../support/in-time.ts';
import type { Offer } from '../wire/offer.ts';
import { dialectOf } from '../wire/select.ts';
import type { AgentCards } from './agent-cards.ts';
import type { CardEndpoint } from './card-endpoint.ts';
import { noSuchPath, restFailure, wrongVerb } from './error-response.ts';
import { answerExtendedCard } from './extended-card-endpoint.ts';
import { type HttpRequest, type HttpResponse, jsonResponse } from './http.ts';
import { UNCOUNTED_BYTES } from './limits/bytes-in-flight.ts';
import { answerMetrics } from './metrics-endpoint.ts';
import {
  CARD_PATH,
  cardPathBelow,
  extendedCardPath,
  HEALTH_PATH,
  KEYS_PATH,
  METRICS_PATH,
  OLD_CARD_PATH,
  READINESS_PATH,
  READY_MS,
} from './page-paths.ts';
import { RUN_PATH, runPathOf, type ServerlessSettings, SWEEP_PATH } from './serverless-options.ts';
import type { Service } from './service.ts';

/** Answers all verbs at one path. Never rejects. */
type Page = (service: Service, request: HttpRequest) => HttpResponse | Promise<HttpResponse>;

export interface PageOptions {
  readonly cards: Pick<AgentCards, 'endpoint' | 'below'>;
  /** The path of JSON-RPC that the card names. */
  readonly rpcPath: string;
  /** Has the keys that receivers check notifications by, if there are any. */
  readonly tokens: NotificationTokens | undefined;
  readonly metrics: Metrics | undefined;
  readonly offer: Offer;
  /** How it works between requests, if the host lets it work only during them. */
  readonly serverless: ServerlessSettings | undefined;
}

/** What an agent answers that is no operation of the protocol, by path. */
export type Pages = ReadonlyMap<string, Page>;

const KEYS_HEADERS = { 'cache-control': 'public, max-age=300', 'access-control-allow-origin': '*' } as const;

export function createPages({ cards, rpcPath, tokens, metrics, offer, serverless }: PageOptions): Pages {
  const pages = new Map<string, Page>([
    [CARD_PATH, cardPage(cards.endpoint, 'agent-card.json')],
    [OLD_CARD_PATH, cardPage(cards.endpoint, 'agent.json')],
    [HEALTH_PATH, probe(() => jsonResponse(200, { status: 'ok' }))],
    [READINESS_PATH, probe(readiness)],
    [extendedCardPath(rpcPath), answerExtendedCard],
  ]);
  for (const [path, card] of cards.below) pages.set(cardPathBelow(path), cardPage(card, 'agent-card.json'));
  if (tokens !== undefined) {
    const keys = probe(async () => jsonResponse(200, await tokens.publicKeys(), KEYS_HEADERS));
    pages.set(KEYS_PATH, keys);
  }
  if (metrics !== undefined) pages.set(METRICS_PATH, (service, request) => answerMetrics(service, metrics, request));
  if (serverless !== undefined) {
    for (const path of [RUN_PATH, runPathOf(offer)]) {
      pages.set(path, (service, request) => answerOwn(service, request, 'run'));
    }
    pages.set(SWEEP_PATH, (service, request) => answerOwn(service, request, 'sweep'));
  }
  return pages;
}

/** Answers with a page. A large one, such as a card with hundreds of skills, counts until it is sent. */
export function answerPage(page: Page, service: Service, request: HttpRequest): HttpResponse | Promise<HttpResponse> {
  const response = page(service, request);
  return 'then' in response
    ? response.then((late) => counted(service, request, late))
    : counted(service, request, response);
}

function counted({ failures, limits }: Service, request: HttpRequest, response: HttpResponse): HttpResponse {
  const { body } = response;
  const isLarge = typeof body === 'string' && body.length > UNCOUNTED_BYTES;
  if (!isLarge || request.method === 'HEAD' || request.releasesHold !== true) return response;
  const hold = limits.responses.open(request);
  const refusal = hold.take(body.length);
  if (refusal === undefined) return { ...response, hold };
  return restFailure(dialectOf('1.0'), failures.publicError(refusal, { request }), request);
}

function answerOwn(
  service: Service,
  request: HttpRequest,
  what: 'run' | 'sweep',
): HttpResponse | Promise<HttpResponse> {
  return (
    service.serverless?.answer(service, request, what) ?? restFailure(dialectOf('1.0'), noSuchPath(request), request)
  );
}

function cardPage(cards: CardEndpoint, file: 'agent-card.json' | 'agent.json'): Page {
  const protectedCard = async ({ access, failures }: Service, request: HttpRequest): Promise<HttpResponse> => {
    let caller: Caller | undefined;
    try {
      caller = await access.identify(request);
      access.requireUse(caller);
      request.caller = caller;
    } catch (error) {
      const shown = failures.publicError(error, { request, caller });
      return restFailure(dialectOf('1.0'), shown, request, { ...cards.cors(request), ...access.challenge(shown) });
    }
    return cards.answer(file, request);
  };
  return (service, request) => {
    // A browser asks without credentials whether it may ask with them.
    const isForAll = !service.access.protectsCard || request.method === 'OPTIONS';
    return isForAll ? cards.answer(file, request) : protectedCard(service, request);
  };
}

function probe(answer: (service: Service) => HttpResponse | Promise<HttpResponse>): Page {
  return (service, request) => {
    const { method } = request;
    if (method === 'GET' || method === 'HEAD') return answer(service);
    return restFailure(dialectOf('1.0'), wrongVerb(['GET', 'HEAD']), request);
  };
}

/** Ready is who can answer: the store must too, and soon. */
async function readiness({ engine, failures, isClosing }: Service): Promise<HttpResponse> {
  if (isClosing()) return jsonResponse(503, { status: 'closing' }, { 'retry-after': '1' });
  try {
    await inTime(engine.ready(), READY_MS, () => {
      const cause = new Error(`No answer within ${READY_MS} ms`);
      throw new A2AError('UNAVAILABLE', 'The task store does not say whether it is ready', { cause });
    });
    return jsonResponse(200, { status: 'ready' });
  } catch (error) {
    failures.publicError(error);
    return jsonResponse(503, { status: 'store unavailable' }, { 'retry-after': '1' });
  }
}
