import type { JsonObject, JsonValue } from '../../model/json.ts';
import { isObject } from '../codec.ts';
import type { Dialect } from '../dialect.ts';
import { type Profile, rewriteResponses } from './profile.ts';

/**
 * Responses as agent-native clients expect them: always a task, with the whole response text in one part of
 * `status.message`. These clients know six states and poll a task in any other state until they give up. The
 * idempotency key is a member of the params.
 *
 * Applies to 0.3 responses whose parts are already tagged `type`.
 */
export const answerInStatus: Profile = {
  name: 'answer-in-status',
  forServer(dialect) {
    const rewritten = rewriteResponses(dialect, nativeTask);
    return { ...rewritten, operations: { ...rewritten.operations, ...workingSend(rewritten) }, idempotencyKeyOf };
  },
};

/** A send with `async: true` returns a `working` task, never a `submitted` one, as agent-native documents it. */
function workingSend({ operations: { SendMessage } }: Dialect): Pick<Dialect['operations'], 'SendMessage'> {
  if (SendMessage === undefined) return {};
  const { method, params, result } = SendMessage;
  const encode = (value: Parameters<typeof result.encode>[0]): unknown => {
    const json = result.encode(value);
    if (!isObject(json) || !isObject(json['status']) || json['status']['state'] !== 'submitted') return json;
    return { ...json, status: { ...json['status'], state: 'working' } };
  };
  return { SendMessage: { method, params, result: { decode: result.decode, encode } } };
}

function idempotencyKeyOf(params: unknown): string | undefined {
  const key = isObject(params) ? params['idempotencyKey'] : undefined;
  return typeof key === 'string' && key !== '' ? key : undefined;
}

/** States that these clients do not know, with the known state that makes them react correctly. */
const STATES: Readonly<Record<string, string>> = {
  rejected: 'failed',
  'auth-required': 'input-required',
  unknown: 'working',
};

function nativeTask(json: unknown): unknown {
  if (!isObject(json)) return json;
  if (json['kind'] === 'message') return completedBy(json);
  const { kind, status, artifacts } = json;
  if (kind !== 'task' || !isObject(status)) return json;
  const joined = listOf(artifacts).map((artifact) =>
    isObject(artifact) ? { ...artifact, parts: joinTexts(listOf(artifact['parts'])) } : artifact,
  );
  return {
    ...json,
    status: nativeStatus(status, joined),
    ...(joined.length > 0 && { artifacts: joined }),
  };
}

/** A message response becomes a completed task, because agent-native clients expect a task. */
function completedBy(message: JsonObject): JsonObject {
  const { taskId, messageId, contextId } = message;
  return {
    kind: 'task',
    id: taskId ?? messageId ?? '',
    ...(contextId !== undefined && { contextId }),
    status: { state: 'completed', message: { ...message, parts: joinTexts(listOf(message['parts'])) } },
  };
}

function nativeStatus(status: JsonObject, artifacts: readonly JsonValue[]): JsonObject {
  const { state, message } = status;
  const known = typeof state === 'string' ? (STATES[state] ?? state) : 'working';
  const shown = { ...status, state: known };
  const said = isObject(message) ? { ...message, parts: joinTexts(listOf(message['parts'])) } : undefined;
  // The result replaces the last status message, including the text that the working task has published so far.
  const text = state === 'completed' || state === 'working' ? textOf(artifacts) : '';
  if (text === '') return said === undefined ? shown : { ...shown, message: said };
  return { ...shown, message: { kind: 'message', role: 'agent', ...said, parts: [{ type: 'text', text }] } };
}

/** The text of all artifacts, each on separate lines. */
function textOf(artifacts: readonly JsonValue[]): string {
  const texts = artifacts.map((artifact) =>
    listOf(isObject(artifact) ? artifact['parts'] : undefined)
      .map((part) => (isText(part) ? part['text'] : ''))
      .join(''),
  );
  return texts.filter((text) => text !== '').join('\n');
}

/** Consecutive texts are merged. A text with metadata stays separate. */
function joinTexts(parts: readonly JsonValue[]): readonly JsonValue[] {
  const joined: JsonValue[] = [];
  let pieces: string[] = [];
  const flush = (): void => {
    if (pieces.length > 0) joined.push({ type: 'text', text: pieces.join('') });
    pieces = [];
  };
  for (const part of parts) {
    if (isText(part) && part['metadata'] === undefined) pieces.push(part['text']);
    else {
      flush();
      joined.push(part);
    }
  }
  flush();
  return joined;
}

function isText(part: JsonValue): part is JsonObject & { readonly text: string } {
  return isObject(part) && part['type'] === 'text' && typeof part['text'] === 'string';
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}
