import { expect, test } from 'vitest';
import { A2AError } from '../../../errors.ts';
import type { TaskPushNotificationConfig } from '../../../model/push.ts';
import type { Codec } from '../../codec.ts';
import { decode } from '../../dialect.ts';
import {
  createPushConfig,
  deletePushConfig,
  getPushConfig,
  listPushConfigs,
  pushConfigList,
  taskPushConfig,
} from './push.ts';

const CONFIG: TaskPushNotificationConfig = {
  taskId: 't1',
  id: 'c1',
  url: 'https://ex.test/hook',
  token: 'tok',
  authentication: { scheme: 'Bearer', credentials: 'secret' },
};

const WIRE = {
  name: 'tasks/t1/pushNotificationConfigs/c1',
  pushNotificationConfig: {
    id: 'c1',
    url: 'https://ex.test/hook',
    token: 'tok',
    authentication: { schemes: ['Bearer'], credentials: 'secret' },
  },
};

const BARE = { taskId: 't1', url: 'https://ex.test/hook' };

function violationsOf(codec: Codec<unknown>, json: unknown, strict = false) {
  try {
    decode(codec, json, 'request', { strict });
  } catch (error) {
    if (A2AError.is(error)) return error.violations.map(({ field, description }) => `${field}: ${description}`);
  }
  return [];
}

test('the name of a config contains the ids of task and config', () => {
  expect(taskPushConfig.encode({ tenant: 'acme', ...CONFIG })).toEqual(WIRE);
  expect(decode(taskPushConfig, WIRE, 'response')).toEqual({ value: CONFIG, warnings: [], raw: expect.anything() });
});

test('a new config has its id in every member that a server may use', () => {
  const wire = { parent: 'tasks/t1', configId: 'c1', config: WIRE };
  expect(createPushConfig.encode(CONFIG)).toEqual(wire);
  expect(decode(createPushConfig, wire, 'request')).toEqual({ value: CONFIG, warnings: [], raw: expect.anything() });
});

test('a new config without an id gets the id of its task, as in other servers', () => {
  expect(createPushConfig.encode(BARE)).toEqual({
    parent: 'tasks/t1',
    configId: 't1',
    config: {
      name: 'tasks/t1/pushNotificationConfigs/t1',
      pushNotificationConfig: { id: 't1', url: 'https://ex.test/hook' },
    },
  });
});

const { pushNotificationConfig } = WIRE;
const { id: _, ...withoutId } = pushNotificationConfig;

test.each([
  ['the config as body, the id in the query', { taskId: 't1', configId: 'c1', pushNotificationConfig: withoutId }],
  ['the named config as body', { taskId: 't1', name: WIRE.name, pushNotificationConfig: withoutId }],
  ['the named config alone', { name: WIRE.name, pushNotificationConfig }],
  ['the named config under config', { taskId: 't1', config: WIRE }],
  ['the named config under config, the id in its name', { config: { ...WIRE, pushNotificationConfig: withoutId } }],
  ['the plain config under config', { taskId: 't1', config: pushNotificationConfig }],
  ['the tagged form', { taskId: 't1', pushNotificationConfig }],
  ['the tagged form under config', { config: { taskId: 't1', pushNotificationConfig } }],
  ['snake case', { parent: 'tasks/t1', config_id: 'c1', config: { push_notification_config: withoutId } }],
])('the creation of a config is decoded from %s', (_name, body) => {
  expect(decode(createPushConfig, body, 'request')).toEqual({ value: CONFIG, warnings: [], raw: expect.anything() });
});

test('an authentication without schemes is the same as one with an empty list of schemes', () => {
  for (const authentication of [{}, { schemes: [] }]) {
    const wire = { parent: 'tasks/t1', config: { pushNotificationConfig: { url: BARE.url, authentication } } };
    expect(decode(createPushConfig, wire, 'request', { strict: true }).value).toEqual(BARE);
  }
});

test('a name without a config id lets the server choose the id', () => {
  const wire = { name: 'tasks/t1/pushNotificationConfigs/', pushNotificationConfig: { id: '', url: BARE.url } };
  const { value, warnings } = decode(createPushConfig, wire, 'request');
  expect(value).toEqual(BARE);
  expect(warnings).toMatchObject([{ code: 'push-config-name-open', field: 'name' }]);
  expect(violationsOf(createPushConfig, wire, true)).toHaveLength(1);
});

test.each([
  ['no task', { pushNotificationConfig }, ['parent: expected the member parent']],
  ['no config', { parent: 'tasks/t1' }, ['pushNotificationConfig: expected the member pushNotificationConfig']],
  [
    'no url',
    { parent: 'tasks/t1', config: { pushNotificationConfig: {} } },
    ['config.pushNotificationConfig.url: expected the member url'],
  ],
  ['another task in the name', { taskId: 't2', ...WIRE }, ['name: expected the same id as in taskId']],
  [
    'another task in the parent',
    { taskId: 't2', parent: 'tasks/t1', pushNotificationConfig },
    ['parent: expected the same id as in taskId'],
  ],
  [
    'another id in the config',
    { parent: 'tasks/t1', configId: 'c2', pushNotificationConfig },
    ['pushNotificationConfig.id: expected the same id as in configId'],
  ],
  ['a parent that is not a name and a config with one', { parent: 't1', ...WIRE }, ['parent: expected tasks/{taskId}']],
  ['a parent that is not a name', { parent: 't1', pushNotificationConfig }, ['parent: expected tasks/{taskId}']],
])('the creation of a config with %s is rejected', (_name, body, violations) => {
  expect(violationsOf(createPushConfig, body)).toEqual(violations);
});

test('a response with contradictory ids is accepted with a warning', () => {
  const wire = { ...WIRE, name: 'tasks/t1/pushNotificationConfigs/other' };
  const { value, warnings } = decode(taskPushConfig, wire, 'response');
  expect(value.id).toBe('c1');
  expect(warnings).toMatchObject([{ code: 'ids-disagree', field: 'name' }]);
});

test.each([
  ['get', getPushConfig.encode, getPushConfig.decode],
  ['delete', deletePushConfig.encode, deletePushConfig.decode],
] as const)('a request to %s a config contains its name', (_name, encode, decodeOne) => {
  const address = { taskId: 't1', id: 'c1' };
  const codec = { decode: decodeOne, encode: () => undefined };
  expect(encode(address)).toEqual({ name: WIRE.name });
  expect(decode<object>(codec, { name: WIRE.name }, 'request').value).toEqual(address);
  expect(decode<object>(codec, { id: 't1', pushNotificationConfigId: 'c1' }, 'request').value).toEqual(address);
});

test('the default config of a task is requested by the id of the task', () => {
  expect(getPushConfig.encode({ taskId: 't1' })).toEqual({ name: 'tasks/t1/pushNotificationConfigs/t1' });
});

test.each([
  'tasks/t1',
  'tasks/t1/pushNotificationConfigs',
  'tasks/t1/pushNotificationConfigs/',
  'tasks/t1/pushNotificationConfigs/c1/',
  'tasks/t1/pushNotificationConfigs/a/b',
  'tasks/t%201/pushNotificationConfigs/c1',
  'tasks/t1/pushNotificationConfigs/c%2F1',
  'tasks//pushNotificationConfigs/c1',
  '/tasks/t1/pushNotificationConfigs/c1',
  'v1/tasks/t1/pushNotificationConfigs/c1',
  'Tasks/t1/pushNotificationConfigs/c1',
])('%j is rejected as the name of a config', (name) => {
  const expected = 'name: expected tasks/{taskId}/pushNotificationConfigs/{configId}';
  expect(violationsOf(getPushConfig, { name })).toEqual([expected]);
});

test('a request with a missing, incomplete or contradictory name is rejected', () => {
  expect(violationsOf(getPushConfig, {})).toContain('name: expected the member name');
  expect(violationsOf(getPushConfig, { id: 't1' })).toEqual([
    'pushNotificationConfigId: expected the member pushNotificationConfigId',
  ]);
  expect(violationsOf(getPushConfig, { id: 't2', name: WIRE.name })).toEqual(['name: expected the same id as in id']);
  expect(violationsOf(getPushConfig, { name: 1 })).toEqual(['name: expected a string']);
});

test('a page of configs is requested by the name of the task', () => {
  const params = { parent: 'tasks/t1', pageSize: 5, pageToken: 'p' };
  expect(listPushConfigs.encode({ tenant: 'acme', taskId: 't1', pageSize: 5, pageToken: 'p' })).toEqual(params);
  expect(decode(listPushConfigs, params, 'request').value).toEqual({ taskId: 't1', pageSize: 5, pageToken: 'p' });
  expect(decode(listPushConfigs, { id: 't1', pageSize: 0 }, 'request').value).toEqual({ taskId: 't1' });
  expect(violationsOf(listPushConfigs, {})).toEqual(['parent: expected the member parent']);
});

test('a page of configs is encoded and decoded again, and the bare list of other styles is accepted', () => {
  const page = { configs: [CONFIG], nextPageToken: 'p' };
  expect(pushConfigList.encode(page)).toEqual({ configs: [WIRE], nextPageToken: 'p' });
  expect(decode(pushConfigList, { configs: [WIRE], nextPageToken: 'p' }, 'response').value).toEqual(page);
  const list = [{ taskId: 't1', pushNotificationConfig }];
  expect(decode(pushConfigList, list, 'response').value).toEqual({ configs: [CONFIG] });
  expect(decode(pushConfigList, {}, 'response').value).toEqual({});
});
