import type { Caller } from '../../engine/handler.ts';
import { A2AError } from '../../errors.ts';
import type { JsonObject } from '../../model/json.ts';
import type { OperationName } from '../../model/operation.ts';
import { JsonShapeError, parseUntrustedJson } from '../../support/json/untrusted-json.ts';
import { isObject } from '../../wire/codec.ts';
import { offersBinding } from '../../wire/offer.ts';
import { restParams } from '../../wire/rest/rest-params.ts';
import { matchRest } from '../../wire/rest/rest-routes.ts';
import { dialectOf, selectFlatTask, selectRest } from '../../wire/select.ts';
import { performOperation, type OperationResult } from './perform-operation.ts';
import { noSuchPath, restFailure, wrongVerb } from './error-response.ts';
import type { Envelope } from './event-frames.ts';
import { type HttpRequest, type HttpResponse, isJsonType, SAFE } from '../../host/http.ts';
import { HttpContext, versionOf, withExtensions } from './http-context.ts';
import { assertTaken, type RateStatus, withRate } from '../../host/limits/rate-limit.ts';
import type { Service } from '../service.ts';
import { streamResponse } from './stream-response.ts';

/** Responses must not be cached, because they belong to one caller. */
const NO_STORE = { ...SAFE, 'cache-control': 'no-store' } as const;

/** Cached by media type, of which there are two: a spread for each response takes as long as verifying a token. */
const headersOfType = new Map<string, HttpResponse['headers']>();

/**
 * Handles one REST request in its own protocol version. `path` is the path of the request; a reserved name is never a tenant. Never
 * rejects.
 */
export async function handleRest(
  service: Service,
  request: HttpRequest,
  path: string,
  reserved: ReadonlySet<string>,
): Promise<HttpResponse> {
  const version = versionOf(request);
  const isOld =
    version.kind === 'absent' ? path.startsWith('/v1/') : version.kind === 'known' && version.version !== '1.0';
  const flat = selectFlatTask(request.method, path, service.offer);
  let dialect = flat?.dialect ?? dialectOf(isOld ? '0.3' : '1.0');
  let rate: RateStatus | undefined;
  let caller: Caller | undefined;
  let operation: OperationName | undefined;
  let params: JsonObject | undefined;
  try {
    const identified = service.identify(request);
    caller = 'then' in identified ? await identified : identified;
    const taken = service.limits.rate.take(request, caller);
    rate = taken !== undefined && 'then' in taken ? await taken : taken;
    assertTaken(rate);
    service.access.requireUse(caller);
    request.caller = caller;
    service.limits.responses.assertRoom(request);
    if (flat !== undefined) {
      ({ operation } = flat);
      const body = flat.operation === 'SendMessage' ? await readBody(service, request) : undefined;
      params = body ?? { id: flat.taskId ?? '' };
      const context = new HttpContext(service, request, caller, dialect, 'HTTP+JSON', params);
      return withRate(
        respond(service, context, operation, await performOperation(service, context, operation, params)),
        rate,
      );
    }
    const match = offersBinding(service.offer, 'HTTP+JSON') ? matchRest(request.method, path) : undefined;
    if (match === undefined) throw noSuchPath(request);
    if (match.tenant !== undefined && reserved.has(match.tenant)) throw noSuchPath(request);
    if ('allow' in match) throw wrongVerb(match.allow);
    operation = match.operation;
    const body = request.method === 'POST' ? await readBody(service, request) : undefined;
    const selection = selectRest(match.prefix, body, version, service.offer);
    ({ dialect } = selection);
    if (selection.error !== undefined) throw selection.error;
    params = restParams(match, dialect.version, new URLSearchParams(request.query), body);
    const context = new HttpContext(service, request, caller, dialect, 'HTTP+JSON', params);
    return withRate(
      respond(service, context, operation, await performOperation(service, context, operation, params)),
      rate,
    );
  } catch (error) {
    const about = { request, binding: 'HTTP+JSON', caller, operation, params } as const;
    const shown = service.failures.publicError(error, about);
    return withRate(restFailure(dialect, shown, request, service.access.challenge(shown)), rate);
  }
}

/** Reads an optional body. `null` counts as no body; anything else must be an object. */
async function readBody(service: Service, request: HttpRequest): Promise<JsonObject | undefined> {
  const body = await request.body(service.maxBodyBytes);
  if ('text' in body && body.text === '') return undefined;
  if (!isJsonType(request.header('content-type'))) {
    throw new A2AError(
      'CONTENT_TYPE_NOT_SUPPORTED',
      'Expected the header Content-Type: application/a2a+json or application/json',
      { details: { header: 'content-type' } },
    );
  }
  const json = 'text' in body ? parse(body.text) : body.json;
  if (json === null || json === undefined) return undefined;
  if (isObject(json)) return json;
  throw new A2AError('INVALID_PARAMS', 'Expected the body to be a JSON object');
}

function parse(text: string): unknown {
  try {
    return parseUntrustedJson(text);
  } catch (cause) {
    if (cause instanceof JsonShapeError) throw new A2AError('INVALID_REQUEST', `The body ${cause.message}`);
    throw new A2AError('PARSE_ERROR', 'The body is not valid JSON', { cause });
  }
}

function respond(
  service: Service,
  context: HttpContext,
  operation: OperationName,
  result: OperationResult,
): HttpResponse {
  const { dialect } = context;
  if ('events' in result) return streamResponse(service, context, result, envelopeOf(service, context, operation));
  const usual = jsonHeaders(dialect.mediaType);
  if (result.isNothing) {
    const { restEmpty } = dialect;
    if (restEmpty === undefined) return { status: 204, headers: withExtensions(NO_STORE, context) };
    return { status: 200, headers: withExtensions(usual, context), body: restEmpty };
  }
  const headers = result.headers === undefined ? usual : { ...usual, ...result.headers };
  return { status: 200, headers: withExtensions(headers, context), body: result.text, hold: result.hold };
}

function jsonHeaders(mediaType: string): HttpResponse['headers'] {
  let headers = headersOfType.get(mediaType);
  if (headers === undefined) headersOfType.set(mediaType, (headers = { ...NO_STORE, 'content-type': mediaType }));
  return headers;
}

function envelopeOf(
  { failures, isClosing }: Service,
  { dialect, request, binding, caller }: HttpContext,
  operation: OperationName,
): Envelope {
  return {
    before: '',
    after: '',
    errorName: 'error',
    error: (error) =>
      dialect.errors.encodeRest(failures.publicError(error, { request, binding, caller, operation })).body,
    failure: (error) => dialect.errors.encodeRest(error).body,
    isGoingAway: isClosing,
  };
}
