import { randomUUID } from 'node:crypto';

import { expect } from 'vitest';

import type { Answer, Ask } from '../exchange.ts';
import { compact, type MessageInput, type DecodedError, type DecodedSend, type WireFormat } from './wire-format.ts';
import type { WireDetail, WireKind, WireTask, WireWrapped } from './wire-objects.ts';
import { objects01, objects03, objects1, type ObjectCodec } from './objects.ts';

interface Methods {
  readonly send: string;
  readonly stream: string;
  readonly get: string;
  readonly cancel: string;
  readonly subscribe: string;
}

interface RpcOptions<Event> {
  readonly version: WireFormat['version'];
  readonly methods: Methods;
  readonly objects: ObjectCodec<Event>;
  params(input: MessageInput): unknown;
  sent(result: unknown): DecodedSend;
}

/** A JSON-RPC request to the default path. */
export function rpc(version: string | undefined, method: string, params?: unknown, id: unknown = 1): Ask {
  const headers = version === undefined ? {} : { 'a2a-version': version };
  return { method: 'POST', path: '/a2a', headers, body: { jsonrpc: '2.0', id, method, params } };
}

function rpcFormat<Event>({ version, methods, objects, params, sent }: RpcOptions<Event>): WireFormat {
  const call = (method: string, given: unknown): Ask => rpc(version, method, given);
  return {
    name: `${version} JSON-RPC`,
    version,
    binding: 'JSON-RPC',
    send: (input) => call(methods.send, params(input)),
    stream: (input) => call(methods.stream, params(input)),
    get: (id, historyLength) => call(methods.get, compact({ id, historyLength })),
    cancel: (id) => call(methods.cancel, { id }),
    subscribe: (id) => call(methods.subscribe, { id }),
    sent: (answer) => sent(resultOf(answer)),
    task: (answer) => objects.readTask(resultOf(answer) as WireTask),
    event: ({ json }) => objects.readEvent((json as { result: Event }).result),
    error: rpcError,
  };
}

function resultOf({ status, json }: Answer): unknown {
  const { result, ...envelope } = json as { result?: unknown };
  // Compares the whole envelope, so that a failure shows an unexpected error.
  expect({ status, ...envelope }).toEqual({ status: 200, jsonrpc: '2.0', id: 1 });
  return result;
}

interface WireRpcError {
  readonly code: number;
  readonly message: string;
  readonly data: WireDetail | readonly WireDetail[];
}

function rpcError({ status, json }: Answer): DecodedError {
  const { error } = json as { error?: WireRpcError };
  if (error === undefined) throw new Error(`Expected an error, got ${JSON.stringify(json)}`);
  const { code, message, data } = error;
  return { status, code, message, ...factsOf([data].flat()) };
}

export function factsOf(details: readonly WireDetail[]): Pick<DecodedError, 'reason' | 'fields'> {
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

export const rpc1: WireFormat = rpcFormat({
  version: '1.0',
  methods: {
    send: 'SendMessage',
    stream: 'SendStreamingMessage',
    get: 'GetTask',
    cancel: 'CancelTask',
    subscribe: 'SubscribeToTask',
  },
  objects: objects1,
  params: (input) => params1(input),
  sent: (result) => wrappedSend(result, objects1),
});

export function params1(input: MessageInput): Readonly<Record<string, unknown>> {
  const { returnImmediately, historyLength, acceptedOutputModes } = input;
  return {
    message: objects1.message(input),
    configuration: compact({ returnImmediately, historyLength, acceptedOutputModes }),
    metadata: input.metadata,
  };
}

export function wrappedSend(result: unknown, objects: ObjectCodec<WireWrapped>): DecodedSend {
  const { task, message } = result as WireWrapped;
  if (task !== undefined) return { task: objects.readTask(task) };
  if (message !== undefined) return { message: objects.readMessage(message) };
  throw new Error('This is neither a task nor a message');
}

/** `blocking` is the opposite of `returnImmediately`. */
export function params03<Event>(input: MessageInput, objects: ObjectCodec<Event>): Readonly<Record<string, unknown>> {
  const { returnImmediately, historyLength, acceptedOutputModes } = input;
  const blocking = returnImmediately === undefined ? undefined : !returnImmediately;
  return {
    message: objects.message(input),
    configuration: compact({ blocking, historyLength, acceptedOutputModes }),
    metadata: input.metadata,
  };
}

function rpcFormat03(version: '0.3' | '0.2'): WireFormat {
  return rpcFormat({
    version,
    methods: METHODS_03,
    objects: objects03,
    params: (input) => params03(input, objects03),
    sent(result) {
      const seen = objects03.readEvent(result as WireKind);
      if (seen.kind === 'task') return { task: seen.task };
      if (seen.kind === 'message') return { message: seen.message };
      throw new Error('This is neither a task nor a message');
    },
  });
}

export const rpc03: WireFormat = rpcFormat03('0.3');
export const rpc02: WireFormat = rpcFormat03('0.2');

/** In 0.1 the caller chooses the id of the task, and always waits. */
export const rpc01: WireFormat = rpcFormat({
  version: '0.1',
  methods: { ...METHODS_03, send: 'tasks/send', stream: 'tasks/sendSubscribe' },
  objects: objects01,
  params: (input) => ({
    id: input.taskId ?? randomUUID(),
    sessionId: input.contextId,
    message: objects01.message(input),
    historyLength: input.historyLength,
    metadata: input.metadata,
  }),
  sent: (result) => ({ task: objects01.readTask(result as WireTask) }),
});
