import { expect, test } from 'vitest';
import { A2AError } from '../../errors.ts';
import type { JsonObject } from '../../model/json.ts';
import type { ProtocolVersion } from '../version.ts';
import { restParams } from './rest-params.ts';
import { matchRest, type RestMatch } from './rest-routes.ts';

/** The params of a request given as `GET /path?query`, and its body; the version is that of the path if not given. */
function params(request: string, body?: JsonObject, version?: ProtocolVersion): JsonObject {
  const [verb = '', target = ''] = request.split(' ');
  const [path = '', query = ''] = target.split('?');
  const match = matchRest(verb, path);
  expect(match).toHaveProperty('operation');
  const spoken = version ?? (path.startsWith('/v1/') ? '0.3' : '1.0');
  return restParams(match as RestMatch, spoken, new URLSearchParams(query), body);
}

const CONFIG = { url: 'https://example.com/hook' };

test.each<[string, JsonObject | undefined, JsonObject]>([
  ['POST /message:send', { message: { messageId: 'm' } }, { message: { messageId: 'm' } }],
  ['POST /acme/message:send', { message: {} }, { message: {}, tenant: 'acme' }],
  ['GET /tasks/t1?historyLength=5', undefined, { id: 't1', historyLength: '5' }],
  ['GET /acme/tasks/t1', undefined, { id: 't1', tenant: 'acme' }],
  ['GET /tasks/t1?tenant=acme', undefined, { id: 't1', tenant: 'acme' }],
  ['POST /tasks/t1:cancel', undefined, { id: 't1' }],
  ['POST /tasks/t1:cancel', { metadata: { why: 'late' } }, { id: 't1', metadata: { why: 'late' } }],
  ['POST /tasks/t1:subscribe', {}, { id: 't1' }],
  ['GET /tasks/t1:subscribe', undefined, { id: 't1' }],
  ['POST /tasks/t1/pushNotificationConfigs', CONFIG, { ...CONFIG, taskId: 't1' }],
  [
    'GET /tasks/t1/pushNotificationConfigs?pageSize=2&pageToken=x',
    undefined,
    { taskId: 't1', pageSize: '2', pageToken: 'x' },
  ],
  ['GET /tasks/t1/pushNotificationConfigs/p1', undefined, { taskId: 't1', id: 'p1' }],
  ['DELETE /acme/tasks/t1/pushNotificationConfigs/p1', undefined, { taskId: 't1', id: 'p1', tenant: 'acme' }],
  ['GET /extendedAgentCard?tenant=acme', undefined, { tenant: 'acme' }],

  ['GET /v1/tasks/t1?historyLength=5', undefined, { id: 't1', historyLength: '5' }],
  ['GET /v1/tasks/t1?history_length=5', undefined, { id: 't1', history_length: '5' }],
  ['POST /v1/tasks/t1:cancel', undefined, { id: 't1' }],
  [
    'POST /v1/tasks/t1/pushNotificationConfigs?configId=p1',
    { config: CONFIG },
    { config: CONFIG, taskId: 't1', configId: 'p1' },
  ],
  ['GET /v1/tasks/t1/pushNotificationConfigs', undefined, { id: 't1' }],
  ['GET /v1/tasks/t1/pushNotificationConfigs/p1', undefined, { id: 't1', pushNotificationConfigId: 'p1' }],
  ['DELETE /v1/tasks/t1/pushNotificationConfigs/p1', undefined, { id: 't1', pushNotificationConfigId: 'p1' }],
  ['GET /v1/card?tenant=acme', undefined, {}],
])('%s with the body %j has the expected params', (request, body, expected) => {
  expect(params(request, body)).toEqual(expected);
});

test.each<[string, ProtocolVersion, JsonObject]>([
  ['GET /v1/tasks/t1/pushNotificationConfigs/p1?tenant=acme', '1.0', { taskId: 't1', id: 'p1', tenant: 'acme' }],
  ['GET /v1/extendedAgentCard?tenant=acme', '1.0', { tenant: 'acme' }],
  ['GET /tasks/t1/pushNotificationConfigs/p1', '0.3', { id: 't1', pushNotificationConfigId: 'p1' }],
])('%s has params in the %s format if that version is requested', (request, version, expected) => {
  expect(params(request, undefined, version)).toEqual(expected);
});

test('only the filters of a list are taken from the query', () => {
  const query =
    'contextId=c%2F1&status=TASK_STATE_WORKING&pageSize=10&pageToken=abc%3D&historyLength=0' +
    '&statusTimestampAfter=2026-03-12T10:00:00%2B01:00&includeArtifacts=true&tenant=acme' +
    '&A2A-Version=1.0&id=x&__proto__=y&utm_source=mail';
  const list = params(`GET /tasks?${query}`);
  expect(list).toEqual({
    contextId: 'c/1',
    status: 'TASK_STATE_WORKING',
    pageSize: '10',
    pageToken: 'abc=',
    historyLength: '0',
    statusTimestampAfter: '2026-03-12T10:00:00+01:00',
    includeArtifacts: true,
    tenant: 'acme',
  });
});

test.each([
  ['true', true],
  ['false', false],
  // Not changed, so that the dialect rejects them with their path.
  ['1', '1'],
  ['True', 'True'],
  ['yes', 'yes'],
])('the parameter includeArtifacts=%s becomes %j', (text, value) => {
  expect(params(`GET /tasks?includeArtifacts=${text}`)).toEqual({ includeArtifacts: value });
});

test('an empty parameter is absent', () => {
  expect(params('GET /tasks?contextId=&includeArtifacts=&pageSize')).toEqual({});
});

test('a parameter with two different values is rejected, one that repeats a value is not', () => {
  expect(params('GET /tasks?pageSize=5&pageSize=&pageSize=5')).toEqual({ pageSize: '5' });
  expect(() => params('GET /tasks?pageSize=5&pageSize=6')).toThrow('pageSize: expected one value, not several');
});

test.each<[string, string, JsonObject | undefined, string, string]>([
  ['task in path and body', 'POST /tasks/t1:cancel', { id: 't2' }, 'id', 'path'],
  ['task of a config', 'POST /tasks/t1/pushNotificationConfigs', { ...CONFIG, taskId: 't2' }, 'taskId', 'path'],
  ['an id that is not a string', 'POST /tasks/1:cancel', { id: 1 }, 'id', 'path'],
  ['tenant in path and body', 'POST /acme/message:send', { tenant: 'other' }, 'tenant', 'path'],
  ['tenant in path and query', 'GET /acme/tasks?tenant=other', undefined, 'tenant', 'path'],
  ['tenant in query and body', 'POST /message:send?tenant=acme', { tenant: 'other' }, 'tenant', 'query'],
  [
    'config in query and body',
    'POST /v1/tasks/t/pushNotificationConfigs?configId=a',
    { configId: 'b' },
    'configId',
    'query',
  ],
])('two different values are rejected: %s', (_case, request, body, field, where) => {
  const description = `expected the same value as in the ${where}`;
  expect(() => params(request, body)).toThrow(
    expect.objectContaining({
      code: 'INVALID_PARAMS',
      message: `${field}: ${description}`,
      violations: [{ field, description }],
    }),
  );
});

test('one error names every conflict', () => {
  const error = catchError(() => params('POST /acme/tasks/t1:cancel', { id: 't2', tenant: 'other' }));
  expect(error.violations.map(({ field }) => field)).toEqual(['id', 'tenant']);
});

function catchError(run: () => unknown): A2AError {
  try {
    run();
  } catch (error) {
    if (A2AError.is(error)) return error;
  }
  throw new Error('expected an A2AError');
}

test.each<[string, string, JsonObject]>([
  ['the same value', 'POST /acme/tasks/t1:cancel', { id: 't1', tenant: 'acme' }],
  ['null', 'POST /acme/tasks/t1:cancel', { id: null, tenant: null }],
  ['an empty text', 'POST /acme/tasks/t1:cancel', { id: '', tenant: '' }],
])('a value in both path and body is accepted if the body has %s', (_case, request, body) => {
  expect(params(request, body)).toEqual({ id: 't1', tenant: 'acme' });
});

test('the body is copied, not changed', () => {
  const body = { metadata: { a: 1 } };
  params('POST /tasks/t1:cancel', body);
  expect(body).toEqual({ metadata: { a: 1 } });
});

test('a member named __proto__ in the body adds no params', () => {
  const body = JSON.parse('{"__proto__":{"id":"t2","tenant":"other"},"constructor":1}') as JsonObject;
  const merged = params('POST /acme/tasks/t1:cancel', body);
  expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
  expect(merged).toMatchObject({ id: 't1', tenant: 'acme' });
});
