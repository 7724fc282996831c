import type { JsonObject, JsonValue } from '../../model/json.ts';
import { isObject } from '../codec.ts';
import type { Dialect } from '../dialect.ts';
import { type Profile, rewriteAnswers } from './profile.ts';

/**
 * Tasks as clients of agent-native read them: the response is the text of `status.message`, whole and in one part, and a task is all
 * that a request returns. They know six states, and poll a task in any other state until they give up. A key for safe retries is a
 * member of the params.
 *
 * Applies to responses of 0.3 whose parts are tagged `type` already.
 */
export const answerInStatus: Profile = {
  name: 'answer-in-status',
  answer(dialect) {
    const rewritten = rewriteAnswers(dialect, nativeTask);
    return { ...rewritten, operations: { ...rewritten.operations, ...sendsAtWork(rewritten) }, idempotencyKeyOf };
  },
};

/** A send with `async: true` returns a task that is `working`, never `submitted`, as its documentation says. */
function sendsAtWork({ operations: { SendMessage } }: Dialect): Pick<Dialect['operations'], 'SendMessage'> {
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

/** The states that its clients do not know, by those that make them act in the right way. */
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

/** An agent that replies with a message alone has completed: a client of agent-native expects a task that says so. */
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
  // The result replaces the last status message, also the part of it that a working task has published so far.
  const text = state === 'completed' || state === 'working' ? textOf(artifacts) : '';
  if (text === '') return said === undefined ? shown : { ...shown, message: said };
  return { ...shown, message: { kind: 'message', role: 'agent', ...said, parts: [{ type: 'text', text }] } };
}

/** The text of all artifacts, each on lines of its own. */
function textOf(artifacts: readonly JsonValue[]): string {
  const texts = artifacts.map((artifact) =>
    listOf(isObject(artifact) ? artifact['parts'] : undefined)
      .map((part) => (isText(part) ? part['text'] : ''))
      .join(''),
  );
  return texts.filter((text) => text !== '').join('\n');
}

/** Texts that follow each other are pieces of one text. One with metadata stays by itself. */
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
