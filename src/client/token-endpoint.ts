import { A2AError } from '../errors.ts';
import type { Clock } from '../support/clock.ts';
import { defined } from '../support/defined.ts';
import { isObject } from '../wire/codec.ts';
import { parseJson } from './binding.ts';
import type { Deadline } from './deadline.ts';
import { withRetryAfter } from './failures.ts';
import { type Transport, TransportFailure, type TransportResponse } from './transport/transport.ts';
import type { Trust } from './trust.ts';

/** What it takes to get a token from somewhere. */
export interface TokenTools {
  readonly clock: Clock;
  readonly transport: Transport;
  readonly trust: Trust;
}

/** A token, and when it ceases to be good, if that is known. */
export interface IssuedToken {
  readonly value: string;
  readonly expiresAt: number | undefined;
}

export interface TokenRequest {
  readonly url: URL;
  readonly form: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  /** The address came from a stranger. */
  readonly guarded: boolean;
}

const MAX_BYTES = 64 * 1024;

/**
 * Asks a token endpoint (RFC 6749 §4.4.2). Redirects are not followed: a secret goes where it was meant to go.
 *
 * @throws A2AError `UNAUTHENTICATED` if it refuses, `UNAVAILABLE` if it cannot now, `INVALID_AGENT_RESPONSE` for what is
 * no token, `TRANSPORT_FAILED` if it cannot be reached, `TIMEOUT`.
 */
export async function requestToken(
  { clock, transport }: TokenTools,
  request: TokenRequest,
  deadline: Deadline,
): Promise<IssuedToken> {
  const now = clock.now();
  try {
    const response = await posted(transport, request, deadline);
    const json = parseJson(await response.text(MAX_BYTES));
    if (response.status !== 200) throw refusal(request.url, response, json, now);
    return issued(request.url, json, now);
  } catch (error) {
    throw explained(request.url, deadline.explain(error));
  }
}

/** Once more if the connection broke: it may have been one that the server had just given up, and a token is no harm. */
async function posted(transport: Transport, request: TokenRequest, signal: Deadline): Promise<TransportResponse> {
  const { url, form, guarded } = request;
  const headers = {
    ...request.headers,
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
  };
  const post = (): Promise<TransportResponse> =>
    transport.call({ method: 'POST', url, headers, body: form.toString(), signal, guarded });
  try {
    return await post();
  } catch (error) {
    if (signal.aborted || !(error instanceof TransportFailure)) throw error;
    return post();
  }
}

/** RFC 6749 §5.1. Some write the number as a text. */
function issued(url: URL, json: unknown, now: number): IssuedToken {
  if (!isObject(json)) throw invalid(url, 'did not answer with a JSON object');
  const { access_token: value, token_type: type, expires_in: expires } = json;
  if (typeof value !== 'string' || value === '') throw invalid(url, 'gave no access_token');
  if (typeof type === 'string' && type.toLowerCase() !== 'bearer')
    throw invalid(url, `gave a token of the type ${JSON.stringify(type.slice(0, 50))}, which is not Bearer`);
  const seconds = expires === undefined || expires === null ? Number.NaN : Number(expires);
  return { value, expiresAt: Number.isFinite(seconds) ? now + seconds * 1000 : undefined };
}

/** RFC 6749 §5.2, and what stands in front of such a server. */
function refusal(url: URL, response: TransportResponse, json: unknown, now: number): A2AError {
  const { status } = response;
  const details = { tokenUrl: url.href, status: String(status) };
  if (status >= 500 || status === 429) {
    const error = new A2AError('UNAVAILABLE', `${url.href} answered ${status} for a token`, { details });
    return withRetryAfter(error, response.header('retry-after'), now);
  }
  if (status < 400) return invalid(url, `answered ${status} for a token`);
  const { error, error_description: description } = isObject(json) ? json : {};
  const oauthError = typeof error === 'string' ? error.slice(0, 100) : undefined;
  const why = [oauthError, typeof description === 'string' ? description.slice(0, 500) : undefined];
  const reason = why.filter((each) => each !== undefined).join(': ');
  return new A2AError(
    'UNAUTHENTICATED',
    `${url.href} refused a token: ${reason === '' ? `status ${status}` : reason}`,
    {
      details: defined({ ...details, oauthError }),
    },
  );
}

function invalid(url: URL, what: string): A2AError {
  return new A2AError('INVALID_AGENT_RESPONSE', `${url.href} ${what}`, { details: { tokenUrl: url.href } });
}

/** Nothing of this is about the agent, which has not even been asked. */
function explained(url: URL, error: unknown): unknown {
  const details = { sent: 'no', tokenUrl: url.href };
  if (error instanceof TransportFailure)
    return new A2AError('TRANSPORT_FAILED', `No token from ${url.href}: ${error.message}`, { details, cause: error });
  if (A2AError.is(error, 'TIMEOUT'))
    return new A2AError('TIMEOUT', `No token from ${url.href}: ${error.message}`, { details, cause: error });
  return error;
}
