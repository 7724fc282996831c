import type { Caller } from '../../engine/handler.ts';
import { A2AError } from '../../errors.ts';
import type { Metrics } from '../../observe/metrics.ts';
import { withTimeout } from '../../support/time/with-timeout.ts';
import type { AgentCards } from '../cards/agent-cards.ts';
import type { CardEndpoint } from '../cards/card-endpoint.ts';
import { noSuchPath, pageFailure, wrongVerb } from '../bindings/error-response.ts';
import { handleExtendedCard } from '../cards/extended-card-endpoint.ts';
import { type HttpRequest, type HttpResponse, jsonResponse, SAFE } from '../../host/http.ts';
import { isThisMachine } from '../../host/limits/address.ts';
import { UNCOUNTED_BYTES } from '../../host/limits/bytes-in-flight.ts';
import { handleCallHint } from './call-hints.ts';
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
import type { Host } from '../../host/host.ts';
import { CALL_HINT_PATH } from '../../host/options/peer-options.ts';
import type { MountedAgent } from '../../host/mounted-agent.ts';

/** Handles all HTTP methods at one path. Never rejects. */
type Page = (request: HttpRequest) => HttpResponse | Promise<HttpResponse>;

/** Endpoints that are not operations of the protocol, by path. */
export type Pages = ReadonlyMap<string, Page>;

const KEYS_HEADERS = { 'cache-control': 'public, max-age=300', 'access-control-allow-origin': '*' } as const;

/** The pages of one agent: its cards. */
export function agentPages(mounted: MountedAgent, cards: AgentCards, rpcPath: string): Pages {
  const { host } = mounted;
  return new Map<string, Page>([
    [CARD_PATH, cardPage(host, cards.endpoint, 'agent-card.json')],
    [OLD_CARD_PATH, cardPage(host, cards.endpoint, 'agent.json')],
    [extendedCardPath(rpcPath), (request) => handleExtendedCard(mounted, request)],
    ...Array.from(
      cards.below,
      ([path, card]) => [cardPathBelow(path), cardPage(host, card, 'agent-card.json')] as const,
    ),
  ]);
}

/** The pages of a host. @param selfPaths The paths of requests of the process to itself. */
export function hostPages(host: Host, selfPaths: readonly string[]): Pages {
  const { metrics } = host.observers;
  const { tokens } = host.outbound;
  const pages = new Map<string, Page>([
    [HEALTH_PATH, probe(() => jsonResponse(200, { status: 'ok' }))],
    [READINESS_PATH, probe(() => readiness(host))],
  ]);
  if (tokens !== undefined)
    pages.set(
      KEYS_PATH,
      probe(async () => jsonResponse(200, await tokens.publicKeys(), KEYS_HEADERS)),
    );
  if (metrics !== undefined) pages.set(METRICS_PATH, (request) => handleMetrics(host, metrics, request));
  pages.set(CALL_HINT_PATH, (request) => handleCallHint(host, request));
  for (const path of selfPaths) pages.set(path, (request) => handleSelfRequest(host, request));
  return pages;
}

/** The page at a path. */
export function pageAt(pages: Pages, path: string): Page | undefined {
  return pages.get(path) ?? (path.startsWith(CALL_HINT_PATH) ? pages.get(CALL_HINT_PATH) : undefined);
}

/** Handles a request for a page. A large response, such as a card with hundreds of skills, counts until it is sent. */
export function handlePage(page: Page, host: Host, request: HttpRequest): HttpResponse | Promise<HttpResponse> {
  const response = page(request);
  return 'then' in response ? response.then((late) => counted(host, request, late)) : counted(host, request, response);
}

function counted({ failures, limits }: Host, request: HttpRequest, response: HttpResponse): HttpResponse {
  const { body } = response;
  const isLarge = typeof body === 'string' && body.length > UNCOUNTED_BYTES;
  if (!isLarge || request.method === 'HEAD' || request.releasesHold !== true) return response;
  const hold = limits.responses.open(request);
  const rejection = hold.take(body.length);
  if (rejection === undefined) return { ...response, hold };
  return pageFailure(failures.publicError(rejection, { request }), request);
}

function handleSelfRequest(host: Host, request: HttpRequest): HttpResponse | Promise<HttpResponse> {
  return host.continuation.handle(request, host.failures) ?? pageFailure(noSuchPath(request), request);
}

function cardPage(host: Host, cards: CardEndpoint, file: 'agent-card.json' | 'agent.json'): Page {
  const { access, failures } = host;
  const protectedCard = async (request: HttpRequest): Promise<HttpResponse> => {
    let caller: Caller | undefined;
    try {
      caller = await access.identify(request);
      access.requireUse(caller);
      request.caller = caller;
    } catch (error) {
      const shown = failures.publicError(error, { request, caller });
      return pageFailure(shown, request, { ...cards.cors(request), ...access.challenge(shown) });
    }
    return cards.handle(file, request);
  };
  return (request) => {
    // Preflight requests of browsers have no credentials.
    const isForAll = !access.protectsCard || request.method === 'OPTIONS';
    return isForAll ? cards.handle(file, request) : protectedCard(request);
  };
}

function probe(respond: () => HttpResponse | Promise<HttpResponse>): Page {
  return (request) => {
    const { method } = request;
    if (method === 'GET' || method === 'HEAD') return respond();
    return pageFailure(wrongVerb(['GET', 'HEAD']), request);
  };
}

/** The agent is ready if its store responds in time. */
async function readiness({ engine, failures, isClosing }: Host): Promise<HttpResponse> {
  if (isClosing()) return jsonResponse(503, { status: 'closing' }, { 'retry-after': '1' });
  try {
    await withTimeout(engine.ready(), READY_MS, () => {
      const cause = new Error(`No response within ${READY_MS} ms`);
      throw new A2AError('UNAVAILABLE', 'The task store did not report in time whether it is ready', { cause });
    });
    return jsonResponse(200, { status: 'ready' });
  } catch (error) {
    failures.publicError(error);
    return jsonResponse(503, { status: 'store unavailable' }, { 'retry-after': '1' });
  }
}

const HEADERS = {
  ...SAFE,
  'content-type': 'text/plain; version=0.0.4; charset=utf-8',
  'cache-control': 'no-store',
} as const;

/** Headers that proxies add. A request through a proxy may come from any machine. */
const PROXY_HEADERS = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via'] as const;

/**
 * Serves metrics to authenticated callers, and to anonymous callers on this machine, because they reveal how much an agent is used.
 * Never rejects.
 */
async function handleMetrics(host: Host, metrics: Metrics, request: HttpRequest): Promise<HttpResponse> {
  const { method } = request;
  let caller: Caller | undefined;
  try {
    caller = await host.access.identify(request);
    host.access.requireUse(caller);
    if (!caller.isVerified && !isFromHere(request)) {
      throw new A2AError(
        'PERMISSION_DENIED',
        'Metrics are available only to authenticated callers and to this machine',
      );
    }
    if (method !== 'GET' && method !== 'HEAD') throw wrongVerb(['GET', 'HEAD']);
    return { status: 200, headers: HEADERS, body: metrics.text() };
  } catch (error) {
    const about = { request, binding: 'HTTP+JSON', caller, operation: 'metrics' } as const;
    const shown = host.failures.publicError(error, about);
    return pageFailure(shown, request, host.access.challenge(shown));
  }
}

function isFromHere(request: HttpRequest): boolean {
  return isThisMachine(request.remoteAddress) && PROXY_HEADERS.every((name) => request.header(name) === undefined);
}
