import { expect, test } from 'vitest';
import { A2AError } from '../../../errors.ts';
import type { Input, OperationName, SendMessageConfiguration } from '../../../model/operation.ts';
import { decodeParams, operationCodec } from '../../dialect.ts';
import { v03Proto } from './index.ts';

function encodeParams<K extends OperationName>(operation: K, params: Input<K>): unknown {
  return operationCodec(v03Proto, operation).params.encode(params);
}

function violationsOf(operation: OperationName, params: unknown) {
  try {
    decodeParams(v03Proto, operation, params);
  } catch (error) {
    if (A2AError.is(error, 'INVALID_PARAMS'))
      return error.violations.map(({ field, description }) => `${field}: ${description}`);
  }
  return [];
}

const MESSAGE = { messageId: 'm1', role: 'ROLE_USER' as const, parts: [{ text: 'hi' }] };
const MESSAGE_WIRE = { messageId: 'm1', role: 'ROLE_USER', content: [{ text: 'hi' }] };

test('a send is encoded and decoded again', () => {
  const params = {
    message: MESSAGE,
    configuration: {
      acceptedOutputModes: ['text/plain'],
      taskPushNotificationConfig: { id: 'c1', url: 'https://ex.test', authentication: { scheme: 'Basic' } },
      historyLength: 3,
      returnImmediately: true,
    },
    metadata: { a: 1 },
  };
  const wire = {
    message: MESSAGE_WIRE,
    configuration: {
      acceptedOutputModes: ['text/plain'],
      pushNotification: { id: 'c1', url: 'https://ex.test', authentication: { schemes: ['Basic'] } },
      historyLength: 3,
      blocking: false,
    },
    metadata: { a: 1 },
  };
  expect(encodeParams('SendMessage', { tenant: 'acme', ...params })).toEqual(wire);
  expect(decodeParams(v03Proto, 'SendStreamingMessage', wire)).toEqual({ value: params, warnings: [], raw: wire });
});

test('the message of a send is accepted under the name of its field', () => {
  const wire = { request: MESSAGE_WIRE, configuration: { push_notification: { url: 'u' }, history_length: '2' } };
  expect(decodeParams(v03Proto, 'SendMessage', wire).value).toEqual({
    message: MESSAGE,
    configuration: { taskPushNotificationConfig: { url: 'u' }, historyLength: 2, returnImmediately: true },
  });
});

test.each<[SendMessageConfiguration, object]>([
  [{}, { blocking: true }],
  [{ returnImmediately: false }, { blocking: true }],
  [{ returnImmediately: true }, { blocking: false }],
])('the configuration %j is encoded with blocking', (configuration, wire) => {
  expect(encodeParams('SendMessage', { message: MESSAGE, configuration })).toHaveProperty('configuration', wire);
});

test('a send without a configuration is encoded without one', () => {
  expect(encodeParams('SendMessage', { message: MESSAGE })).toEqual({ message: MESSAGE_WIRE });
});

test.each([
  [{ blocking: true }, {}],
  // Serialisers of protocol buffers omit false values.
  [{}, { returnImmediately: true }],
  [{ blocking: null }, { returnImmediately: true }],
  [{ blocking: false }, { returnImmediately: true }],
])('the configuration %j is decoded as %j', (wire, configuration) => {
  const params = { message: MESSAGE_WIRE, configuration: wire };
  expect(decodeParams(v03Proto, 'SendMessage', params).value.configuration).toEqual(configuration);
});

test('a history length of 0 means the whole history, so an empty history cannot be requested', () => {
  const wire = { message: MESSAGE_WIRE, configuration: { historyLength: 0, blocking: true } };
  expect(decodeParams(v03Proto, 'SendMessage', wire).value.configuration).toEqual({});
  expect(encodeParams('SendMessage', { message: MESSAGE, configuration: { historyLength: 0 } })).toHaveProperty(
    'configuration',
    { blocking: true },
  );
  expect(encodeParams('GetTask', { id: 't1', historyLength: 0 })).toEqual({ name: 'tasks/t1' });
  expect(decodeParams(v03Proto, 'GetTask', { name: 'tasks/t1', historyLength: 0 }).value).toEqual({ id: 't1' });
});

test('the role of a caller is always decoded as user, except in strict mode', () => {
  const wire = { message: { ...MESSAGE_WIRE, role: 'ROLE_AGENT' } };
  const { value, warnings } = decodeParams(v03Proto, 'SendMessage', wire);
  expect(value.message.role).toBe('ROLE_USER');
  expect(warnings).toMatchObject([{ code: 'role-not-user', field: 'message.role' }]);
  expect(() => decodeParams(v03Proto, 'SendMessage', wire, { strict: true })).toThrow(A2AError);
});

test('a task is requested by its name', () => {
  const wire = { name: 'tasks/t1', historyLength: 2 };
  expect(encodeParams('GetTask', { tenant: 'acme', id: 't1', historyLength: 2 })).toEqual(wire);
  expect(decodeParams(v03Proto, 'GetTask', wire).value).toEqual({ id: 't1', historyLength: 2 });
});

test.each(['CancelTask', 'SubscribeToTask'] as const)('%s is encoded with only a name', (operation) => {
  expect(encodeParams(operation, { tenant: 'acme', id: 't1', metadata: { a: 1 } })).toEqual({ name: 'tasks/t1' });
  expect(decodeParams(v03Proto, operation, { name: 'tasks/t1' }).value).toEqual({ id: 't1' });
});

test.each(['GetTask', 'CancelTask', 'SubscribeToTask'] as const)('%s accepts the id from a path', (operation) => {
  expect(decodeParams(v03Proto, operation, { id: 't1' }).value).toEqual({ id: 't1' });
  expect(decodeParams(v03Proto, operation, { id: 't1', name: 'tasks/t1' }).value).toEqual({ id: 't1' });
  expect(violationsOf(operation, { id: 't1', name: 'tasks/t2' })).toEqual(['name: expected the same id as in id']);
  expect(violationsOf(operation, {})).toEqual(['name: expected the member name']);
});

test.each(['t1', 'tasks/', 'tasks/a/b', '/tasks/a', 'tasks/a%20b', 'tasks/a/', 'task/a', ''])(
  '%j is rejected as the name of a task',
  (name) => {
    expect(violationsOf('GetTask', { name })).toEqual(['name: expected tasks/{taskId}']);
  },
);

test('the extended card takes no params', () => {
  expect(encodeParams('GetExtendedAgentCard', { tenant: 'acme' })).toEqual({});
  expect(decodeParams(v03Proto, 'GetExtendedAgentCard', undefined).value).toEqual({});
});

test('the methods have their gRPC names', () => {
  const methods = Object.entries(v03Proto.operations).map(([operation, { method }]) => [operation, method]);
  expect(Object.fromEntries(methods)).toEqual({
    SendMessage: 'SendMessage',
    SendStreamingMessage: 'SendStreamingMessage',
    GetTask: 'GetTask',
    CancelTask: 'CancelTask',
    SubscribeToTask: 'TaskSubscription',
    CreateTaskPushNotificationConfig: 'CreateTaskPushNotificationConfig',
    GetTaskPushNotificationConfig: 'GetTaskPushNotificationConfig',
    ListTaskPushNotificationConfigs: 'ListTaskPushNotificationConfig',
    DeleteTaskPushNotificationConfig: 'DeleteTaskPushNotificationConfig',
    GetExtendedAgentCard: 'GetAgentCard',
  });
});
