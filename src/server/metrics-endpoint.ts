import type { Caller } from '../engine/handler.ts';
import { A2AError } from '../errors.ts';
import type { Metrics } from '../observe/metrics.ts';
import { dialectOf } from '../wire/select.ts';
import { restFailure, wrongVerb } from './error-response.ts';
import { type HttpRequest, type HttpResponse, SAFE } from './http.ts';
import type { Service } from './service.ts';

const HEADERS = {
  ...SAFE,
  'content-type': 'text/plain; version=0.0.4; charset=utf-8',
  'cache-control': 'no-store',
} as const;

/** What a proxy leaves on a request. Who comes through one may be anybody. */
const PROXY_HEADERS = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via'] as const;

/**
 * The numbers, for who is known by credentials, where callers have to be; else for this machine alone: they tell how much
 * an agent is used, and by which ways. Never rejects.
 */
export async function answerMetrics(service: Service, metrics: Metrics, request: HttpRequest): Promise<HttpResponse> {
  const { method } = request;
  let caller: Caller | undefined;
  try {
    caller = await service.identify(request);
    service.access.requireUse(caller);
    if (!caller.isVerified && !isFromHere(request)) {
      throw new A2AError('PERMISSION_DENIED', 'Metrics are for this machine, or for callers with credentials');
    }
    if (method !== 'GET' && method !== 'HEAD') throw wrongVerb(['GET', 'HEAD']);
    return { status: 200, headers: HEADERS, body: metrics.text() };
  } catch (error) {
    const about = { request, binding: 'HTTP+JSON', caller, operation: 'metrics' } as const;
    const shown = service.failures.publicError(error, about);
    return restFailure(dialectOf('1.0'), shown, request, service.access.challenge(shown));
  }
}

function isFromHere(request: HttpRequest): boolean {
  const address = request.remoteAddress ?? '';
  const isLocal = address === '::1' || /^(?:::ffff:)?127(?:\.\d{1,3}){3}$/.test(address);
  return isLocal && PROXY_HEADERS.every((name) => request.header(name) === undefined);
}
