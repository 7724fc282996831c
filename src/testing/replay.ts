import { basename } from 'node:path';
import { A2AError } from '../errors.ts';
import type { JsonValue } from '../model/json.ts';
import { rpcFailure } from '../server/bindings/error-response.ts';
import { type HttpResponse, jsonResponse } from '../host/http.ts';
import type { LeaveSignal } from '../support/leave-signal.ts';
import { isObject } from '../wire/codec.ts';
import type { JsonRpcId } from '../wire/jsonrpc.ts';
import { dialectOf } from '../wire/select.ts';
import { encodeSse } from '../wire/sse/sse-encoder.ts';
import { ConnectionDropped, silence } from './in-process.ts';
import { listenOnLoopback, type LoopbackRequest } from './loopback-server.ts';
import {
  fileName,
  readRecording,
  type RecordedEvent,
  type RecordedResponse,
  REQUEST_ID,
} from './recording/recording.ts';
import { Scrubber } from './recording/scrub.ts';
import { Tape } from './recording/tape.ts';
import { type PlaceholderValues, fillPlaceholders } from './recording/match-request.ts';
import { requestIdOf, writtenRequest } from './recording/written-request.ts';

/** Options of `replay()`. */
export interface ReplayOptions {
  /** The `secrets` passed to `record()`. */
  readonly secrets?: readonly string[];
}

/** A recorded agent on a loopback port of this machine. */
export interface Replay {
  /** The address to pass to `connect()`. */
  readonly url: string;
  /** Requests that are not in the recording, one sentence each with the difference. Their callers got the same as an error. */
  readonly misses: readonly string[];
  /** Recorded requests that were not repeated. */
  readonly unused: readonly string[];
  /** Sends a request without a socket. Fails with the errors of the global `fetch`. */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /** Stops the agent and closes every connection. */
  close(): Promise<void>;
  /** Calls `close()`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Serves a conversation recorded with `record()`. Requests are matched by content, whatever ids their caller generates, and get the
 * recorded response. A request that is not in the recording gets an error that names the difference.
 *
 * @example
 * const agent = await replay('test/recordings/clerk.json');
 * // …
 * expect(agent.misses).toEqual([]);
 * await agent.close();
 *
 * @throws Error if the file does not exist or is not a recording.
 */
export async function replay(file: string | URL, options: ReplayOptions = {}): Promise<Replay> {
  const { exchanges, path } = await readRecording(file);
  const tape = new Tape(basename(fileName(file)), exchanges);
  const { url, fetch, close } = await listenOnLoopback(async (request, url) => {
    const found = tape.find(writtenRequest(request, new Scrubber(options.secrets)), url);
    if (found.miss !== undefined) return refusal(request, found.miss);
    return answerOf(found.response, found.placeholders, request);
  });
  return {
    url: url + path,
    get misses() {
      return tape.misses;
    },
    get unused() {
      return tape.unused;
    },
    fetch,
    close,
    [Symbol.asyncDispose]: close,
  };
}

function answerOf(response: RecordedResponse, placeholders: PlaceholderValues, request: LoopbackRequest): HttpResponse {
  if (response.lost === true) throw new ConnectionDropped('Recorded without a response');
  const { status, headers, body, text, events, ending } = response;
  const id = requestIdOf(request) ?? null;
  const said = (json: JsonValue): JsonValue => withId(fillPlaceholders(json, placeholders), id);
  if (events !== undefined) return { status, headers, body: stream(events, said, ending, request.signal) };
  const whole = body === undefined ? text : JSON.stringify(said(body));
  return whole === undefined ? { status, headers } : { status, headers, body: whole };
}

async function* stream(
  events: readonly RecordedEvent[],
  said: (json: JsonValue) => JsonValue,
  ending: 'cut' | 'left' | undefined,
  signal: LeaveSignal,
): AsyncGenerator<string> {
  for (const { data, text = '', ...rest } of events) {
    yield encodeSse({ ...rest, data: data === undefined ? text : JSON.stringify(said(data)) });
  }
  if (ending === 'cut') throw new ConnectionDropped('Recorded as cut');
  // The subscriber left, so later events were not recorded.
  if (ending === 'left') await silence(signal);
}

function withId(json: JsonValue, id: JsonValue): JsonValue {
  return isObject(json) && json['id'] === REQUEST_ID ? { ...json, id } : json;
}

/** An error in the format that the request suggests. */
function refusal(request: LoopbackRequest, miss: string): HttpResponse {
  const id = requestIdOf(request);
  if (id !== undefined) return rpcFailure(dialectOf('1.0'), id as JsonRpcId, new A2AError('INTERNAL_ERROR', miss));
  if (request.path.includes('/.well-known/')) return jsonResponse(404, { error: miss });
  const { body } = dialectOf('1.0').errors.encodeRest(new A2AError('INTERNAL_ERROR', miss));
  return jsonResponse(501, body);
}
