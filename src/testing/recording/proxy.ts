import { type HttpResponse, jsonResponse } from '../../host/http.ts';
import type { LeaveSignal } from '../../support/leave-signal.ts';
import { SseDecoder } from '../../wire/sse/sse-decoder.ts';
import { encodeComment, encodeSse } from '../../wire/sse/sse-encoder.ts';
import { ConnectionDropped } from '../in-process.ts';
import type { LoopbackRequest } from '../loopback-server.ts';
import { type Addresses, foreignOriginsIn, withoutSignatures } from './addresses.ts';
import { parseJson } from './json-walk.ts';
import type { Taken } from './transcriber.ts';

/** Headers that belong to one connection, or would make the agent omit the body or encode it. */
const NOT_PASSED_ON = new Set([
  'host',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'content-encoding',
  'accept-encoding',
  'expect',
  'upgrade',
  'if-none-match',
  'if-modified-since',
]);

/** Forwards requests to an agent and keeps requests and responses. */
export class RecordingProxy {
  readonly taken: Taken[] = [];
  readonly #addresses: Addresses;

  constructor(addresses: Addresses) {
    this.#addresses = addresses;
  }

  /** `recorder` is the address of the proxy. */
  async answer(request: LoopbackRequest, recorder: string): Promise<HttpResponse> {
    const entry: Taken = { request };
    this.taken.push(entry);
    const leaving = abortedWith(request.signal);
    const response = await this.#forward(request, recorder, leaving.signal);
    const headers = passedOn(Object.fromEntries(response.headers));
    const { status } = response;
    if (isStream(headers) && response.body !== null) {
      const events: NonNullable<Taken['answer']>['events'] = [];
      // The default, which also holds if the recorder is closed during the stream.
      const answer: Taken['answer'] = (entry.answer = { status, headers, events, ending: 'left' });
      const source = response.body as ReadableStream<Uint8Array>;
      const body = this.#follow(source, events, recorder, (isWhole) => {
        if (!request.signal.aborted) answer.ending = isWhole ? 'whole' : 'cut';
      });
      return { status, headers, body };
    }
    const text = await response.text().catch(dropped);
    const json = parseJson(text);
    const changed = json === undefined ? undefined : withoutSignatures(this.#addresses.toRecorder(json, recorder));
    const [stranger] = changed === undefined ? [] : foreignOriginsIn(changed, recorder);
    if (stranger !== undefined) return unrecorded(stranger);
    const whole = changed === undefined ? text : JSON.stringify(changed);
    entry.answer = { status, headers, text: whole };
    return status === 204 ? { status, headers } : { status, headers, body: whole };
  }

  #forward(request: LoopbackRequest, recorder: string, signal: AbortSignal): Promise<Response> {
    const { method, path, query, headers, body } = request;
    const json = body === '' ? undefined : parseJson(body);
    const text = json === undefined ? body : JSON.stringify(this.#addresses.toAgent(json, recorder));
    return fetch(this.#addresses.resolve(path) + (query === '' ? '' : `?${query}`), {
      method,
      headers: passedOn(headers),
      redirect: 'manual',
      signal,
      ...(text !== '' && { body: text }),
    }).catch(dropped);
  }

  /** The events of a stream as they arrive. Each is recorded before it is forwarded. */
  async *#follow(
    source: AsyncIterable<Uint8Array>,
    events: { data: string; event?: string; id?: string }[],
    recorder: string,
    noteEnd: (isWhole: boolean) => void,
  ): AsyncGenerator<string> {
    let comments: string[] = [];
    const reader = new SseDecoder({ onComment: (text) => comments.push(text) });
    let isWhole = false;
    let lastId: string | undefined;
    try {
      for await (const chunk of source) {
        for (const { data, event, id } of reader.push(chunk)) {
          const json = parseJson(data);
          const text = json === undefined ? data : JSON.stringify(this.#addresses.toRecorder(json, recorder));
          const noted = { ...(id !== lastId && id !== undefined && { id }), ...(event !== undefined && { event }) };
          lastId = id;
          events.push({ ...noted, data: text });
          yield encodeSse({ ...noted, data: text });
        }
        if (reader.failure !== undefined) throw reader.failure;
        for (const comment of comments) yield encodeComment(comment);
        comments = [];
      }
      isWhole = !reader.pending;
    } catch (error) {
      return dropped(error);
    } finally {
      noteEnd(isWhole);
    }
    if (!isWhole) throw new ConnectionDropped('The agent cut the stream within an event');
  }
}

function dropped(cause: unknown): never {
  throw new ConnectionDropped('The connection to the agent was lost', { cause });
}

function passedOn(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !NOT_PASSED_ON.has(name)));
}

function isStream(headers: Readonly<Record<string, string>>): boolean {
  return /^\s*text\/event-stream/i.test(headers['content-type'] ?? '');
}

function abortedWith(signal: LeaveSignal): AbortController {
  const controller = new AbortController();
  if (signal.aborted) controller.abort();
  else signal.addEventListener('abort', () => controller.abort(), { once: true });
  return controller;
}

function unrecorded(origin: string): HttpResponse {
  const error = `The card has an interface at ${origin}, which is not recorded. Add it to the option origins of record()`;
  return jsonResponse(502, { error });
}
