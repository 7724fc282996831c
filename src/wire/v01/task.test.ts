import { expect, test } from 'vitest';
import type { TaskState } from '../../model/state.ts';
import type { Task } from '../../model/task.ts';
import { decode } from '../dialect.ts';
import { task } from './task.ts';

const WORDS: readonly (readonly [string, TaskState])[] = [
  ['submitted', 'TASK_STATE_SUBMITTED'],
  ['working', 'TASK_STATE_WORKING'],
  ['input-required', 'TASK_STATE_INPUT_REQUIRED'],
  ['completed', 'TASK_STATE_COMPLETED'],
  ['canceled', 'TASK_STATE_CANCELED'],
  ['failed', 'TASK_STATE_FAILED'],
  ['unknown', 'TASK_STATE_UNSPECIFIED'],
];

test.each(WORDS)('the state %s is decoded as %s', (word, state) => {
  const wire = { id: 't1', status: { state: word } };
  const model: Task = { id: 't1', status: { state } };
  expect(decode(task, wire, 'response', { strict: true }).value).toEqual(model);
  expect(task.encode(model)).toEqual(wire);
});

const LATER: readonly (readonly [TaskState, string, string])[] = [
  ['TASK_STATE_REJECTED', 'failed', 'rejected'],
  ['TASK_STATE_AUTH_REQUIRED', 'input-required', 'auth-required'],
];

test.each(LATER)('%s is encoded as %s and carried as %s', (state, nearest, word) => {
  const message = { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'no' }], metadata: { a: 1 } } as const;
  const model: Task = { id: 't1', status: { state, message }, metadata: { b: 2 } };
  const wire = task.encode(model);
  expect(wire).toEqual({
    id: 't1',
    status: {
      state: nearest,
      message: { role: 'agent', parts: [{ type: 'text', text: 'no' }], metadata: { a: 1, 'a2a:state': word } },
    },
    metadata: { b: 2, 'a2a:state': word },
  });
  expect(decode(task, wire, 'response', { newId: () => 'm' }).value).toEqual(model);
});

test.each(LATER)('%s survives a round trip without a message', (state, nearest, word) => {
  const model: Task = { id: 't1', status: { state } };
  const wire = task.encode(model);
  expect(wire).toEqual({ id: 't1', status: { state: nearest }, metadata: { 'a2a:state': word } });
  expect(decode(task, wire, 'response').value).toEqual(model);
});

test.each(LATER)('%s survives a round trip if only the message is kept', (state, nearest, word) => {
  const message = { role: 'agent', parts: [{ type: 'text', text: 'no' }], metadata: { 'a2a:state': word } };
  const { value } = decode(task, { id: 't1', status: { state: nearest, message } }, 'response', { newId: () => 'm' });
  expect(value.status).toEqual({ state, message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'no' }] } });
});

test('a carried state that does not match the encoded state is only metadata', () => {
  const wire = { id: 't1', status: { state: 'completed' }, metadata: { 'a2a:state': 'rejected' } };
  expect(decode(task, wire, 'response').value).toEqual({
    id: 't1',
    status: { state: 'TASK_STATE_COMPLETED' },
    metadata: { 'a2a:state': 'rejected' },
  });
});

test('states of later versions and of deployed agents are decoded', () => {
  const states = ['rejected', 'auth-required', 'cancelled', 'pending'].map(
    (state) => decode(task, { id: 't1', status: { state } }, 'response').value.status.state,
  );
  expect(states).toEqual([
    'TASK_STATE_REJECTED',
    'TASK_STATE_AUTH_REQUIRED',
    'TASK_STATE_CANCELED',
    'TASK_STATE_SUBMITTED',
  ]);
});

test('the session id is the context id', () => {
  const wire = {
    id: 't1',
    sessionId: 's1',
    status: { state: 'completed', timestamp: '2025-05-19T10:00:00.000Z' },
    artifacts: [{ index: 0, parts: [{ type: 'text', text: 'yo' }] }],
    history: [{ role: 'user', parts: [{ type: 'text', text: 'hi' }] }],
    metadata: { a: 1 },
  };
  const { value, warnings } = decode(task, wire, 'response', { newId: () => 'm', strict: true });
  expect(value).toEqual({
    id: 't1',
    contextId: 's1',
    status: { state: 'TASK_STATE_COMPLETED', timestamp: '2025-05-19T10:00:00.000Z' },
    artifacts: [{ artifactId: 'artifact-0', parts: [{ text: 'yo' }], metadata: { 'a2a:index': 0 } }],
    history: [{ messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] }],
    metadata: { a: 1 },
  });
  expect(warnings).toEqual([]);
  expect(task.encode(value)).toEqual(wire);
});

test('a task that cannot be decoded is rejected with an A2AError', () => {
  for (const json of [null, 7, [], {}, { metadata: { 'a2a:state': 'rejected' } }, { id: 't1', metadata: 7 }]) {
    expect(() => decode(task, json, 'request')).toThrow('expected');
  }
});
