import { A2AError } from '../../errors.ts';
import type { JsonObject } from '../../model/json.ts';
import type { OperationName } from '../../model/operation.ts';
import { JsonShapeError, parseUntrustedJson } from '../../support/json/untrusted-json.ts';
import { isObject } from '../../wire/codec.ts';
import { offersBinding } from '../../wire/offer.ts';
import { restParams } from '../../wire/rest/rest-params.ts';
import { matchRest } from '../../wire/rest/rest-routes.ts';
import { dialectOf, selectFlatTask, selectRest } from '../../wire/select.ts';
import { performOperation, type OperationResult } from '../operations/perform-operation.ts';
import { noSuchPath, restFailure, wrongVerb } from './error-response.ts';
import type { Envelope } from './sse-frames.ts';
import { type HttpRequest, type HttpResponse, isJsonType, SAFE } from '../../host/http.ts';
import { HttpContext, versionOf, withExtensions } from './http-context.ts';
import { withRate } from '../../host/limits/rate-limit.ts';
import { admit, type Admission } from '../../host/admit.ts';
import type { MountedAgent } from '../../host/mounted-agent.ts';
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
  mounted: MountedAgent,
  request: HttpRequest,
  path: string,
  reserved: ReadonlySet<string>,
): Promise<HttpResponse> {
  const version = versionOf(request);
  const isOld =
    version.kind === 'absent' ? path.startsWith('/v1/') : version.kind === 'known' && version.version !== '1.0';
  const flat = selectFlatTask(request.method, path, mounted.offer);
  let dialect = flat?.dialect ?? dialectOf(isOld ? '0.3' : '1.0');
  const admission: Admission = { caller: undefined, rate: undefined };
  let operation: OperationName | undefined;
  let params: JsonObject | undefined;
  try {
    const admitted = admit(mounted.host, request, admission);
    const caller = 'then' in admitted ? await admitted : admitted;
    if (flat !== undefined) {
      ({ operation } = flat);
      const body = flat.operation === 'SendMessage' ? await readBody(mounted, request) : undefined;
      params = body ?? { id: flat.taskId ?? '' };
    } else {
      const match = offersBinding(mounted.offer, 'HTTP+JSON') ? matchRest(request.method, path) : undefined;
      if (match === undefined) throw noSuchPath(request);
      if (match.tenant !== undefined && reserved.has(match.tenant)) throw noSuchPath(request);
      if ('allow' in match) throw wrongVerb(match.allow);
      operation = match.operation;
      const body = request.method === 'POST' ? await readBody(mounted, request) : undefined;
      const selection = selectRest(match.prefix, body, version, mounted.offer);
      ({ dialect } = selection);
      if (selection.error !== undefined) throw selection.error;
      params = restParams(match, dialect.version, new URLSearchParams(request.query), body);
    }
    const context = new HttpContext(mounted, request, caller, dialect, 'HTTP+JSON', params);
    return withRate(
      respond(mounted, context, operation, await performOperation(mounted, context, operation, params)),
      admission.rate,
    );
  } catch (error) {
    const about = { request, binding: 'HTTP+JSON', caller: admission.caller, operation, params } as const;
    const shown = mounted.host.failures.publicError(error, about);
    return withRate(restFailure(dialect, shown, request, mounted.host.access.challenge(shown)), admission.rate);
  }
}

/** Reads an optional body. `null` counts as no body; anything else must be an object. */
async function readBody(mounted: MountedAgent, request: HttpRequest): Promise<JsonObject | undefined> {
  const body = await request.body(mounted.host.maxBodyBytes);
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
  mounted: MountedAgent,
  context: HttpContext,
  operation: OperationName,
  result: OperationResult,
): HttpResponse {
  const { dialect } = context;
  if ('events' in result) return streamResponse(mounted, context, result, envelopeOf(mounted, context, operation));
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
  { host: { failures } }: MountedAgent,
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
  };
}
