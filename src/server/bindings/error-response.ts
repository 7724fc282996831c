import { A2AError, type ErrorCode, ERRORS } from '../../errors.ts';
import type { Dialect } from '../../wire/dialect.ts';
import { encodeError, type JsonRpcId } from '../../wire/jsonrpc.ts';
import { dialectOf } from '../../wire/select.ts';
import { encodeSse } from '../../wire/sse/sse-encoder.ts';
import { type HttpRequest, type HttpResponse, JSON_HEADERS, SAFE } from '../../host/http.ts';
import { STREAM_HEADERS } from '../http/stream-headers.ts';

/** Over JSON-RPC, protocol errors have status 200. These errors concern the HTTP exchange and have their own status. */
const EXCHANGE_ERRORS: ReadonlySet<ErrorCode> = new Set([
  'UNAUTHENTICATED',
  'PERMISSION_DENIED',
  'REQUEST_TIMEOUT',
  'RATE_LIMIT_EXCEEDED',
  'UNAVAILABLE',
]);

type MoreHeaders = HttpResponse['headers'] | undefined;

export function rpcFailure(dialect: Dialect, id: JsonRpcId, error: A2AError, more?: MoreHeaders): HttpResponse {
  return {
    status: dialect.errors.rpcStatus?.(error) ?? rpcStatus(error),
    headers: { ...JSON_HEADERS, ...retryHeader(error), ...more },
    body: JSON.stringify(encodeError(id, dialect.errors.encodeRpc(error))),
  };
}

/** For a caller that accepts only `text/event-stream`, if its stream fails before the first event. */
export function rpcStreamFailure(dialect: Dialect, id: JsonRpcId, error: A2AError, more?: MoreHeaders): HttpResponse {
  const failure = rpcFailure(dialect, id, error, more);
  // Another status already shows that the stream failed.
  if (failure.status !== 200) return failure;
  if (dialect.earlyStreamError === 'status') return { ...failure, status: dialect.errors.encodeRest(error).status };
  const data = JSON.stringify(encodeError(dialect.streamItemId ?? id, dialect.errors.encodeRpc(error)));
  return { status: 200, headers: { ...STREAM_HEADERS, ...retryHeader(error), ...more }, body: encodeSse({ data }) };
}

export function restFailure(
  dialect: Dialect,
  error: A2AError,
  request: Pick<HttpRequest, 'header'> | undefined,
  more?: MoreHeaders,
): HttpResponse {
  const { status, body } = dialect.errors.encodeRest(error);
  const { allow } = error.details;
  return {
    status,
    headers: {
      ...SAFE,
      'content-type': acceptsPlainJson(request) ? 'application/json' : dialect.mediaType,
      'cache-control': 'no-store',
      ...retryHeader(error),
      ...(allow !== undefined && { allow }),
      ...more,
    },
    body: JSON.stringify(body),
  };
}

/** For requests that belong to neither binding: in the REST format, because every client understands an HTTP status. */
export function pageFailure(
  error: A2AError,
  request: Pick<HttpRequest, 'header'> | undefined,
  more?: MoreHeaders,
): HttpResponse {
  return restFailure(dialectOf('1.0'), error, request, more);
}

/**
 * Whether a caller specifies the types that it accepts without `application/a2a+json`. The Go SDK reads a REST error only if it is
 * `application/json`, even if it requests `text/event-stream`.
 */
function acceptsPlainJson(request: Pick<HttpRequest, 'header'> | undefined): boolean {
  const types = request
    ?.header('accept')
    ?.split(',')
    .map((range) => /^\s*([^\s;]*)/.exec(range)?.[1]?.toLowerCase());
  if (types === undefined || types.includes('application/a2a+json')) return false;
  return types.includes('application/json') || !types.some((type) => type === '*/*' || type === 'application/*');
}

export function wrongVerb(allow: readonly string[]): A2AError {
  const verbs = [...new Set(allow)].join(', ');
  return new A2AError('METHOD_NOT_ALLOWED', `Method not allowed. Use ${verbs}`, { details: { allow: verbs } });
}

export function noSuchPath({ method, path }: Pick<HttpRequest, 'method' | 'path'>): A2AError {
  const shown = path === undefined ? 'this path' : `${method} ${path.slice(0, 100)}`;
  return new A2AError('METHOD_NOT_FOUND', `No endpoint at ${shown}. See supportedInterfaces in the agent card.`);
}

function rpcStatus({ code, details }: A2AError): number {
  if (code === 'CONTENT_TYPE_NOT_SUPPORTED' && details['header'] !== undefined) return 415;
  return EXCHANGE_ERRORS.has(code) ? ERRORS[code].http : 200;
}

/** Whole seconds, at least one. */
function retryHeader({ retryAfterMs }: A2AError): Readonly<Record<string, string>> | undefined {
  if (retryAfterMs === undefined) return undefined;
  return { 'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1000))) };
}
