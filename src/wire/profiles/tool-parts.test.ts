import { expect, test } from 'vitest';
import type { JsonObject } from '../../model/json.ts';
import type { Part } from '../../model/part.ts';
import { decodeParams, decodeResult, operationCodec } from '../dialect.ts';
import { v03 } from '../v03/index.ts';
import { toolParts } from './tool-parts.ts';

const repairs = toolParts.repairs ?? [];
const rxjs = toolParts.forServer?.(v03) ?? v03;

/** The answer to a question in the design document of the RxJS agent. */
const RESULT = { kind: 'tool-result', toolUseId: 'input-1', result: { value: 'secret-key-123' } };
const USE = { kind: 'tool-use', toolUseId: 'u1', name: 'search', input: { q: ['a', null] }, metadata: { span: 's1' } };

function reply(...parts: readonly JsonObject[]): JsonObject {
  return { message: { kind: 'message', role: 'user', parts, messageId: 'msg-6', referenceTaskIds: ['task-789'] } };
}

test.each<[string, JsonObject, Part]>([
  [
    'tool-result',
    RESULT,
    { data: { toolUseId: 'input-1', result: { value: 'secret-key-123' } }, metadata: { 'a2a:kind': 'tool-result' } },
  ],
  [
    'tool-use',
    USE,
    {
      data: { toolUseId: 'u1', name: 'search', input: { q: ['a', null] } },
      metadata: { span: 's1', 'a2a:kind': 'tool-use' },
    },
  ],
])('a part of kind %s is decoded as data', (_case, wire, part) => {
  const params = reply({ kind: 'text', text: 'Here is the requested input:' }, wire);
  const { value, warnings } = decodeParams(v03, 'SendStreamingMessage', params, { repairs });
  expect(value.message).toEqual({
    messageId: 'msg-6',
    role: 'ROLE_USER',
    parts: [{ text: 'Here is the requested input:' }, part],
    referenceTaskIds: ['task-789'],
  });
  expect(warnings).toEqual([
    {
      code: 'tool-part',
      field: 'message.parts[1]',
      description: "expected 'text', 'file' or 'data'; read a tool part as data",
    },
  ]);
});

/** The question in the same document. */
const REQUEST = { kind: 'input-request', prompt: 'Enter API key:', sensitive: true, requestId: 'input-1' };
const QUESTION = {
  kind: 'status-update',
  taskId: 'task-789',
  contextId: 'ctx-1',
  status: {
    state: 'input-required',
    message: {
      kind: 'message',
      messageId: 'msg-5',
      role: 'agent',
      parts: [{ kind: 'text', text: 'Please provide your API key' }],
      inputRequest: REQUEST,
    },
    timestamp: '2025-10-30T10:00:02.000Z',
  },
  final: false,
};

test('an input request is stored in the metadata of its message', () => {
  const { value, warnings } = decodeResult(v03, 'SendStreamingMessage', QUESTION, { repairs });
  expect(value).toMatchObject({
    statusUpdate: {
      status: { state: 'TASK_STATE_INPUT_REQUIRED', message: { metadata: { 'a2a:inputRequest': REQUEST } } },
    },
  });
  expect(warnings).toEqual([
    {
      code: 'input-request',
      field: 'status.message',
      description: 'expected no member inputRequest; kept it in the metadata',
    },
  ]);
});

test('existing metadata is kept beside an input request', () => {
  const message = { ...QUESTION.status.message, metadata: { span: 's1' } };
  const { value } = decodeResult(v03, 'SendMessage', message, { repairs });
  expect(value).toMatchObject({ message: { metadata: { span: 's1', 'a2a:inputRequest': REQUEST } } });
});

test('an input request that is not an object is handled like an unknown member', () => {
  const { value, warnings } = decodeResult(
    v03,
    'SendMessage',
    { ...QUESTION.status.message, inputRequest: 'key?' },
    { repairs },
  );
  expect(value).not.toHaveProperty('message.metadata');
  expect(warnings).toEqual([]);
});

test('other kinds of parts stay unknown', () => {
  expect(() => decodeParams(v03, 'SendMessage', reply({ kind: 'tool', a: 1 }), { repairs })).toThrow(
    "message.parts[0].kind: expected 'text', 'file' or 'data'",
  );
});

test('strict decoding rejects tool parts and input requests', () => {
  expect(() => decodeParams(v03, 'SendMessage', reply(RESULT), { repairs, strict: true })).toThrow(
    expect.objectContaining({
      violations: [{ field: 'message.parts[0].kind', description: "expected 'text', 'file' or 'data'" }],
    }),
  );
  expect(() => decodeResult(v03, 'SendStreamingMessage', QUESTION, { repairs, strict: true })).toThrow(
    expect.objectContaining({
      violations: [{ field: 'status.message', description: 'expected no member inputRequest' }],
    }),
  );
});

// Responses

test('an agent mounted with this profile returns the question unchanged, with kind first', () => {
  const { value } = decodeResult(v03, 'SendStreamingMessage', QUESTION, { repairs });
  const [item] = rxjs.createStreamEncoder().encode(value, false);
  expect(item).toEqual(QUESTION);
  expect(JSON.stringify(item)).toMatch(/^\{"kind":"status-update".*"message":\{"kind":"message".*"inputRequest":/);
});

test('tool parts in its responses are encoded as received', () => {
  const { value } = decodeParams(v03, 'SendMessage', reply(RESULT, USE), { repairs });
  const task = {
    id: 't1',
    contextId: 'c1',
    status: { state: 'TASK_STATE_WORKING' },
    history: [value.message],
  } as const;
  const json = operationCodec(rxjs, 'GetTask').result.encode(task);
  expect(json).toMatchObject({ history: [{ parts: [RESULT, USE] }] });
  expect(JSON.stringify(json)).toContain(
    '{"kind":"tool-result","toolUseId":"input-1","result":{"value":"secret-key-123"}}',
  );
});

test('an agent mounted without this profile responds in the official format', () => {
  const { value } = decodeParams(v03, 'SendMessage', reply(RESULT), { repairs });
  const result = operationCodec(v03, 'SendMessage').result;
  expect(result.encode({ message: value.message })).toMatchObject({
    parts: [{ kind: 'data', data: { toolUseId: 'input-1' }, metadata: { 'a2a:kind': 'tool-result' } }],
  });
  const question = decodeResult(v03, 'SendMessage', QUESTION.status.message, { repairs }).value;
  expect(result.encode(question)).not.toHaveProperty('inputRequest');
});

test('user data that looks like a tool part stays data', () => {
  const parts: readonly Part[] = [
    { data: { a: 1 }, metadata: { 'a2a:kind': 'other' } },
    { data: [1], metadata: { x: 1 } },
    { data: { inner: { kind: 'message', metadata: { 'a2a:inputRequest': REQUEST } } } },
  ];
  const message = { messageId: 'm1', role: 'ROLE_AGENT', parts } as const;
  expect(operationCodec(rxjs, 'SendMessage').result.encode({ message })).toEqual(
    operationCodec(v03, 'SendMessage').result.encode({ message }),
  );
});
