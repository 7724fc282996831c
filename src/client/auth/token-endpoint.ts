import { A2AError } from '../../errors.ts';
import type { Clock } from '../../support/time/clock.ts';
import { defined } from '../../support/defined.ts';
import { isObject } from '../../wire/codec.ts';
import { parseJson } from '../request/binding.ts';
import type { Deadline } from '../request/deadline.ts';
import { toPublicError, withRetryAfter } from '../request/failures.ts';
import { type HttpClient, TransportFailure, type OutboundResponse } from '../../support/http-client/http-client.ts';
import type { Trust } from '../request/trust.ts';

/** The objects needed to request a token. */
export interface TokenTools {
  readonly clock: Clock;
  readonly http: HttpClient;
  readonly trust: Trust;
}

/** A token and its expiry time, if known. */
export interface IssuedToken {
  readonly value: string;
  readonly expiresAt: number | undefined;
}

export interface TokenRequest {
  readonly url: URL;
  readonly form: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  /** The URL is not trusted, so its host must not resolve to a private network. */
  readonly guarded: boolean;
}

const MAX_BYTES = 64 * 1024;

/**
 * Requests a token (RFC 6749 §4.4.2). Redirects are not followed, because the secret must not reach another host.
 *
 * @throws A2AError `UNAUTHENTICATED` if the server rejects the credentials, `UNAVAILABLE` if it is busy, `INVALID_AGENT_RESPONSE` if
 * the response has no token, `TRANSPORT_FAILED` if the server cannot be reached, `TIMEOUT`.
 */
export async function requestToken(
  { clock, http }: TokenTools,
  request: TokenRequest,
  deadline: Deadline,
): Promise<IssuedToken> {
  const now = clock.now();
  try {
    const response = await posted(http, request, deadline);
    const json = parseJson(await response.text(MAX_BYTES));
    if (response.status !== 200) throw refusal(request.url, response, json, now);
    return issued(request.url, json, now);
  } catch (error) {
    throw explained(request.url, deadline.explain(error));
  }
}

/** Repeats the request once if the connection broke, because the server may have just closed it and a second token is harmless. */
async function posted(http: HttpClient, request: TokenRequest, signal: Deadline): Promise<OutboundResponse> {
  const { url, form, guarded } = request;
  const headers = {
    ...request.headers,
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
  };
  const post = (): Promise<OutboundResponse> =>
    http.call({ method: 'POST', url, headers, body: form.toString(), signal, guarded });
  try {
    return await post();
  } catch (error) {
    if (signal.aborted || !(error instanceof TransportFailure)) throw error;
    return post();
  }
}

/** RFC 6749 §5.1. Some servers send `expires_in` as a string. */
function issued(url: URL, json: unknown, now: number): IssuedToken {
  if (!isObject(json)) throw invalid(url, 'expected a JSON object');
  const { access_token: value, token_type: type, expires_in: expires } = json;
  if (typeof value !== 'string' || value === '') throw invalid(url, 'expected access_token, got none');
  if (typeof type === 'string' && type.toLowerCase() !== 'bearer')
    throw invalid(url, `expected the token type Bearer, got ${JSON.stringify(type.slice(0, 50))}`);
  const seconds = expires === undefined || expires === null ? Number.NaN : Number(expires);
  return { value, expiresAt: Number.isFinite(seconds) ? now + seconds * 1000 : undefined };
}

/** RFC 6749 §5.2, and the errors of proxies. */
function refusal(url: URL, response: OutboundResponse, json: unknown, now: number): A2AError {
  const { status } = response;
  const details = { tokenUrl: url.href, status: String(status) };
  if (status >= 500 || status === 429) {
    const error = new A2AError('UNAVAILABLE', `The token endpoint ${url.href} responded with ${status}`, { details });
    return withRetryAfter(error, response.header('retry-after'), now);
  }
  if (status < 400) return invalid(url, `expected status 200, got ${status}`);
  const { error, error_description: description } = isObject(json) ? json : {};
  const oauthError = typeof error === 'string' ? error.slice(0, 100) : undefined;
  const why = [oauthError, typeof description === 'string' ? description.slice(0, 500) : undefined];
  const reason = why.filter((each) => each !== undefined).join(': ');
  return new A2AError(
    'UNAUTHENTICATED',
    `The token endpoint ${url.href} rejected the client: ${reason === '' ? `status ${status}` : reason}`,
    {
      details: defined({ ...details, oauthError }),
    },
  );
}

function invalid(url: URL, what: string): A2AError {
  const message = `Invalid response of the token endpoint ${url.href}: ${what}`;
  return new A2AError('INVALID_AGENT_RESPONSE', message, { details: { tokenUrl: url.href } });
}

/** Adds the token endpoint to connection errors and timeouts. `sent` is `no`, because nothing was sent to the agent. */
function explained(url: URL, error: unknown): unknown {
  const details = { sent: 'no', tokenUrl: url.href };
  if (error instanceof TransportFailure)
    return new A2AError('TRANSPORT_FAILED', `Could not get a token from ${url.href}: ${error.message}`, {
      details,
      cause: error,
    });
  if (A2AError.is(error, 'TIMEOUT'))
    return new A2AError('TIMEOUT', `Could not get a token from ${url.href}: ${error.message}`, {
      details,
      cause: error,
    });
  return toPublicError(error, url.href);
}
