import type { Caller } from '../../engine/handler.ts';
import { A2AError } from '../../errors.ts';
import { isStreaming, type OperationName } from '../../model/operation.ts';
import { decodeParams, type Dialect } from '../../wire/dialect.ts';
import {
  decodeRequest,
  encodeError,
  type ReceivedRpcRequest,
  type JsonRpcId,
  type RejectedRpcRequest,
  parseRequest,
  type RequestOptions,
  successText,
} from '../../wire/jsonrpc.ts';
import type { Offer } from '../../wire/offer.ts';
import { dialectOf, profileDialect, selectRpc } from '../../wire/select.ts';
import type { RequestedVersion } from '../../wire/version.ts';
import { accessOf } from '../../host/request-context.ts';
import { performOperation, type OperationResult, readingOf } from '../operations/perform-operation.ts';
import { rpcFailure, rpcStreamFailure } from './error-response.ts';
import type { Envelope } from './sse-frames.ts';
import { type HttpBody, type HttpRequest, type HttpResponse, isJsonType, JSON_HEADERS } from '../../host/http.ts';
import { HttpContext, versionOf, withExtensions } from './http-context.ts';
import { withRate } from '../../host/limits/rate-limit.ts';
import { admit, type Admission } from '../../host/admit.ts';
import type { MountedAgent } from '../../host/mounted-agent.ts';
import { streamResponse } from './stream-response.ts';

const STRICT: RequestOptions = { strict: true };

/** Handles one JSON-RPC request in its own protocol version. `offer` lists what its path serves. Never rejects. */
export async function handleRpc(mounted: MountedAgent, request: HttpRequest, offer: Offer): Promise<HttpResponse> {
  const version = versionOf(request);
  let dialect = assumedDialect(version, offer);
  let id: JsonRpcId = null;
  const admission: Admission = { caller: undefined, rate: undefined };
  let operation: OperationName | undefined;
  let params: unknown;
  try {
    const admitted = admit(mounted.host, request, admission);
    const caller = 'then' in admitted ? await admitted : admitted;
    assertJson(request);
    const rpc = decodeBody(await request.body(mounted.host.maxBodyBytes), offer);
    id = rpc.id;
    const called = rpc.error === undefined ? rpc : requestWithoutId(rpc);
    params = called.params;
    const selection = selectRpc(called.method, called.params, version, offer);
    dialect = selection.dialect;
    if (selection.error !== undefined) throw selection.error;
    operation = selection.operation;
    if (rpc.error !== undefined) {
      // The id is missing. Errors in the params take precedence.
      decodeParams(dialect, operation, params, readingOf(mounted, dialect));
      throw rpc.error;
    }
    if (selection.shared) dialect = await dialectOfTask(mounted, caller, dialect, offer, rpc.params);
    const context = new HttpContext(mounted, request, caller, dialect, 'JSONRPC', rpc.params);
    // Clients of a profile deviate as expected.
    if (selection.warnings.length > 0 && dialect.profile === undefined) {
      mounted.host.deviations.log(context, operation, selection.warnings);
    }
    const asStream = isGetAsStream(dialect, operation, request);
    const result = await performOperation(mounted, context, operation, rpc.params, asStream);
    return withRate(respond(mounted, context, operation, id, result), admission.rate);
  } catch (error) {
    const about = { request, binding: 'JSONRPC', caller: admission.caller, operation, params } as const;
    const shown = mounted.host.failures.publicError(error, about);
    const isStream = operation !== undefined && (isStreaming(operation) || isGetAsStream(dialect, operation, request));
    const fail =
      isStream && dialect.earlyStreamError !== undefined && acceptsStreamOnly(request) ? rpcStreamFailure : rpcFailure;
    return withRate(fail(dialect, id, shown, mounted.host.access.challenge(shown)), admission.rate);
  }
}

/** The dialect of errors while only the headers of the request are known. */
export function assumedDialect(version: RequestedVersion, { profile }: Offer): Dialect {
  if (profile !== undefined) return profileDialect(profile);
  return dialectOf(version.kind === 'known' ? version.version : version.kind === 'absent' ? '0.3' : '1.0');
}

function assertJson(request: HttpRequest): void {
  if (isJsonType(request.header('content-type'))) return;
  throw new A2AError('CONTENT_TYPE_NOT_SUPPORTED', 'Expected the header Content-Type: application/json', {
    details: { header: 'content-type' },
  });
}

function decodeBody(body: HttpBody, offer: Offer): ReturnType<typeof decodeRequest> {
  const options = offer.strict === true ? STRICT : undefined;
  return 'text' in body ? parseRequest(body.text, options) : decodeRequest(body.json, options);
}

/** The method and params of a request whose only error is its missing id. */
function requestWithoutId({ received, error }: RejectedRpcRequest): Pick<ReceivedRpcRequest, 'method' | 'params'> {
  if (received === undefined) throw error;
  return received;
}

function respond(
  mounted: MountedAgent,
  context: HttpContext,
  operation: OperationName,
  id: JsonRpcId,
  result: OperationResult,
): HttpResponse {
  if ('events' in result) return streamResponse(mounted, context, result, envelopeOf(mounted, context, operation, id));
  const body = successText(id, result.text);
  const headers = result.headers === undefined ? JSON_HEADERS : { ...JSON_HEADERS, ...result.headers };
  return { status: 200, headers: withExtensions(headers, context), body, hold: result.hold };
}

function envelopeOf(
  { host: { failures } }: MountedAgent,
  { dialect, request, binding, caller }: HttpContext,
  operation: OperationName,
  id: JsonRpcId,
): Envelope {
  const itemId = dialect.streamItemId ?? id;
  return {
    before: `{"jsonrpc":"2.0","id":${JSON.stringify(itemId)},"result":`,
    after: '}',
    error: (error) =>
      encodeError(
        itemId,
        dialect.errors.encodeRpc(failures.publicError(error, { request, binding, caller, operation })),
      ),
    failure: (error) => encodeError(itemId, dialect.errors.encodeRpc(error)),
  };
}

/** Methods with the same name in several old versions are handled in the version that created the task. */
async function dialectOfTask(
  mounted: MountedAgent,
  caller: Caller,
  dialect: Dialect,
  offer: Offer,
  params: { readonly id?: unknown } | undefined,
): Promise<Dialect> {
  const old = dialectOf('0.1');
  if (!offer.versions.includes(old.version) || typeof params?.id !== 'string') return dialect;
  const known = await mounted.host.engine.resolveAlias(accessOf(mounted, { caller }, {}), params.id);
  return known === undefined ? dialect : old;
}

/** Whether the response to GetTask is a stream of events, as in one profile. */
function isGetAsStream(dialect: Dialect, operation: OperationName, request: HttpRequest): boolean {
  return dialect.getTaskMayStream === true && operation === 'GetTask' && acceptsStream(request);
}

function acceptsStream(request: HttpRequest): boolean {
  return request.header('accept')?.includes('text/event-stream') === true;
}

function acceptsStreamOnly(request: HttpRequest): boolean {
  const ranges = request.header('accept')?.split(',') ?? [];
  return ranges.length > 0 && ranges.every((range) => /^\s*text\/event-stream\s*(?:;|$)/i.test(range));
}
