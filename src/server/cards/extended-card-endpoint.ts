import type { Caller } from '../../engine/handler.ts';
import { A2AError } from '../../errors.ts';
import { encodeCard } from '../../wire/card/served/card-forms.ts';
import { dialectOf } from '../../wire/select.ts';
import { restFailure, wrongVerb } from '../bindings/error-response.ts';
import { getExtendedAgentCard } from '../operations/operations.ts';
import { type HttpRequest, type HttpResponse, jsonResponse } from '../../host/http.ts';
import { HttpContext } from '../bindings/http-context.ts';
import { assertTaken, type RateStatus, withRate } from '../../host/limits/rate-limit.ts';
import type { Service } from '../service.ts';

/** In 0.2 the extended card is a page instead of an operation. Never rejects. */
export async function handleExtendedCard(service: Service, request: HttpRequest): Promise<HttpResponse> {
  const dialect = dialectOf('0.2');
  let caller: Caller | undefined;
  let rate: RateStatus | undefined;
  try {
    caller = await service.identify(request);
    rate = await service.limits.rate.take(request, caller);
    assertTaken(rate);
    service.access.requireUse(caller);
    request.caller = caller;
    if (request.method !== 'GET' && request.method !== 'HEAD') throw wrongVerb(['GET', 'HEAD']);
    const context = new HttpContext(service, request, caller, dialect, 'HTTP+JSON');
    const card = encodeCard(await getExtendedAgentCard(service, context, {}), '0.2');
    return withRate(jsonResponse(200, card, service.extendedCards?.headers), rate);
  } catch (error) {
    if (isAbsent(error))
      return withRate(jsonResponse(404, { error: error.message }, { 'cache-control': 'no-store' }), rate);
    const about = { request, binding: 'HTTP+JSON', caller, operation: 'GetExtendedAgentCard' } as const;
    const shown = service.failures.publicError(error, about);
    return withRate(restFailure(dialect, shown, request, service.access.challenge(shown)), rate);
  }
}

/** Missing pages return 404. */
function isAbsent(error: unknown): error is A2AError {
  return A2AError.is(error, 'UNSUPPORTED_OPERATION') || A2AError.is(error, 'EXTENDED_AGENT_CARD_NOT_CONFIGURED');
}
