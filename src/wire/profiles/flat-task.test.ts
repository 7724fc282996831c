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

// What a server reads

const message = { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'Summarize this' }] };

test.each<[string, JsonObject, object]>([
  ['a text', { message: 'Summarize this' }, { message }],
  ['a text among params, as corvid sends it', { params: { message: 'Summarize this' } }, { message }],
  [
    'hints beside the text',
    { params: { message: 'Summarize this', skill: 'summary', timeoutMs: 5000 } },
    { message, metadata: { skill: 'summary', timeoutMs: 5000 } },
  ],
])('%s becomes a message', (_case, body, request) => {
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
])('%s is refused', (_case, body, text) => {
  expect(() => decodeParams(flat, 'SendMessage', body, { limits: { maxString: 10 } })).toThrow(text);
});

test('a task is asked for by its id', () => {
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
])('%s %s means %j', (verb, path, match) => {
  expect(matchFlatTask(verb, path, { versions: [], profiles: ['corvid'] })).toEqual(match);
  expect(matchFlatTask(verb, path, { versions: [] })).toBeUndefined();
});

// What a client reads

/** A task as corvid answers with it. */
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

test('a flat task is a task whose answer is the last word of the agent', () => {
  expect(classifyPayload(ANSWER)).toBe('flat-task');
  expect(decodeResult(flat, 'GetTask', ANSWER, { newId: ids() })).toMatchObject({ value: TASK, warnings: [] });
  expect(decodeResult(flat, 'SendMessage', ANSWER, { newId: ids() }).value).toEqual({ task: TASK });
});

test('a task still at work has no answer yet', () => {
  const { status } = decodeResult(flat, 'GetTask', { ...ANSWER, state: 'working' }).value;
  expect(status).toEqual({ state: 'TASK_STATE_WORKING', timestamp: '2026-02-26T10:00:09.000Z' });
});

test('what the polling example shows of a task is enough, with its id', () => {
  const json = {
    id: 't1',
    state: 'completed',
    messages: [{ role: 'agent', parts: [{ text: 'Summary...' }] }],
    sessionId: null,
  };
  expect(decodeResult(flat, 'GetTask', json).value.status.message?.parts).toEqual([{ text: 'Summary...' }]);
});

test('an unknown state is read with a warning, and refused if reading is strict', () => {
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
    'a part that is no text',
    { messages: [{ role: 'user', parts: [{ type: 'data' }] }] },
    'messages[0].parts[0].text: expected the member text',
  ],
])('a task with %s is refused', (_case, change, text) => {
  expect(() => decodeResult(flat, 'GetTask', { ...ANSWER, ...change })).toThrow(text);
});

// What a server writes

const getTask = operationCodec(flat, 'GetTask').result;

test('what was read is written again', () => {
  expect(getTask.encode(TASK)).toEqual(ANSWER);
});

test('only four states go out: an end without success is a failure, a pause is work', () => {
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

test('the result of a completed task is the last message of the agent, whole and in one part', () => {
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

test('a bare message is a task that is done at once', () => {
  expect(operationCodec(flat, 'SendMessage').result.encode({ message: { ...summary, contextId: 'c1' } })).toMatchObject(
    {
      id: 'm3',
      state: 'completed',
      messages: [{ role: 'agent', parts: [{ type: 'text', text: 'Summary...' }] }],
    },
  );
});

test('a client sends the text, its hints beside it', () => {
  const request = {
    message: { ...summary, parts: [{ text: 'a' }, { data: 1 }, { text: 'b' }] },
    metadata: { skill: 's' },
  };
  expect(operationCodec(flat, 'SendMessage').params.encode(request)).toEqual({
    params: { message: 'a\nb', skill: 's' },
  });
});

test('hints never take the place of the text, and what is no time is not written as one', () => {
  const said = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] } as const;
  const { params } = operationCodec(flat, 'SendMessage');
  expect(params.encode({ message: said, metadata: { message: 'other', depth: 2 } })).toEqual({
    params: { message: 'hi', depth: 2 },
  });
  const timestamp = '2026-03-12T10:00:00.000Z';
  const task = { id: 't', status: { state: 'TASK_STATE_WORKING', timestamp }, metadata: { createdAt: 5 } } as const;
  expect(operationCodec(flat, 'GetTask').result.encode(task)).toMatchObject({ createdAt: timestamp });
});
