import { expect, test } from 'vitest';
import { A2AError } from '../errors.ts';
import type { OperationName } from '../model/operation.ts';
import { decodeParams, type Dialect } from './dialect.ts';
import { dialects } from './select.ts';

/** In every dialect, ids and other names are rejected if a store could confuse them with another name. */

const parts = [{ kind: 'text', type: 'text', text: 'hi' }];
const message = { messageId: 'm', role: 'user', parts };
const message1 = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] };
const config = { url: 'https://example.com/' };

type Case = readonly [dialect: keyof typeof dialects, OperationName, params: (name: string) => unknown, field: string];

const CASES: readonly Case[] = [
  ['v1', 'SendMessage', (tenant) => ({ tenant, message: message1 }), 'tenant'],
  ['v1', 'SendMessage', (messageId) => ({ message: { ...message1, messageId } }), 'message.messageId'],
  ['v1', 'SendMessage', (taskId) => ({ message: { ...message1, taskId } }), 'message.taskId'],
  ['v1', 'SendMessage', (contextId) => ({ message: { ...message1, contextId } }), 'message.contextId'],
  ['v1', 'GetTask', (id) => ({ id }), 'id'],
  ['v1', 'GetTask', (tenant) => ({ tenant, id: 't' }), 'tenant'],
  ['v1', 'CancelTask', (tenant) => ({ tenant, id: 't' }), 'tenant'],
  ['v1', 'SubscribeToTask', (tenant) => ({ tenant, id: 't' }), 'tenant'],
  ['v1', 'ListTasks', (tenant) => ({ tenant }), 'tenant'],
  ['v1', 'ListTasks', (contextId) => ({ contextId }), 'contextId'],
  ['v1', 'ListTasks', (pageToken) => ({ pageToken }), 'pageToken'],
  ['v1', 'GetExtendedAgentCard', (tenant) => ({ tenant }), 'tenant'],
  ['v1', 'CreateTaskPushNotificationConfig', (id) => ({ ...config, taskId: 't', id }), 'id'],
  ['v1', 'CreateTaskPushNotificationConfig', (taskId) => ({ ...config, taskId }), 'taskId'],
  ['v1', 'GetTaskPushNotificationConfig', (id) => ({ taskId: 't', id }), 'id'],
  ['v1', 'ListTaskPushNotificationConfigs', (pageToken) => ({ taskId: 't', pageToken }), 'pageToken'],
  ['v1', 'DeleteTaskPushNotificationConfig', (tenant) => ({ tenant, taskId: 't', id: 'c' }), 'tenant'],
  ['v03', 'SendMessage', (contextId) => ({ message: { ...message, contextId } }), 'message.contextId'],
  ['v03', 'SendMessage', (taskId) => ({ message: { ...message, taskId } }), 'message.taskId'],
  ['v03', 'GetTask', (id) => ({ id }), 'id'],
  [
    'v03',
    'GetTaskPushNotificationConfig',
    (id) => ({ id: 't', pushNotificationConfigId: id }),
    'pushNotificationConfigId',
  ],
  [
    'v03',
    'CreateTaskPushNotificationConfig',
    (id) => ({ taskId: 't', pushNotificationConfig: { ...config, id } }),
    'pushNotificationConfig.id',
  ],
  ['v01', 'SendMessage', (id) => ({ id, message }), 'id'],
  ['v01', 'SendMessage', (sessionId) => ({ id: 't', sessionId, message }), 'sessionId'],
];

test.each(CASES)('the dialect %s checks names in %s %o: %s', (version, operation, params, field) => {
  const dialect: Dialect = dialects[version];
  const fieldsOf = (name: string): readonly string[] => {
    try {
      decodeParams(dialect, operation, params(name));
      return [];
    } catch (error) {
      if (!A2AError.is(error, 'INVALID_PARAMS')) throw error;
      return error.violations.map((violation) => violation.field);
    }
  };
  expect(fieldsOf('Grüße 🔑')).toEqual([]);
  expect(fieldsOf('a\0b')).toEqual([field]);
  expect(fieldsOf('a\ud83d')).toEqual([field]);
});
