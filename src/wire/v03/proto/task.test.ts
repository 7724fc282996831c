import { expect, test } from 'vitest';
import { A2AError } from '../../../errors.ts';
import { TASK_STATES } from '../../../model/state.ts';
import type { Task } from '../../../model/task.ts';
import { decode } from '../../dialect.ts';
import { task, taskState } from './task.ts';

test.each(TASK_STATES.map((state, number) => [state, number] as const))(
  'the state %s is also decoded from the number %i',
  (state, number) => {
    expect(decode(taskState, number, 'response').value).toBe(state);
    expect(decode(taskState, state, 'response').value).toBe(state);
    expect(taskState.encode(state)).toBe(state === 'TASK_STATE_CANCELED' ? 'TASK_STATE_CANCELLED' : state);
  },
);

test('the state is encoded as CANCELLED and decoded from both spellings', () => {
  expect(taskState.encode('TASK_STATE_CANCELED')).toBe('TASK_STATE_CANCELLED');
  expect(decode(taskState, 'TASK_STATE_CANCELLED', 'request').value).toBe('TASK_STATE_CANCELED');
});

test('an unknown state is accepted in a response and rejected in a request', () => {
  const { value, warnings } = decode(taskState, 'TASK_STATE_PAUSED', 'response');
  expect(value).toBe('TASK_STATE_UNSPECIFIED');
  expect(warnings).toMatchObject([{ code: 'unknown-word' }]);
  expect(() => decode(taskState, 'completed', 'request')).toThrow(A2AError);
});

const FULL: Task = {
  id: 't1',
  contextId: 'c1',
  status: {
    state: 'TASK_STATE_CANCELED',
    message: { messageId: 'm2', role: 'ROLE_AGENT', parts: [{ data: { a: 1 } }] },
    timestamp: '2026-03-12T10:00:00.000Z',
  },
  artifacts: [{ artifactId: 'a1', parts: [{ text: 'yo' }] }],
  history: [{ messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'hi' }] }],
  metadata: { a: null },
};

const FULL_WIRE = {
  id: 't1',
  contextId: 'c1',
  status: {
    state: 'TASK_STATE_CANCELLED',
    message: { messageId: 'm2', role: 'ROLE_AGENT', content: [{ data: { data: { a: 1 } } }] },
    timestamp: '2026-03-12T10:00:00.000Z',
  },
  artifacts: [{ artifactId: 'a1', parts: [{ text: 'yo' }] }],
  history: [{ messageId: 'm1', role: 'ROLE_USER', content: [{ text: 'hi' }] }],
  metadata: { a: null },
};

test('a task is encoded and decoded again', () => {
  expect(task.encode(FULL)).toEqual(FULL_WIRE);
  expect(decode(task, FULL_WIRE, 'response')).toEqual({ value: FULL, warnings: [], raw: FULL_WIRE });
});

test('the message of a status is accepted under the name of its field', () => {
  const { message, ...status } = FULL_WIRE.status;
  const wire = { ...FULL_WIRE, status: { ...status, update: message } };
  expect(decode(task, wire, 'response').value).toEqual(FULL);
});

test('times of any precision and zone are normalised', () => {
  const wire = { id: 't', status: { state: 3, timestamp: '2026-03-12T12:00:00.123456789+02:00' } };
  expect(decode(task, wire, 'response').value.status.timestamp).toBe('2026-03-12T10:00:00.123Z');
});

test('empty lists mean the same as missing ones', () => {
  const wire = { id: 't', status: { state: 'TASK_STATE_WORKING' }, artifacts: [], history: [], contextId: '' };
  expect(decode(task, wire, 'response').value).toEqual({ id: 't', status: { state: 'TASK_STATE_WORKING' } });
});

test('a task must have an id', () => {
  expect(() => decode(task, { status: { state: 3 } }, 'response')).toThrow('id: expected the member id');
});
