import { expect, test } from 'vitest';
import type { JsonObject } from '../../model/json.ts';
import { TASK_STATES } from '../../model/state.ts';
import type { Task } from '../../model/task.ts';
import { classifyPayload } from '../classify.ts';
import { decodeParams, decodeResult, operationCodec } from '../dialect.ts';
import { v03 } from '../v03/index.ts';
import { matchFlatTask } from '../offer.ts';
import { createFlatTaskDialect } from './flat-task.ts';

const flat = createFlatTaskDialect(v03);

function ids(): () => string {
  let n = 0;
  return () => `m${++n}`;
}

// Requests that a server decodes

const message = { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'Summarize this' }] };

test.each<[string, JsonObject, object]>([
  ['a text', { message: 'Summarize this' }, { message }],
  ['a text among params, as corvid sends it', { params: { message: 'Summarize this' } }, { message }],
  [
    'hints beside the text',
    { params: { message: 'Summarize this', skill: 'summary', timeoutMs: 5000 } },
    { message, metadata: { skill: 'summary', timeoutMs: 5000 } },
  ],
])('a flat request becomes a message: %s', (_case, body, request) => {
  expect(decodeParams(flat, 'SendMessage', body, { newId: ids() }).value).toEqual(request);
});

const NO_TEXT = 'expected a non-blank string';

test.each<[string, unknown, string]>([
  ['no message', {}, `message: ${NO_TEXT}`],
  ['a blank one', { message: ' \n' }, `message: ${NO_TEXT}`],
  ['a blank one among params', { params: { message: '' } }, `params.message: ${NO_TEXT}`],
  ['an object', { message: { role: 'user', parts: [] } }, `message: ${NO_TEXT}`],
  ['an object that cannot be a text', { message: { toString: 1 } }, `message: ${NO_TEXT}`],
  ['a text for a body', 'Summarize this', `message: ${NO_TEXT}`],
  ['a long text', { message: 'x'.repeat(11) }, 'message: expected at most 10 characters'],
  [
    'a long hint',
    { params: { message: 'x', skill: ['y'.repeat(11)] } },
    'params.skill[0]: expected at most 10 characters',
  ],
])('a flat request is rejected: %s', (_case, body, text) => {
  expect(() => decodeParams(flat, 'SendMessage', body, { limits: { maxString: 10 } })).toThrow(text);
});

test('a task is requested by its id', () => {
  expect(decodeParams(flat, 'GetTask', { id: 't1' }).value).toEqual({ id: 't1' });
  expect(Object.keys(flat.operations)).toEqual(['SendMessage', 'GetTask']);
});

test.each([
  ['POST', '/a2a/tasks/send', { operation: 'SendMessage' }],
  ['GET', '/a2a/tasks/t1', { operation: 'GetTask', taskId: 't1' }],
  ['GET', '/a2a/tasks/a%2Fb%253A', { operation: 'GetTask', taskId: 'a/b%3A' }],
  ['GET', '/a2a/tasks/send', { operation: 'GetTask', taskId: 'send' }],
  ['POST', '/a2a/tasks/t1', undefined],
  ['POST', '/a2a/tasks/send/', undefined],
  ['GET', '/a2a/tasks', undefined],
  ['GET', '/a2a/tasks/', undefined],
  ['GET', '/a2a/tasks/t1/x', undefined],
  ['GET', '/a2a/tasks/%zz', undefined],
  ['DELETE', '/a2a/tasks/t1', undefined],
])('the request %s %s is routed to %j', (verb, path, match) => {
  expect(matchFlatTask(verb, path, { versions: [], profiles: ['corvid'] })).toEqual(match);
  expect(matchFlatTask(verb, path, { versions: [] })).toBeUndefined();
});

// Responses that a client decodes

/** A task as corvid returns it. */
const ANSWER = {
  id: 't1',
  state: 'completed',
  messages: [
    { role: 'user', parts: [{ type: 'text', text: 'Summarize this' }] },
    { role: 'agent', parts: [{ type: 'text', text: 'Thinking' }] },
    { role: 'agent', parts: [{ type: 'text', text: 'Summary...' }] },
  ],
  sessionId: 's1',
  createdAt: '2026-02-26T10:00:00.000Z',
  updatedAt: '2026-02-26T10:00:09.000Z',
};

const summary = { messageId: 'm3', role: 'ROLE_AGENT', parts: [{ text: 'Summary...' }] } as const;
const TASK: Task = {
  id: 't1',
  contextId: 's1',
  status: { state: 'TASK_STATE_COMPLETED', message: summary, timestamp: '2026-02-26T10:00:09.000Z' },
  history: [
    { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'Summarize this' }] },
    { messageId: 'm2', role: 'ROLE_AGENT', parts: [{ text: 'Thinking' }] },
    summary,
  ],
  metadata: { createdAt: '2026-02-26T10:00:00.000Z' },
};

test('a flat task is decoded with the last message of the agent as its result', () => {
  expect(classifyPayload(ANSWER)).toBe('flat-task');
  expect(decodeResult(flat, 'GetTask', ANSWER, { newId: ids() })).toMatchObject({ value: TASK, warnings: [] });
  expect(decodeResult(flat, 'SendMessage', ANSWER, { newId: ids() }).value).toEqual({ task: TASK });
});

test('a working flat task is decoded without a result', () => {
  const { status } = decodeResult(flat, 'GetTask', { ...ANSWER, state: 'working' }).value;
  expect(status).toEqual({ state: 'TASK_STATE_WORKING', timestamp: '2026-02-26T10:00:09.000Z' });
});

test('a flat task with an id and the members of the polling example is valid', () => {
  const json = {
    id: 't1',
    state: 'completed',
    messages: [{ role: 'agent', parts: [{ text: 'Summary...' }] }],
    sessionId: null,
  };
  expect(decodeResult(flat, 'GetTask', json).value.status.message?.parts).toEqual([{ text: 'Summary...' }]);
});

test('an unknown state is decoded with a warning, and rejected in strict mode', () => {
  const json = { ...ANSWER, state: 'paused' };
  const { value, warnings } = decodeResult(flat, 'GetTask', json);
  expect(value.status.state).toBe('TASK_STATE_UNSPECIFIED');
  expect(warnings).toMatchObject([{ code: 'unknown-word', field: 'state' }]);
  expect(() => decodeResult(flat, 'GetTask', json, { strict: true })).toThrow('state: expected one of');
});

test.each([
  ['no id', { id: undefined }, 'id: expected the member id'],
  ['no messages', { messages: undefined }, 'messages: expected the member messages'],
  [
    'a part that is not a text',
    { messages: [{ role: 'user', parts: [{ type: 'data' }] }] },
    'messages[0].parts[0].text: expected the member text',
  ],
])('a flat task with %s is rejected', (_case, change, text) => {
  expect(() => decodeResult(flat, 'GetTask', { ...ANSWER, ...change })).toThrow(text);
});

// Responses that a server encodes

const getTask = operationCodec(flat, 'GetTask').result;

test('a decoded flat task is encoded to the same JSON', () => {
  expect(getTask.encode(TASK)).toEqual(ANSWER);
});

test('only four states are encoded: rejected and canceled tasks as failed, paused tasks as working', () => {
  const states = TASK_STATES.map((state) => getTask.encode({ id: 't', status: { state } }));
  expect(states.map((json) => (json as JsonObject)['state'])).toEqual([
    'working', // unspecified
    'submitted',
    'working',
    'completed',
    'failed',
    'failed', // canceled
    'working', // input-required
    'failed', // rejected
    'working', // auth-required
  ]);
});

test('the result of a completed task is the whole last message of the agent in one part', () => {
  const json = getTask.encode({
    id: 't1',
    contextId: 'c1',
    status: { state: 'TASK_STATE_COMPLETED', message: summary, timestamp: '2026-02-26T10:00:09.000Z' },
    history: [{ messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'Hi' }, { data: 1 }] }],
    artifacts: [
      { artifactId: 'a', parts: [{ text: 'one, ' }, { text: 'two' }] },
      { artifactId: 'b', parts: [{ raw: 'aGk=' }] },
      { artifactId: 'c', parts: [{ data: { three: 3 } }] },
    ],
  });
  expect(json).toEqual({
    id: 't1',
    state: 'completed',
    messages: [
      { role: 'user', parts: [{ type: 'text', text: 'Hi' }] },
      { role: 'agent', parts: [{ type: 'text', text: 'Summary...' }] },
      { role: 'agent', parts: [{ type: 'text', text: 'one, two\n{"three":3}' }] },
    ],
    sessionId: 'c1',
    createdAt: '2026-02-26T10:00:09.000Z',
    updatedAt: '2026-02-26T10:00:09.000Z',
  });
});

test('the reason of a failed task is the last message of the agent', () => {
  const status = { state: 'TASK_STATE_FAILED', message: { ...summary, parts: [{ text: 'Task timed out' }] } } as const;
  const json = getTask.encode({ id: 't1', status, artifacts: [{ artifactId: 'a', parts: [{ text: 'one' }] }] });
  expect((json as { readonly messages: readonly unknown[] }).messages.at(-1)).toEqual({
    role: 'agent',
    parts: [{ type: 'text', text: 'Task timed out' }],
  });
});

test('a message without a task is encoded as a completed task', () => {
  expect(operationCodec(flat, 'SendMessage').result.encode({ message: { ...summary, contextId: 'c1' } })).toMatchObject(
    {
      id: 'm3',
      state: 'completed',
      messages: [{ role: 'agent', parts: [{ type: 'text', text: 'Summary...' }] }],
    },
  );
});

test('a client sends the text with its hints as further members', () => {
  const request = {
    message: { ...summary, parts: [{ text: 'a' }, { data: 1 }, { text: 'b' }] },
    metadata: { skill: 's' },
  };
  expect(operationCodec(flat, 'SendMessage').params.encode(request)).toEqual({
    params: { message: 'a\nb', skill: 's' },
  });
});

test('hints do not replace the text, and metadata that is not a time does not replace createdAt', () => {
  const said = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] } as const;
  const { params } = operationCodec(flat, 'SendMessage');
  expect(params.encode({ message: said, metadata: { message: 'other', depth: 2 } })).toEqual({
    params: { message: 'hi', depth: 2 },
  });
  const timestamp = '2026-03-12T10:00:00.000Z';
  const task = { id: 't', status: { state: 'TASK_STATE_WORKING', timestamp }, metadata: { createdAt: 5 } } as const;
  expect(operationCodec(flat, 'GetTask').result.encode(task)).toMatchObject({ createdAt: timestamp });
});
