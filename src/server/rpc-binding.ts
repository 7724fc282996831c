import type { Caller } from '../engine/handler.ts';
import { A2AError } from '../errors.ts';
import type { Dialect } from '../wire/dialect.ts';
import { decodeRequest, encodeError, type JsonRpcId, parseRequest, successText } from '../wire/jsonrpc.ts';
import { dialectOf, selectRpc } from '../wire/select.ts';
import type { RequestedVersion } from '../wire/version.ts';
import { accessOf } from './call.ts';
import { callOperation, type Outcome } from './call-operation.ts';
import { rpcFailure } from './error-response.ts';
import { type Envelope, EventFrames } from './event-frames.ts';
import { type HttpRequest, type HttpResponse, isJsonType, JSON_HEADERS } from './http.ts';
import { HttpCall, versionOf, withExtensions } from './http-call.ts';
import type { Service } from './service.ts';
import { STREAM_HEADERS } from './stream-headers.ts';

/** Answers one JSON-RPC request, in the version it speaks. Never rejects. */
export async function answerRpc(service: Service, request: HttpRequest): Promise<HttpResponse> {
  const version = versionOf(request);
  let dialect = assumedDialect(version);
  let id: JsonRpcId = null;
  try {
    const identified = service.identify(request);
    const caller = 'then' in identified ? await identified : identified;
    const rpc = await readRpc(service, request);
    id = rpc.id;
    if (rpc.error !== undefined) throw rpc.error;
    const selection = selectRpc(rpc.method, rpc.params, version, service.offer);
    dialect = selection.dialect;
    if (selection.error !== undefined) throw selection.error;
    const { operation } = selection;
    if (selection.shared) dialect = await dialectOfTask(service, caller, dialect, rpc.params);
    const call = new HttpCall(service, request, caller, dialect);
    const asStream = dialect.getTaskMayStream === true && operation === 'GetTask' && acceptsStream(request);
    return respond(service, call, id, await callOperation(service, call, operation, rpc.params, { asStream }));
  } catch (error) {
    const shown = service.failures.publicError(error);
    return rpcFailure(dialect, id, shown, service.access.challenge(shown));
  }
}

/** To answer in as long as nothing of the request is known but its headers. */
export function assumedDialect(version: RequestedVersion): Dialect {
  return dialectOf(version.kind === 'known' ? version.version : version.kind === 'absent' ? '0.3' : '1.0');
}

async function readRpc(service: Service, request: HttpRequest): Promise<ReturnType<typeof decodeRequest>> {
  const type = request.header('content-type');
  if (!isJsonType(type)) {
    throw new A2AError('CONTENT_TYPE_NOT_SUPPORTED', 'Expected the header Content-Type: application/json', {
      details: { header: 'content-type' },
    });
  }
  const body = await request.body(service.maxBodyBytes);
  return 'text' in body ? parseRequest(body.text) : decodeRequest(body.json);
}

function respond(service: Service, call: HttpCall, id: JsonRpcId, outcome: Outcome): HttpResponse {
  if ('events' in outcome) {
    const frames = new EventFrames(outcome.events, call.dialect, envelopeOf(service, call.dialect, id));
    const body = service.access.whileKnown(frames, call.caller);
    return { status: 200, headers: withExtensions(STREAM_HEADERS, call), body };
  }
  const body = successText(id, JSON.stringify(outcome.json ?? null));
  return { status: 200, headers: withExtensions(JSON_HEADERS, call), body };
}

function envelopeOf({ failures, isClosing }: Service, dialect: Dialect, id: JsonRpcId): Envelope {
  const itemId = dialect.streamItemId ?? id;
  return {
    before: `{"jsonrpc":"2.0","id":${JSON.stringify(itemId)},"result":`,
    after: '}',
    error: (error) => encodeError(itemId, dialect.errors.encodeRpc(failures.publicError(error))),
    isGoingAway: isClosing,
  };
}

/** Methods that old versions spell alike are answered in the words of the version that made the task. */
async function dialectOfTask(
  service: Service,
  caller: Caller,
  dialect: Dialect,
  params: { readonly id?: unknown } | undefined,
): Promise<Dialect> {
  const old = dialectOf('0.1');
  if (!service.offer.versions.includes(old.version) || typeof params?.id !== 'string') return dialect;
  const known = await service.engine.resolveAlias(accessOf(service, { caller }, {}), params.id);
  return known === undefined ? dialect : old;
}

function acceptsStream(request: HttpRequest): boolean {
  return request.header('accept')?.includes('text/event-stream') === true;
}
