import { expect, test } from 'vitest';
import type { TaskPushNotificationConfig } from '../../model/push.ts';
import { decode, decodeParams } from '../dialect.ts';
import { v01 } from './index.ts';
import { getPushConfig, pushConfig, taskPushConfig } from './methods.ts';

const config: TaskPushNotificationConfig = {
  tenant: 'x',
  id: 'c1',
  taskId: 't1',
  url: 'https://x.test/hook',
  token: 'secret',
  authentication: { scheme: 'Bearer', credentials: 'abc' },
};

const wire = {
  url: 'https://x.test/hook',
  token: 'secret',
  authentication: { schemes: ['Bearer'], credentials: 'abc' },
};

test('a config stands beside the id of its task and has none of its own', () => {
  expect(taskPushConfig.encode(config)).toEqual({ id: 't1', pushNotificationConfig: wire });
  const { tenant: _, id: __, ...rest } = config;
  expect(decode(taskPushConfig, { id: 't1', pushNotificationConfig: wire }, 'request').value).toEqual(rest);
});

test('inside a send it stands alone', () => {
  expect(pushConfig.encode(config)).toEqual(wire);
  expect(decode(pushConfig, wire, 'request').value).not.toHaveProperty('taskId');
});

test('a config is asked for by its task', () => {
  expect(getPushConfig.encode({ tenant: 'x', taskId: 't1', id: 'c1' })).toEqual({ id: 't1' });
  expect(decode(getPushConfig, { id: 't1', metadata: {} }, 'request').value).toEqual({ taskId: 't1' });
});

test.each(['request', 'response'] as const)('null in a %s is a config with an empty address, also strictly', (role) => {
  const json = { id: 't1', pushNotificationConfig: null };
  const { value, warnings } = decode(taskPushConfig, json, role, { strict: true });
  expect(value).toEqual({ taskId: 't1', url: '' });
  expect(warnings).toEqual([]);
  expect(taskPushConfig.encode(value)).toEqual(json);
});

test('whose config is taken away must be said', () => {
  expect(() => decode(taskPushConfig, { pushNotificationConfig: null }, 'request')).toThrow('id: expected the member');
});

test.each([
  ['a config that is not there', { id: 't1' }, 'pushNotificationConfig: expected the member'],
  ['an empty address', { id: 't1', pushNotificationConfig: { url: '' } }, 'url: expected a non-empty string'],
  [
    'a config that is a word',
    { id: 't1', pushNotificationConfig: 'none' },
    'pushNotificationConfig: expected an object',
  ],
])('%s takes nothing away', (_case, json, message) => {
  expect(() => decode(taskPushConfig, json, 'request')).toThrow(message);
});

test('null beside a message is absence: a task that begins has no config to take away', () => {
  const params = { id: 't1', message: { role: 'user', parts: [{ type: 'text', text: 'hi' }] }, pushNotification: null };
  expect(decodeParams(v01, 'SendMessage', params).value).not.toHaveProperty('configuration');
});

test('of several schemes the bearer token is used', () => {
  const several = { ...wire, authentication: { schemes: ['Basic', 'bearer'] } };
  const { value, warnings } = decode(pushConfig, several, 'request');
  expect(value.authentication).toEqual({ scheme: 'bearer' });
  expect(warnings).toMatchObject([{ code: 'push-schemes-reduced' }]);
});
