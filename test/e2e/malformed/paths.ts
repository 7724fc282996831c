import { get, JSON_TYPE, type MalformedCase, post, VERSION_1 } from './case.ts';
import { accepted, type Expected, rest } from './expected.ts';
import type { RawRequest } from './exchange.ts';

const nothing = rest('METHOD_NOT_FOUND', 'No endpoint at');
const nothing03 = rest('METHOD_NOT_FOUND', 'No endpoint at', { errorFormat: 'old' });
const MESSAGE = { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: 'hi' }] };

function wrongMethod(allow: string, errorFormat: '1.0' | 'old' = '1.0'): Expected {
  return rest('METHOD_NOT_ALLOWED', `Method not allowed. Use ${allow}`, { errorFormat, headers: { allow } });
}

function at(request: RawRequest, answer: Expected, more: Partial<MalformedCase> = {}): MalformedCase {
  return { name: `${request.method ?? 'POST'} ${request.path}`, request, answer, ...more };
}

const on = (method: string, path: string): RawRequest => ({ method, path });

/** Paths without an endpoint. */
const UNKNOWN_PATHS: readonly MalformedCase[] = [
  ...[
    '/nothing',
    '/tasks/',
    '/tasks//',
    '//tasks',
    '/tasks/a/b',
    '/tasks/$TASK/',
    '/tasks/$TASK/pushNotificationConfigs/',
    '/tasks/$TASK/pushNotificationConfigs/a/b',
    '/tasks//pushNotificationConfigs',
    '/Tasks',
    '/tasks%2F$TASK',
    '/%74asks/x/y/z',
    '/message:send/x',
    '/extendedAgentCard/',
    '/extendedagentcard',
    '/.well-known/nothing',
    '/.well-known/agent-card.json/',
    '/.well-known/tasks',
    '/.env',
    '/a/b/tasks',
    '/tasks/tasks/tasks',
    '/extendedAgentCard/tasks',
    '/message:send/tasks',
    '/message:x/tasks',
    '/agents/tasks',
    '/agent/tasks',
    '/a2a/tasks',
    '/_tandem/tasks',
    '/console/tasks',
    '/metrics/tasks',
    '/healthz/tasks',
    '/readyz/tasks/x',
    '/openapi.json/tasks',
    '/%/tasks',
    '/%zz/tasks',
    '/tasks/%',
    '/tasks/%zz',
    '/tasks/%ff',
    '/tasks/%c0%af',
    '/tasks/%ed%a0%80',
    '/tasks/%E0%A4%A',
    '/tasks/%u0041',
    '/tasks/:cancel',
    '/tasks/:subscribe',
    '/tasks;a=b',
  ].map((path) => at(get(path), nothing)),
  ...['/v1', '/v1/', '/v1/nothing', '/v1/v1/tasks/x', '/v1/tasks/%zz', '/v1//tasks/x'].map((path) =>
    at(get(path), path === '/v1' ? nothing : nothing03),
  ),
  at(get('/v2/nothing'), nothing),
  // A reserved name is not a tenant, with any method.
  at(on('PUT', '/agents/tasks'), nothing),
  at(on('GET', '/agents/message:send'), nothing),
  at(on('DELETE', '/console/tasks/x'), nothing),
  at(get(`/${'x'.repeat(8000)}`), nothing),
  at(get('/tasks/../nothing'), nothing, { socketOnly: true }),
  at(get('/x/../tasks'), nothing, { socketOnly: true }),
  at(get('/../../etc/passwd'), nothing, { socketOnly: true }),
  at(get('/tasks/%2e%2e/x'), nothing, { socketOnly: true }),
  at(get('/tasks\\x'), nothing, { socketOnly: true }),
  at({ ...on('OPTIONS', '*') }, nothing, { socketOnly: true }),
  at(get('/v1/tasks'), rest('METHOD_NOT_FOUND', 'A2A 0.3 has no operation ListTasks', { errorFormat: 'old' })),
];

/** Known paths with a wrong HTTP method. */
const WRONG_METHODS: readonly MalformedCase[] = [
  at(on('GET', '/message:send'), wrongMethod('POST')),
  at(on('PUT', '/message:send'), wrongMethod('POST')),
  at(on('DELETE', '/message:stream'), wrongMethod('POST')),
  at(on('POST', '/tasks'), wrongMethod('GET')),
  at(on('PATCH', '/tasks/x'), wrongMethod('GET')),
  at(on('DELETE', '/tasks/x'), wrongMethod('GET')),
  at(on('POST', '/tasks/x'), wrongMethod('GET')),
  at(on('GET', '/tasks/x:cancel'), wrongMethod('POST')),
  at(on('DELETE', '/tasks/x:subscribe'), wrongMethod('POST, GET')),
  at(on('PUT', '/tasks/x/pushNotificationConfigs'), wrongMethod('POST, GET')),
  at(on('POST', '/tasks/x/pushNotificationConfigs/y'), wrongMethod('GET, DELETE')),
  at(on('POST', '/extendedAgentCard'), wrongMethod('GET')),
  at(on('OPTIONS', '/tasks'), wrongMethod('GET')),
  at(on('PROPFIND', '/tasks'), wrongMethod('GET')),
  at(on('TRACE', '/tasks'), wrongMethod('GET'), { socketOnly: true }),
  at(on('GET', '/tenant/message:send'), wrongMethod('POST')),
  at(on('GET', '/v1/message:send'), wrongMethod('POST', 'old')),
  at(on('POST', '/v1/card'), wrongMethod('GET', 'old')),
  at(on('GET', '/a2a'), wrongMethod('POST')),
  at(on('GET', '/'), wrongMethod('POST')),
  at(on('PUT', '/a2a/'), wrongMethod('POST')),
  at(on('OPTIONS', '/a2a'), wrongMethod('POST')),
  at(on('POST', '/.well-known/agent-card.json'), wrongMethod('GET, HEAD, OPTIONS')),
  at(on('DELETE', '/.well-known/agent.json'), wrongMethod('GET, HEAD, OPTIONS')),
  at(on('POST', '/healthz'), wrongMethod('GET, HEAD')),
  at(on('DELETE', '/readyz'), wrongMethod('GET, HEAD')),
  {
    name: 'HEAD /tasks',
    request: on('HEAD', '/tasks'),
    answer: { form: 'empty', status: 405, headers: { allow: 'GET' } },
  },
];

function noTask(path: string, id: string, errorFormat: '1.0' | 'old' = '1.0'): MalformedCase {
  return at(get(path), rest('TASK_NOT_FOUND', `Task ${id} does not exist`, { errorFormat }));
}

/** An id is one segment, decoded once. */
const IDS: readonly MalformedCase[] = [
  noTask('/tasks/a:b', 'a:b'),
  noTask('/tasks/a:b:c', 'a:b:c'),
  noTask('/tasks/a:cancelled', 'a:cancelled'),
  noTask('/tasks/x%3Acancel', 'x:cancel'),
  noTask('/tasks/a%2Fb', 'a/b'),
  noTask('/tasks/%2e%2e%2f%2e%2e%2fetc', '../../etc'),
  noTask('/tasks/%252F', '%2F'),
  noTask('/tasks/%0d%0aSet-Cookie:a', '\r\nSet-Cookie:a'),
  noTask('/tasks/%F0%9F%98%80', '😀'),
  noTask('/tasks/__proto__', '__proto__'),
  noTask('/tasks/constructor', 'constructor'),
  noTask("/tasks/'%20OR%20'1'='1", "' OR '1'='1"),
  noTask('/tenant/tasks/$TASK', '$TASK'),
  noTask('/v1/tasks/a:b', 'a:b', 'old'),
  at({ path: '/tasks/a:b:cancel' }, rest('TASK_NOT_FOUND', 'Task a:b does not exist')),
  at(get('/tasks/nobody:subscribe'), rest('TASK_NOT_FOUND', 'Task nobody does not exist')),
  at(get('/%2F/tasks'), accepted()),
  at(get('/%2e%2e/tasks'), accepted(), { socketOnly: true }),
  at(get('/__proto__/tasks'), accepted()),
];

function query(text: string, field: string, message: string, errorFormat: '1.0' | 'old' = '1.0'): MalformedCase {
  return at(get(text), rest('INVALID_PARAMS', message, { field, errorFormat }));
}

const QUERIES: readonly MalformedCase[] = [
  query('/tasks?pageSize=0', 'pageSize', 'expected an integer from 1 to 100'),
  query('/tasks?pageSize=101', 'pageSize', 'expected an integer from 1 to 100'),
  query('/tasks?pageSize=-5', 'pageSize', 'expected an integer from 1 to 100'),
  query('/tasks?pageSize=ten', 'pageSize', 'expected a 32-bit integer'),
  query('/tasks?pageSize=1e1', 'pageSize', 'expected a 32-bit integer'),
  query('/tasks?pageSize=0x10', 'pageSize', 'expected a 32-bit integer'),
  query('/tasks?pageSize=1.5', 'pageSize', 'expected a 32-bit integer'),
  query('/tasks?pageSize=%201', 'pageSize', 'expected a 32-bit integer'),
  query('/tasks?pageSize=99999999999999999999', 'pageSize', 'expected a 32-bit integer'),
  query('/tasks?pageSize=1&pageSize=2', 'pageSize', 'expected one value, not several'),
  query('/tasks?contextId=a&contextId=b', 'contextId', 'expected one value, not several'),
  query('/tasks?tenant=a&tenant=b', 'tenant', 'expected one value, not several'),
  query('/tasks?status=WORKING', 'status', 'expected one of TASK_STATE_UNSPECIFIED'),
  query('/tasks?status=TASK_STATE_WORKING,TASK_STATE_FAILED', 'status', 'expected one of TASK_STATE_UNSPECIFIED'),
  query('/tasks?statusTimestampAfter=now', 'statusTimestampAfter', 'expected a time such as'),
  query('/tasks?statusTimestampAfter=2026-13-01T00:00:00Z', 'statusTimestampAfter', 'expected a time such as'),
  query('/tasks?includeArtifacts=1', 'includeArtifacts', 'expected true or false'),
  query('/tasks?includeArtifacts=TRUE', 'includeArtifacts', 'expected true or false'),
  query('/tasks?historyLength=-1', 'historyLength', 'expected an integer of 0 or more'),
  query('/tasks?pageToken=%00', 'pageToken', 'expected a string without NUL'),
  query('/tasks?contextId=a%00b', 'contextId', 'expected a string without NUL'),
  query('/tasks/%00', 'id', 'expected a string without NUL'),
  query('/tasks/$TASK%00', 'id', 'expected a string without NUL'),
  query('/acme%00evil/tasks', 'tenant', 'expected a string without NUL'),
  query('/v1/tasks/$TASK%00', 'id', 'expected a string without NUL', 'old'),
  query('/tasks?pageToken=$TOKEN', 'pageToken', 'expected the nextPageToken'),
  query('/tasks/$TASK?historyLength=-1', 'historyLength', 'expected an integer of 0 or more'),
  query('/tasks/$TASK?historyLength=1&historyLength=2', 'historyLength', 'expected one value, not several'),
  query('/a/tasks?tenant=b', 'tenant', 'expected the same value as in the path'),
  query('/tasks/$TASK/pushNotificationConfigs?pageSize=-1', 'pageSize', 'expected an integer of 0 or more'),
  query('/v1/tasks/$TASK?historyLength=-1', 'historyLength', 'expected an integer of 0 or more', 'old'),
  query('/v1/tasks/$TASK?historyLength=x', 'historyLength', 'expected a 32-bit integer', 'old'),
  query('/v1/tasks/$TASK/pushNotificationConfigs?pageSize=-1', 'pageSize', 'expected an integer of 0 or more', 'old'),
  at(get('/tasks?'), accepted()),
  at(get('/tasks?&&=&%'), accepted()),
  at(get('/tasks?unknown=1&__proto__=2&constructor=3'), accepted()),
  at(get('/tasks?pageSize='), accepted()),
  at(get('/tasks?pageSize=5&pageSize=5'), accepted()),
  at(get('/tasks?contextId=%zz%ff'), accepted()),
  at(get('/tasks/$TASK?id=other'), accepted()),
];

function mismatch(path: string, body: unknown, field: string, errorFormat: '1.0' | 'old' = '1.0'): MalformedCase {
  const answer = rest('INVALID_PARAMS', 'expected the same value as in the path', { field, errorFormat });
  return { name: `POST ${path} with ${JSON.stringify(body)}`, request: post(path, body), answer };
}

function body(path: string, text: string, answer: Expected): MalformedCase {
  return { name: `POST ${path} with ${text}`, request: { path, headers: [JSON_TYPE], body: text }, answer };
}

const BODIES: readonly MalformedCase[] = [
  mismatch('/tasks/$TASK:cancel', { id: 'other' }, 'id'),
  mismatch('/tasks/$TASK:cancel', { id: 5 }, 'id'),
  mismatch('/tasks/$TASK:cancel', { id: {} }, 'id'),
  mismatch('/tasks/$TASK:subscribe', { id: 'other' }, 'id'),
  mismatch('/a/message:send', { tenant: 'b', message: MESSAGE }, 'tenant'),
  mismatch('/a/tasks/$TASK:cancel', { tenant: 'b' }, 'tenant'),
  mismatch('/tasks/$TASK/pushNotificationConfigs', { taskId: 'other', url: 'https://a' }, 'taskId'),
  mismatch('/v1/tasks/$TASK:cancel', { id: 'other' }, 'id', 'old'),
  body('/message:send', '{', rest('PARSE_ERROR', 'not valid JSON')),
  body('/message:send', '\ufeff{}', rest('PARSE_ERROR', 'not valid JSON')),
  body('/message:send', '['.repeat(20_000), rest('INVALID_REQUEST', 'The body nests deeper than 80 levels')),
  body('/message:send', '[]', rest('INVALID_PARAMS', 'Expected the body to be a JSON object')),
  body('/message:send', '"hi"', rest('INVALID_PARAMS', 'Expected the body to be a JSON object')),
  body('/message:send', '5', rest('INVALID_PARAMS', 'Expected the body to be a JSON object')),
  body('/message:send', 'null', rest('INVALID_PARAMS', 'expected the member message', { field: 'message' })),
  body('/message:send', '', rest('INVALID_PARAMS', 'expected the member message', { field: 'message' })),
  body('/message:stream', '', rest('INVALID_PARAMS', 'expected the member message', { field: 'message' })),
  body('/v1/message:send', '{', rest('PARSE_ERROR', 'not valid JSON', { errorFormat: 'old' })),
  body('/v1/message:send', '[]', rest('INVALID_PARAMS', 'to be a JSON object', { errorFormat: 'old' })),
  body(
    '/v1/message:stream',
    '{}',
    rest('INVALID_PARAMS', 'the member message', { errorFormat: 'old', field: 'message' }),
  ),
  body('/tasks/$TASK:cancel', '[]', rest('INVALID_PARAMS', 'Expected the body to be a JSON object')),
  body('/tasks/$TASK:cancel', '{}', rest('TASK_NOT_CANCELABLE', '')),
  body('/tasks/$TASK:cancel', 'null', rest('TASK_NOT_CANCELABLE', '')),
  body('/v1/tasks/$TASK:cancel', '', rest('TASK_NOT_CANCELABLE', '', { errorFormat: 'old', status: 409 })),
  body('/tasks/$TASK:subscribe', '', rest('UNSUPPORTED_OPERATION', 'has ended')),
  body('/tasks/$TASK/pushNotificationConfigs', '', rest('INVALID_PARAMS', 'expected the member url', { field: 'url' })),
  ...(
    [
      ['{}', 'expected the member pushNotificationConfig', 'pushNotificationConfig'],
      ['{"config":5}', 'expected an object', 'config'],
      ['{"config":{"url":5}}', 'expected a string', 'config.url'],
      ['{"pushNotificationConfig":{}}', 'expected the member url', 'pushNotificationConfig.url'],
      ['{"parent":"nonsense","config":{"url":"https://a"}}', 'expected tasks/{taskId}', 'parent'],
      ['{"parent":"tasks/other","config":{"url":"https://a"}}', 'expected the same id', 'parent'],
    ] as const
  ).map(([text, message, field]) =>
    body(
      '/v1/tasks/$TASK/pushNotificationConfigs',
      text,
      rest('INVALID_PARAMS', message, { field, errorFormat: 'old' }),
    ),
  ),
  {
    name: 'GET with a body',
    request: { method: 'GET', path: '/tasks', headers: [JSON_TYPE, VERSION_1], body: '{"pageSize":0}' },
    answer: accepted(),
    socketOnly: true,
  },
];

export const PATHS: readonly MalformedCase[] = [...UNKNOWN_PATHS, ...WRONG_METHODS, ...IDS, ...QUERIES, ...BODIES];
