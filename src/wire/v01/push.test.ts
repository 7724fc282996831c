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

test('a config is encoded beside the task id and has no id', () => {
  expect(taskPushConfig.encode(config)).toEqual({ id: 't1', pushNotificationConfig: wire });
  const { tenant: _, id: __, ...rest } = config;
  expect(decode(taskPushConfig, { id: 't1', pushNotificationConfig: wire }, 'request').value).toEqual(rest);
});

test('a config in a send is encoded without a task id', () => {
  expect(pushConfig.encode(config)).toEqual(wire);
  expect(decode(pushConfig, wire, 'request').value).not.toHaveProperty('taskId');
});

test('a config is requested by the id of its task', () => {
  expect(getPushConfig.encode({ tenant: 'x', taskId: 't1', id: 'c1' })).toEqual({ id: 't1' });
  expect(decode(getPushConfig, { id: 't1', metadata: {} }, 'request').value).toEqual({ taskId: 't1' });
});

test.each(['request', 'response'] as const)(
  'a null config in a %s is decoded as a config with an empty URL, even in strict mode',
  (role) => {
    const json = { id: 't1', pushNotificationConfig: null };
    const { value, warnings } = decode(taskPushConfig, json, role, { strict: true });
    expect(value).toEqual({ taskId: 't1', url: '' });
    expect(warnings).toEqual([]);
    expect(taskPushConfig.encode(value)).toEqual(json);
  },
);

test('a request to remove a config without a task id is rejected', () => {
  expect(() => decode(taskPushConfig, { pushNotificationConfig: null }, 'request')).toThrow('id: expected the member');
});

test.each([
  ['a missing config', { id: 't1' }, 'pushNotificationConfig: expected the member'],
  ['an empty URL', { id: 't1', pushNotificationConfig: { url: '' } }, 'url: expected a non-empty string'],
  [
    'a config that is a string',
    { id: 't1', pushNotificationConfig: 'none' },
    'pushNotificationConfig: expected an object',
  ],
])('a config is not removed by %s', (_case, json, message) => {
  expect(() => decode(taskPushConfig, json, 'request')).toThrow(message);
});

test('a null config in a send means no config, because a new task has none to remove', () => {
  const params = { id: 't1', message: { role: 'user', parts: [{ type: 'text', text: 'hi' }] }, pushNotification: null };
  expect(decodeParams(v01, 'SendMessage', params).value).not.toHaveProperty('configuration');
});

test('the bearer scheme is used if a config has several', () => {
  const several = { ...wire, authentication: { schemes: ['Basic', 'bearer'] } };
  const { value, warnings } = decode(pushConfig, several, 'request');
  expect(value.authentication).toEqual({ scheme: 'bearer' });
  expect(warnings).toMatchObject([{ code: 'push-schemes-reduced' }]);
});
