import { A2AError } from '../../errors.ts';
import type { StreamResponse } from '../../model/event.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Input, OperationName } from '../../model/operation.ts';
import { isPaused, isTerminal } from '../../model/state.ts';
import { noSuchPath, restFailure, rpcFailure, wrongVerb } from '../../server/bindings/error-response.ts';
import { type HttpResponse, JSON_HEADERS } from '../../host/http.ts';
import { STREAM_HEADERS } from '../../server/http/stream-headers.ts';
import { isObject } from '../../wire/codec.ts';
import { decodeParams, type Dialect, operationCodec } from '../../wire/dialect.ts';
import { encodeSuccess, type JsonRpcId, parseRequest } from '../../wire/jsonrpc.ts';
import { restParams } from '../../wire/rest/rest-params.ts';
import { matchRest } from '../../wire/rest/rest-routes.ts';
import type { Offer } from '../../wire/offer.ts';
import { dialectOf, selectRest, selectRpc } from '../../wire/select.ts';
import { encodeSse } from '../../wire/sse/sse-encoder.ts';
import { type RequestedVersion, requestedVersion } from '../../wire/version.ts';
import type { LoopbackRequest } from '../loopback-server.ts';
import type { NumberedEvent } from './peer-task.ts';

/** A decoded request and its encoders. It has either an operation or the error of an invalid request. */
export type ReadRequest = Framing &
  (
    | { readonly operation: OperationName; readonly input: Input<OperationName>; readonly error?: never }
    | { readonly operation?: never; readonly input?: never; readonly error: unknown }
  );

/** The encoders of a binding for results, stream items and errors. */
interface Framing {
  readonly dialect: Dialect;
  result(output: unknown): HttpResponse;
  failure(error: A2AError): HttpResponse;
  /** The envelope of one stream item. */
  item(item: unknown): unknown;
}

/** Decodes a REST request. `path` is relative to the interface. Never throws. */
export function readRest(request: LoopbackRequest, path: string, offer: Offer): ReadRequest {
  const version = versionOf(request);
  let dialect = dialectOf(offer.versions[0] ?? '1.0');
  try {
    const match = matchRest(request.method, path);
    if (match === undefined) throw noSuchPath(request);
    if ('allow' in match) throw wrongVerb(match.allow);
    const body = bodyOf(request);
    const selection = selectRest(match.prefix, body, version, offer);
    ({ dialect } = selection);
    if (selection.error !== undefined) throw selection.error;
    const params = restParams(match, dialect.version, new URLSearchParams(request.query), body);
    const input = decodeParams(dialect, match.operation, params).value;
    return { ...restFraming(dialect, match.operation), operation: match.operation, input };
  } catch (error) {
    return { ...restFraming(dialect, undefined), error };
  }
}

function bodyOf({ body }: LoopbackRequest): JsonObject | undefined {
  if (body === '') return undefined;
  try {
    const json: unknown = JSON.parse(body);
    return isObject(json) ? json : undefined;
  } catch (cause) {
    throw new A2AError('PARSE_ERROR', 'The body is not valid JSON', { cause });
  }
}

function restFraming(dialect: Dialect, operation: OperationName | undefined): Framing {
  return {
    dialect,
    result(output) {
      if (output === null || operation === undefined) return { status: 204, headers: {} };
      const json = operationCodec(dialect, operation).result.encode(output as never);
      return { status: 200, headers: { 'content-type': dialect.mediaType }, body: JSON.stringify(json) };
    },
    failure: (error) => restFailure(dialect, error, undefined),
    item: (item) => item,
  };
}

/** Decodes a JSON-RPC request. Never throws. */
export function readRpc(request: LoopbackRequest, offer: Offer): ReadRequest {
  let dialect = dialectOf(offer.versions[0] ?? '1.0');
  let id: JsonRpcId = null;
  try {
    const rpc = parseRequest(request.body);
    ({ id } = rpc);
    if (rpc.error !== undefined) throw rpc.error;
    const selection = selectRpc(rpc.method, rpc.params, versionOf(request), offer);
    ({ dialect } = selection);
    if (selection.error !== undefined) throw selection.error;
    const { operation } = selection;
    const input = decodeParams(dialect, operation, rpc.params).value;
    return { ...rpcFraming(dialect, id, operation), operation, input };
  } catch (error) {
    return { ...rpcFraming(dialect, id, undefined), error };
  }
}

function rpcFraming(dialect: Dialect, id: JsonRpcId, operation: OperationName | undefined): Framing {
  return {
    dialect,
    result(output) {
      const json = operation && operationCodec(dialect, operation).result.encode(output as never);
      return { status: 200, headers: JSON_HEADERS, body: JSON.stringify(encodeSuccess(id, json)) };
    },
    failure: (error) => rpcFailure(dialect, id, error),
    item: (item) => encodeSuccess(dialect.streamItemId ?? id, item),
  };
}

function versionOf({ headers, query }: LoopbackRequest): RequestedVersion {
  return requestedVersion(headers['a2a-version'], new URLSearchParams(query).get('A2A-Version'));
}

/** A stream with one chunk per event. */
export function streamAnswer(
  events: AsyncIterable<NumberedEvent>,
  { dialect, item }: Framing,
  operation: OperationName,
  isNumbered: boolean,
): HttpResponse {
  const endsAtQuestion = operation === 'SendStreamingMessage' || !dialect.subscribesToTheEnd;
  return { status: 200, headers: STREAM_HEADERS, body: frames() };

  async function* frames(): AsyncGenerator<string> {
    const encoder = dialect.createStreamEncoder();
    for await (const { number, event } of events) {
      const items = encoder.encode(event, closes(event, endsAtQuestion));
      for (const [i, json] of items.entries()) {
        const data = JSON.stringify(item(json));
        // The last chunk of an event has its number: a client that has the number has the whole event.
        yield encodeSse(isNumbered && i === items.length - 1 ? { data, id: String(number) } : { data });
      }
    }
  }
}

function closes(event: StreamResponse, endsAtQuestion: boolean): boolean {
  if ('message' in event) return true;
  if ('artifactUpdate' in event) return false;
  const { state } = 'task' in event ? event.task.status : event.statusUpdate.status;
  return isTerminal(state) || (endsAtQuestion && isPaused(state));
}
