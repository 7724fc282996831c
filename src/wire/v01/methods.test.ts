import { describe, expect, test } from 'vitest';
import type { SendMessageRequest } from '../../model/operation.ts';
import { decodeParams, operationCodec } from '../dialect.ts';
import { v01 } from './index.ts';

const text = { role: 'user', parts: [{ type: 'text', text: 'hi' }] };

const wire = {
  id: 't1',
  sessionId: 's1',
  message: text,
  pushNotification: { url: 'https://x.test/hook', token: 'secret' },
  historyLength: 3,
  metadata: { a: 1 },
};

const model: SendMessageRequest = {
  message: { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'hi' }], taskId: 't1', contextId: 's1' },
  configuration: {
    taskPushNotificationConfig: { url: 'https://x.test/hook', token: 'secret' },
    historyLength: 3,
  },
  metadata: { a: 1 },
};

const send = operationCodec(v01, 'SendMessage').params;

describe.each(['SendMessage', 'SendStreamingMessage'] as const)('%s', (operation) => {
  test('decodes members beside the message', () => {
    const { value, warnings } = decodeParams(v01, operation, wire, { newId: () => 'm1', strict: true });
    expect(value).toEqual(model);
    expect(warnings).toEqual([]);
  });

  test('encodes the members beside the message again', () => {
    expect(operationCodec(v01, operation).params.encode(model)).toEqual(wire);
  });
});

test('a send with only a message has neither configuration nor context', () => {
  const { value } = decodeParams(v01, 'SendMessage', { id: 't1', message: text }, { newId: () => 'm1' });
  expect(value).toEqual({
    message: { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'hi' }], taskId: 't1' },
  });
});

test('a session takes precedence over a context in the message', () => {
  const message = { ...text, contextId: 'c9', taskId: 't9' };
  const both = decodeParams(v01, 'SendMessage', { id: 't1', sessionId: 's1', message }).value.message;
  expect(both).toMatchObject({ contextId: 's1', taskId: 't1' });
  expect(decodeParams(v01, 'SendMessage', { id: 't1', message }).value.message).toMatchObject({ contextId: 'c9' });
});

test('a message that starts a task gets a task id, the same in every attempt', () => {
  const { taskId: _, ...message } = model.message;
  expect(send.encode({ message })).toMatchObject({ id: 'm1' });
});

test('members of a send that 0.1 does not have are not encoded', () => {
  const configuration = { acceptedOutputModes: ['text/plain'], returnImmediately: true };
  expect(send.encode({ tenant: 'x', message: model.message, configuration })).toEqual({
    id: 't1',
    sessionId: 's1',
    message: text,
  });
});

test('a send without a task id or a message is rejected', () => {
  expect(() => decodeParams(v01, 'SendMessage', {})).toThrow('id: expected the member id (and 1 more)');
  expect(() => decodeParams(v01, 'SendMessage', { id: '', message: { parts: [] } })).toThrow(
    'id: expected a non-empty',
  );
});

test('a message with the role of an agent is decoded as one of the user', () => {
  const { value, warnings } = decodeParams(v01, 'SendMessage', { id: 't1', message: { ...text, role: 'agent' } });
  expect(value.message.role).toBe('ROLE_USER');
  expect(warnings).toMatchObject([{ code: 'role-not-user', field: 'message.role' }]);
});

test.each([
  [{ id: 't1' }, 0],
  [{ id: 't1', historyLength: null }, 0],
  [{ id: 't1', historyLength: 0 }, 0],
  [{ id: 't1', historyLength: 5, metadata: {} }, 5],
])('GetTask with %j requests %i messages', (params, historyLength) => {
  expect(decodeParams(v01, 'GetTask', params).value).toEqual({ id: 't1', historyLength });
});

test.each([
  ['GetTask', { id: 't1', historyLength: 2 }],
  ['CancelTask', { id: 't1', metadata: { a: 1 } }],
  ['SubscribeToTask', { id: 't1' }],
] as const)('%s contains the task id', (operation, request) => {
  expect(operationCodec(v01, operation).params.encode({ tenant: 'x', ...request })).toEqual(request);
  expect(decodeParams(v01, operation, request).value).toEqual(request);
});

test('methods have their 0.1 names, and later methods are missing', () => {
  const methods = Object.entries(v01.operations).map(([operation, { method }]) => [operation, method]);
  expect(Object.fromEntries(methods)).toEqual({
    SendMessage: 'tasks/send',
    SendStreamingMessage: 'tasks/sendSubscribe',
    GetTask: 'tasks/get',
    CancelTask: 'tasks/cancel',
    SubscribeToTask: 'tasks/resubscribe',
    CreateTaskPushNotificationConfig: 'tasks/pushNotification/set',
    GetTaskPushNotificationConfig: 'tasks/pushNotification/get',
  });
});
