import type { JsonValue } from '../../model/json.ts';
import { isObject } from '../../wire/codec.ts';
import type { LoopbackRequest } from '../loopback-server.ts';
import { mapStrings, parseJson } from './json-walk.ts';
import {
  AGENT,
  type Exchange,
  type RecordedEvent,
  type RecordedResponse,
  type Recording,
  REQUEST_ID,
} from './recording.ts';
import { Scrubber } from './scrub.ts';
import { withStableNames } from './stable-names.ts';
import { requestIdOf, writtenRequest } from './written-request.ts';

/** Response headers that matter to a client and do not differ from run to run. */
const MEANINGFUL = [
  'content-type',
  'cache-control',
  'retry-after',
  'location',
  'www-authenticate',
  'a2a-version',
  'a2a-extensions',
  'x-a2a-extensions',
];

/** One exchange as it was observed. */
export interface Taken {
  readonly request: LoopbackRequest;
  answer?: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly text?: string;
    readonly events?: { readonly data: string; readonly event?: string; readonly id?: string }[];
    ending?: 'whole' | 'cut' | 'left';
  };
}

/** Converts a conversation to its recorded form: without secrets, and equal for each run. */
export function toRecording(
  taken: readonly Taken[],
  recorder: string,
  path: string,
  secrets: readonly string[] = [],
): Recording {
  const scrubber = new Scrubber(secrets);
  // Learn all secrets first, because earlier exchanges may contain a secret that a later one uses.
  for (const { request, answer } of taken) {
    scrubber.learn(request.headers);
    if (answer !== undefined) scrubber.learn(answer.headers);
  }
  const exchanges = taken.map((each): Exchange => ({
    request: writtenRequest(each.request, scrubber),
    response: writtenResponse(each, scrubber),
  }));
  const named = withStableNames(exchanges);
  const atAgent = mapStrings(named as object as JsonValue, (text) => text.replaceAll(recorder, AGENT));
  return { recording: 1, path, exchanges: atAgent as object as readonly Exchange[] };
}

function writtenResponse({ request, answer }: Taken, scrubber: Scrubber): RecordedResponse {
  if (answer === undefined) return { lost: true };
  const id = requestIdOf(request);
  const content = (text: string): { json?: JsonValue; text?: string } => {
    const json = parseJson(text);
    return json === undefined ? { text: scrubber.text(text) } : { json: scrubber.json(withoutId(json, id)) };
  };
  const headers = MEANINGFUL.flatMap((name) => {
    const value = answer.headers[name];
    return value === undefined ? [] : [[name, scrubber.text(value)] as const];
  });
  const common = { status: answer.status, headers: Object.fromEntries(headers) };
  if (answer.events !== undefined) {
    const events = answer.events.map(({ data, ...rest }): RecordedEvent => {
      const { json, text } = content(data);
      return { ...rest, ...(json !== undefined && { data: json }), ...(text !== undefined && { text }) };
    });
    const { ending = 'whole' } = answer;
    return { ...common, events, ...(ending !== 'whole' && { ending }) };
  }
  if (answer.text === undefined || answer.text === '') return common;
  const { json, text } = content(answer.text);
  return { ...common, ...(json !== undefined && { body: json }), ...(text !== undefined && { text }) };
}

/** Replaces the JSON-RPC id of a response if it is the id of the request. Another id is kept, as a property of the peer. */
function withoutId(json: JsonValue, id: JsonValue | undefined): JsonValue {
  return id !== undefined && isObject(json) && json['id'] === id ? { ...json, id: REQUEST_ID } : json;
}
