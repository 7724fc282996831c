import { A2AError } from '../../errors.ts';
import { encodeCard } from '../../wire/card/served/card-forms.ts';
import { dialectOf } from '../../wire/select.ts';
import { restFailure, wrongVerb } from '../bindings/error-response.ts';
import { getExtendedAgentCard } from '../operations/operations.ts';
import { type HttpRequest, type HttpResponse, jsonResponse } from '../../host/http.ts';
import { HttpContext } from '../bindings/http-context.ts';
import { withRate } from '../../host/limits/rate-limit.ts';
import { admit, type Admission } from '../../host/admit.ts';
import type { MountedAgent } from '../../host/mounted-agent.ts';

/** In 0.2 the extended card is a page instead of an operation. Never rejects. */
export async function handleExtendedCard(mounted: MountedAgent, request: HttpRequest): Promise<HttpResponse> {
  const dialect = dialectOf('0.2');
  const admission: Admission = { caller: undefined, rate: undefined };
  try {
    const caller = await admit(mounted.host, request, admission);
    if (request.method !== 'GET' && request.method !== 'HEAD') throw wrongVerb(['GET', 'HEAD']);
    const context = new HttpContext(mounted, request, caller, dialect, 'HTTP+JSON');
    const card = encodeCard(await getExtendedAgentCard(mounted, context, {}), '0.2');
    return withRate(jsonResponse(200, card, mounted.extendedCards?.headers), admission.rate);
  } catch (error) {
    if (isAbsent(error))
      return withRate(jsonResponse(404, { error: error.message }, { 'cache-control': 'no-store' }), admission.rate);
    const about = {
      request,
      binding: 'HTTP+JSON',
      caller: admission.caller,
      operation: 'GetExtendedAgentCard',
    } as const;
    const shown = mounted.host.failures.publicError(error, about);
    return withRate(restFailure(dialect, shown, request, mounted.host.access.challenge(shown)), admission.rate);
  }
}

/** Missing pages return 404. */
function isAbsent(error: unknown): error is A2AError {
  return A2AError.is(error, 'UNSUPPORTED_OPERATION') || A2AError.is(error, 'EXTENDED_AGENT_CARD_NOT_CONFIGURED');
}
