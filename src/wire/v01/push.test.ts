import { expect, test } from 'vitest';
import type { TaskPushNotificationConfig } from '../../model/push.ts';
import { decode } from '../dialect.ts';
import { getPushConfig, pushConfig, taskPushConfig } from './push.ts';

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

test('null is no config', () => {
  expect(() => decode(taskPushConfig, { id: 't1', pushNotificationConfig: null }, 'request')).toThrow(
    'pushNotificationConfig: expected the member',
  );
});

test('of several schemes the bearer token is used', () => {
  const several = { ...wire, authentication: { schemes: ['Basic', 'bearer'] } };
  const { value, warnings } = decode(pushConfig, several, 'request');
  expect(value.authentication).toEqual({ scheme: 'bearer' });
  expect(warnings).toMatchObject([{ code: 'push-schemes-reduced' }]);
});
