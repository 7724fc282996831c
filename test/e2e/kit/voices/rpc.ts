import { randomUUID } from 'node:crypto';

import { expect } from 'vitest';

import type { Answer, Ask } from '../exchange.ts';
import { compact, type Said, type SeenError, type SeenSend, type Voice } from './voice.ts';
import type { WireDetail, WireKind, WireTask, WireWrapped } from './wire.ts';
import { words01, words03, words1, type Words } from './words.ts';

interface Methods {
  readonly send: string;
  readonly stream: string;
  readonly get: string;
  readonly cancel: string;
  readonly subscribe: string;
}

interface Speech<Event> {
  readonly version: Voice['version'];
  readonly methods: Methods;
  readonly words: Words<Event>;
  params(said: Said): unknown;
  sent(result: unknown): SeenSend;
}

/** A JSON-RPC request, at the path that the card names. */
export function rpc(version: string | undefined, method: string, params?: unknown, id: unknown = 1): Ask {
  const headers = version === undefined ? {} : { 'a2a-version': version };
  return { method: 'POST', path: '/a2a', headers, body: { jsonrpc: '2.0', id, method, params } };
}

function rpcVoice<Event>({ version, methods, words, params, sent }: Speech<Event>): Voice {
  const call = (method: string, given: unknown): Ask => rpc(version, method, given);
  return {
    name: `${version} JSON-RPC`,
    version,
    binding: 'JSON-RPC',
    send: (said) => call(methods.send, params(said)),
    stream: (said) => call(methods.stream, params(said)),
    get: (id, historyLength) => call(methods.get, compact({ id, historyLength })),
    cancel: (id) => call(methods.cancel, { id }),
    subscribe: (id) => call(methods.subscribe, { id }),
    sent: (answer) => sent(resultOf(answer)),
    task: (answer) => words.readTask(resultOf(answer) as WireTask),
    event: ({ json }) => words.readEvent((json as { result: Event }).result),
    error: rpcError,
  };
}

function resultOf({ status, json }: Answer): unknown {
  const { result, ...envelope } = json as { result?: unknown };
  // Whatever else is in it, such as an error, is shown.
  expect({ status, ...envelope }).toEqual({ status: 200, jsonrpc: '2.0', id: 1 });
  return result;
}

interface WireRpcError {
  readonly code: number;
  readonly message: string;
  readonly data: WireDetail | readonly WireDetail[];
}

function rpcError({ status, json }: Answer): SeenError {
  const { error } = json as { error?: WireRpcError };
  if (error === undefined) throw new Error(`Expected an error, got ${JSON.stringify(json)}`);
  const { code, message, data } = error;
  return { status, code, message, ...factsOf([data].flat()) };
}

export function factsOf(details: readonly WireDetail[]): Pick<SeenError, 'reason' | 'fields'> {
  return {
    reason: details[0]?.reason ?? '',
    fields: details.flatMap(({ fieldViolations = [] }) => fieldViolations.map(({ field }) => field)),
  };
}

const METHODS_03: Methods = {
  send: 'message/send',
  stream: 'message/stream',
  get: 'tasks/get',
  cancel: 'tasks/cancel',
  subscribe: 'tasks/resubscribe',
};

export const rpc1: Voice = rpcVoice({
  version: '1.0',
  methods: {
    send: 'SendMessage',
    stream: 'SendStreamingMessage',
    get: 'GetTask',
    cancel: 'CancelTask',
    subscribe: 'SubscribeToTask',
  },
  words: words1,
  params: (said) => params1(said),
  sent: (result) => wrappedSend(result, words1),
});

export function params1(said: Said): Readonly<Record<string, unknown>> {
  const { returnImmediately, historyLength, acceptedOutputModes } = said;
  return {
    message: words1.message(said),
    configuration: compact({ returnImmediately, historyLength, acceptedOutputModes }),
    metadata: said.metadata,
  };
}

export function wrappedSend(result: unknown, words: Words<WireWrapped>): SeenSend {
  const { task, message } = result as WireWrapped;
  if (task !== undefined) return { task: words.readTask(task) };
  if (message !== undefined) return { message: words.readMessage(message) };
  throw new Error('This is neither a task nor a message');
}

/** `blocking` is the opposite of `returnImmediately`. */
export function params03<Event>(said: Said, words: Words<Event>): Readonly<Record<string, unknown>> {
  const { returnImmediately, historyLength, acceptedOutputModes } = said;
  const blocking = returnImmediately === undefined ? undefined : !returnImmediately;
  return {
    message: words.message(said),
    configuration: compact({ blocking, historyLength, acceptedOutputModes }),
    metadata: said.metadata,
  };
}

function rpcVoice03(version: '0.3' | '0.2'): Voice {
  return rpcVoice({
    version,
    methods: METHODS_03,
    words: words03,
    params: (said) => params03(said, words03),
    sent(result) {
      const seen = words03.readEvent(result as WireKind);
      if (seen.kind === 'task') return { task: seen.task };
      if (seen.kind === 'message') return { message: seen.message };
      throw new Error('This is neither a task nor a message');
    },
  });
}

export const rpc03: Voice = rpcVoice03('0.3');
export const rpc02: Voice = rpcVoice03('0.2');

/** The caller names the task, and waits in any case. */
export const rpc01: Voice = rpcVoice({
  version: '0.1',
  methods: { ...METHODS_03, send: 'tasks/send', stream: 'tasks/sendSubscribe' },
  words: words01,
  params: (said) => ({
    id: said.taskId ?? randomUUID(),
    sessionId: said.contextId,
    message: words01.message(said),
    historyLength: said.historyLength,
    metadata: said.metadata,
  }),
  sent: (result) => ({ task: words01.readTask(result as WireTask) }),
});
