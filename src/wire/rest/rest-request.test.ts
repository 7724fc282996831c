import { describe, expect, test } from 'vitest';
import type { Input, OperationName } from '../../model/operation.ts';
import { decodeParams, type Dialect } from '../dialect.ts';
import { restParams } from './rest-params.ts';
import { encodeRestRequest, restUrl } from './rest-request.ts';
import { matchRest } from './rest-routes.ts';
import { dialects } from '../select.ts';

const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] } as const;
const config = { taskId: 't/1', id: 'p 1', url: 'https://hooks.example', token: 'k' };

/** The input that a server decodes from the request that a client encoded. */
function received<K extends OperationName>(dialect: Dialect, operation: K, input: Input<K>): Input<K> {
  const { verb, path, query, body } = encodeRestRequest(dialect, operation, input);
  const match = matchRest(verb, path);
  if (match === undefined || 'allow' in match) throw new Error(`no route for ${verb} ${path}`);
  expect(match.operation).toBe(operation);
  const json = body && (JSON.parse(JSON.stringify(body)) as typeof body);
  return decodeParams(dialect, operation, restParams(match, dialect.version, query, json)).value;
}

const CASES: { readonly [K in OperationName]?: Input<K> } = {
  SendMessage: { message, configuration: { acceptedOutputModes: ['a/b'], historyLength: 2, returnImmediately: true } },
  SendStreamingMessage: { message, metadata: { a: 1 } },
  GetTask: { id: 't:1', historyLength: 3 },
  CancelTask: { id: 't1' },
  SubscribeToTask: { id: 't1' },
  CreateTaskPushNotificationConfig: { ...config, taskId: 't1', id: 'p1' },
  GetTaskPushNotificationConfig: { taskId: 't1', id: 'p1' },
  ListTaskPushNotificationConfigs: { taskId: 't1' },
  DeleteTaskPushNotificationConfig: { taskId: 't1', id: 'p1' },
  GetExtendedAgentCard: {},
};

describe.each([dialects.v1, dialects['v03-proto'], dialects['v03-kind'], dialects.v03])('$name', (dialect) => {
  test.each(Object.entries(CASES) as [OperationName, Input<OperationName>][])(
    'a server decodes %s as the client encoded it',
    (operation, input) => {
      expect(received(dialect, operation, input)).toEqual(input);
    },
  );
});

test('1.0 encodes the tenant in the path and filters in the query', () => {
  const query = {
    tenant: 'acme',
    contextId: 'c',
    status: 'TASK_STATE_WORKING',
    pageSize: 5,
    includeArtifacts: true,
  } as const;
  expect(received(dialects.v1, 'ListTasks', query)).toEqual(query);
  expect(encodeRestRequest(dialects.v1, 'SendMessage', { tenant: 'acme', message })).toEqual({
    verb: 'POST',
    path: '/acme/message:send',
    query: new URLSearchParams(),
    body: { message },
  });
  expect(received(dialects.v1, 'SendMessage', { tenant: 'acme', message })).toEqual({ tenant: 'acme', message });
});

test('ids can contain any characters', () => {
  expect(received(dialects.v1, 'GetTaskPushNotificationConfig', { taskId: 't/1?x', id: 'p 1%' })).toEqual({
    taskId: 't/1?x',
    id: 'p 1%',
  });
});

test('a request without content has no body', () => {
  expect(encodeRestRequest(dialects.v1, 'CancelTask', { id: 't' })).toMatchObject({ verb: 'POST', body: undefined });
  expect(encodeRestRequest(dialects.v1, 'CancelTask', { id: 't', metadata: { a: 1 } }).body).toEqual({
    metadata: { a: 1 },
  });
  expect(encodeRestRequest(dialects['v03-proto'], 'GetTask', { id: 't' })).toMatchObject({
    verb: 'GET',
    path: '/v1/tasks/t',
  });
});

test.each([
  ['https://a.example/v1/?code=x&y=a?b', '/v1/tasks/t', 'https://a.example/v1/tasks/t?code=x&y=a?b'],
  ['https://a.example?code=x', '/message:send', 'https://a.example/message:send?code=x'],
])('the query of the base URL %s is kept: %s', (base, path, url) => {
  expect(restUrl(base, { path, query: new URLSearchParams() })).toBe(url);
  expect(restUrl(base, { path, query: new URLSearchParams({ a: 'b c' }) })).toBe(`${url}&a=b+c`);
});

test.each([
  ['https://a.example', '/tasks/t', 'https://a.example/tasks/t'],
  ['https://a.example/agent/', '/v1/tasks/t', 'https://a.example/agent/v1/tasks/t'],
  ['https://a.example/v1', '/v1/tasks/t', 'https://a.example/v1/tasks/t'],
  ['https://a.example/v1/', '/v1/message:send', 'https://a.example/v1/message:send'],
  ['https://a.example/v1', '/message:send', 'https://a.example/v1/message:send'],
])('the base URL %s and the path %s give %s', (base, path, url) => {
  expect(restUrl(base, { path, query: new URLSearchParams() })).toBe(url);
  expect(restUrl(base, { path, query: new URLSearchParams({ a: 'b c' }) })).toBe(`${url}?a=b+c`);
});
