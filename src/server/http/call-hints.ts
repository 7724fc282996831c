import type { Host } from '../../host/host.ts';
import { type HttpRequest, type HttpResponse, SAFE } from '../../host/http.ts';
import { assertTaken } from '../../host/limits/rate-limit.ts';
import { MAX_NAME } from '../../support/name.ts';
import { sha256 } from '../../support/secret/sha256.ts';
import { dialectOf } from '../../wire/select.ts';
import { restFailure, wrongVerb } from '../bindings/error-response.ts';
import { CALL_HINT_PATH } from '../../host/options/peer-options.ts';

/** The header with the token of a push configuration (1.0 §4.3.1). */
const TOKEN_HEADER = 'x-a2a-notification-token';
const MAX_TOKEN = 256;

/** Requests are counted by address, because peers have no credentials here. */
const PEER = { id: 'anonymous', isVerified: false } as const;

const ACCEPTED: HttpResponse = { status: 204, headers: { ...SAFE, 'cache-control': 'no-store' } };
/** The peer should not try again: the call has ended, or was never there. */
const GONE: HttpResponse = { status: 410, headers: { ...SAFE, 'cache-control': 'no-store' } };

/**
 * Handles a notification of a peer about the task of a call. Its content is not read, because anyone could have sent it: a node gets
 * the task with its own credentials. Unknown calls and wrong tokens get the same response. Never rejects.
 */
export async function handleCallHint(host: Host, request: HttpRequest): Promise<HttpResponse> {
  try {
    if (request.method !== 'POST') throw wrongVerb(['POST']);
    assertTaken(await host.limits.rate.take(request, PEER));
    const callId = callIn(request.path ?? '');
    const token = request.header(TOKEN_HEADER) ?? '';
    if (callId === undefined || token === '' || token.length > MAX_TOKEN) return GONE;
    return (await host.onCallHint(callId, await sha256(token), request.waitUntil)) ? ACCEPTED : GONE;
  } catch (error) {
    const shown = host.failures.publicError(error, { request, operation: 'call hint' });
    return restFailure(dialectOf('1.0'), shown, request);
  }
}

function callIn(path: string): string | undefined {
  try {
    const id = decodeURIComponent(path.slice(CALL_HINT_PATH.length));
    return id === '' || id.length > MAX_NAME || id.includes('/') ? undefined : id;
  } catch {
    // Not valid percent-encoding.
    return undefined;
  }
}
