import { expect, test } from 'vitest';
import { decodeParams, decodeResult, operationCodec } from '../dialect.ts';
import { v03 } from './index.ts';

const url = 'https://hooks.example/1';

test.each<[object, object | undefined]>([
  [
    { schemes: ['Bearer'], credentials: 'x' },
    { scheme: 'Bearer', credentials: 'x' },
  ],
  [{ schemes: ['Basic', 'bearer'] }, { scheme: 'bearer' }],
  [{ schemes: ['Basic', 'Digest'] }, { scheme: 'Basic' }],
  [{ schemes: [] }, undefined],
  [
    { schemes: [], credentials: 'x' },
    { scheme: 'Bearer', credentials: 'x' },
  ],
])('the authentication %j is decoded as %j', (authentication, expected) => {
  const json = { taskId: 't', pushNotificationConfig: { id: 'p', url, token: 'k', authentication } };
  const { value } = decodeParams(v03, 'CreateTaskPushNotificationConfig', json);
  expect(value).toEqual({ taskId: 't', id: 'p', url, token: 'k', ...(expected && { authentication: expected }) });
});

test('using one of several schemes leaves a warning', () => {
  const authentication = { schemes: ['Basic', 'Bearer'] };
  const json = { taskId: 't', pushNotificationConfig: { url, authentication } };
  const { warnings } = decodeParams(v03, 'CreateTaskPushNotificationConfig', json);
  expect(warnings).toMatchObject([{ code: 'push-schemes-reduced', field: 'pushNotificationConfig.authentication' }]);
});

test('a config is encoded beside its task id, with its scheme in a list', () => {
  const config = { tenant: 'x', taskId: 't', id: 'p', url, authentication: { scheme: 'Bearer', credentials: 'x' } };
  expect(operationCodec(v03, 'CreateTaskPushNotificationConfig').result.encode(config)).toEqual({
    taskId: 't',
    pushNotificationConfig: { id: 'p', url, authentication: { schemes: ['Bearer'], credentials: 'x' } },
  });
});

test('a get request is decoded with and without a config id', () => {
  expect(decodeParams(v03, 'GetTaskPushNotificationConfig', { id: 't' }).value).toEqual({ taskId: 't' });
  const both = { id: 't', pushNotificationConfigId: 'p', metadata: {} };
  expect(decodeParams(v03, 'GetTaskPushNotificationConfig', both).value).toEqual({ taskId: 't', id: 'p' });
});

test('a delete request must contain both ids', () => {
  expect(() => decodeParams(v03, 'DeleteTaskPushNotificationConfig', { id: 't' })).toThrow(
    expect.objectContaining({ violations: [expect.objectContaining({ field: 'pushNotificationConfigId' })] }),
  );
});

test('a list of configs is encoded as an array', () => {
  const wire = [{ taskId: 't', pushNotificationConfig: { id: 'p', url } }];
  const { value } = decodeResult(v03, 'ListTaskPushNotificationConfigs', wire);
  expect(value).toEqual({ configs: [{ taskId: 't', id: 'p', url }] });
  expect(operationCodec(v03, 'ListTaskPushNotificationConfigs').result.encode(value)).toEqual(wire);
  expect(operationCodec(v03, 'ListTaskPushNotificationConfigs').result.encode({})).toEqual([]);
});
