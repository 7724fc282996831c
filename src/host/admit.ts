import type { Caller } from '../engine/handler.ts';
import type { Host } from './host.ts';
import type { HttpRequest } from './http.ts';
import { assertTaken, type RateStatus } from './limits/rate-limit.ts';

/** The facts about a request that are known so far, also if it is rejected. */
export interface Admission {
  caller: Caller | undefined;
  /** The quota of the caller after this request, if it is limited. */
  rate: RateStatus | undefined;
}

/**
 * Admits a request for an operation, for all bindings: authenticates the caller, counts the request, and checks what every
 * caller needs. The body is not read yet. Returns a promise only if needed, because awaiting one delays every request.
 *
 * @throws A2AError for the caller.
 */
export function admit(host: Host, request: HttpRequest, admission: Admission): Caller | Promise<Caller> {
  const identified = host.access.identify(request);
  if ('then' in identified) return identified.then((caller) => count(host, request, admission, caller));
  return count(host, request, admission, identified);
}

function count(host: Host, request: HttpRequest, admission: Admission, caller: Caller): Caller | Promise<Caller> {
  admission.caller = caller;
  const taken = host.limits.rate.take(request, caller);
  if (taken !== undefined && 'then' in taken)
    return taken.then((rate) => allow(host, request, admission, caller, rate));
  return allow(host, request, admission, caller, taken);
}

function allow(
  host: Host,
  request: HttpRequest,
  admission: Admission,
  caller: Caller,
  rate: RateStatus | undefined,
): Caller {
  admission.rate = rate;
  assertTaken(rate);
  host.access.requireUse(caller);
  request.caller = caller;
  host.limits.responses.assertRoom(request);
  return caller;
}
