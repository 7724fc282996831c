import { BEYOND_NUMBERS, call, deep, get, type MalformedCase, MISSING, post, shown, withValue } from './case.ts';
import { type Expected, rest, rpc } from './expected.ts';

/** A member of the params, a wrong value, and the text that the error must contain. `field` if the error names another member. */
export type WrongValue = readonly [at: string, value: unknown, message: string, field?: string];

export const ROLES = 'expected one of ROLE_UNSPECIFIED, ROLE_USER, ROLE_AGENT';
const ONE_CONTENT = 'expected exactly one of text, raw, url, data';
const TIME = 'expected a time such as';
export const MANY = Array.from({ length: 10_001 }, () => ({ text: 'x' }));
const WIDE = Object.fromEntries(MANY.map((_, i) => [`k${i}`, i]));
const PUSH = 'configuration.taskPushNotificationConfig';
const WEB = 'must be an absolute http or https URL';

/** Each kind of wrong value for a free JSON object. */
export function notStruct(at: string): readonly WrongValue[] {
  return [
    [at, 'x', 'expected an object'],
    [at, 5, 'expected an object'],
    [at, ['a'], 'expected an object'],
    [at, true, 'expected an object'],
    [at, { a: BEYOND_NUMBERS }, 'expected a finite number', `${at}.a`],
    [at, { a: WIDE }, 'expected at most 10000 members', `${at}.a`],
    [at, deep(100), 'levels of nesting', ''],
  ];
}

/** Deep enough to overflow the stack of recursive code. */
export function tooDeep(at: string): readonly WrongValue[] {
  return [1000, 2000].map((levels) => [at, deep(levels), 'levels of nesting', '']);
}

/** Each kind of wrong value for a required id. */
export function notId(at: string): readonly WrongValue[] {
  const member = at.split('.').at(-1) ?? at;
  return [
    [at, MISSING, `expected the member ${member}`],
    [at, null, `expected the member ${member}`],
    [at, '', 'expected a non-empty string'],
    [at, 5, 'expected a string'],
    [at, { a: 1 }, 'expected a string'],
    [at, ['x'], 'expected a string'],
    [at, deep(2000), 'expected a string'],
  ];
}

export function notCount(at: string): readonly WrongValue[] {
  return [
    [at, -1, 'expected an integer of 0 or more'],
    [at, 1.5, 'expected a 32-bit integer'],
    [at, 2 ** 31, 'expected a 32-bit integer'],
    [at, BEYOND_NUMBERS, 'expected a 32-bit integer'],
    [at, 'many', 'expected a 32-bit integer'],
    [at, true, 'expected a 32-bit integer'],
    [at, [], 'expected a 32-bit integer'],
  ];
}

const SEND: readonly WrongValue[] = [
  ['message', MISSING, 'expected the member message'],
  ['message', null, 'expected the member message'],
  ['message', 'hi', 'expected an object'],
  ['message', [], 'expected an object'],
  ['message', deep(2000, 'lists'), 'expected an object'],
  ...notId('message.messageId'),
  ['message.role', MISSING, 'expected the member role'],
  ['message.role', 'user', ROLES],
  ['message.role', 99, ROLES],
  ['message.role', ['ROLE_USER'], ROLES],
  ['message.parts', MISSING, 'expected the member parts'],
  ['message.parts', null, 'expected the member parts'],
  ['message.parts', [], 'expected at least one item'],
  ['message.parts', {}, 'expected an array'],
  ['message.parts', 'hi', 'expected an array'],
  ['message.parts', MANY, 'expected at most 10000 items'],
  ['message.parts[0]', null, 'expected an object'],
  ['message.parts[0]', 'hi', 'expected an object'],
  ['message.parts[0]', [], 'expected an object'],
  ['message.parts[0]', deep(2000, 'lists'), 'expected an object'],
  ['message.parts[0]', {}, ONE_CONTENT],
  ['message.parts[0]', { text: 'a', data: 1 }, ONE_CONTENT],
  ['message.parts[0]', { text: null }, ONE_CONTENT],
  ['message.parts[0]', { kind: 'text' }, ONE_CONTENT],
  ['message.parts[0].text', 5, 'expected a string'],
  ['message.parts[0].text', { a: 1 }, 'expected a string'],
  ['message.parts[0]', { raw: '*not base64*' }, 'expected base64', 'message.parts[0].raw'],
  ['message.parts[0]', { raw: 'AAAAA' }, 'expected base64', 'message.parts[0].raw'],
  ['message.parts[0]', { raw: 'AA=A' }, 'expected base64', 'message.parts[0].raw'],
  ['message.parts[0]', { raw: 5 }, 'expected a string', 'message.parts[0].raw'],
  ['message.parts[0]', { url: '' }, 'expected a non-empty string', 'message.parts[0].url'],
  ['message.parts[0]', { url: 5 }, 'expected a string', 'message.parts[0].url'],
  ['message.parts[0]', { data: BEYOND_NUMBERS }, 'expected a finite number', 'message.parts[0].data'],
  ['message.parts[0]', { data: deep(100) }, 'levels of nesting', ''],
  ['message.parts[0]', { data: deep(2000, 'lists') }, 'levels of nesting', ''],
  ['message.parts[0].filename', 5, 'expected a string'],
  ['message.parts[0].mediaType', { a: 1 }, 'expected a string'],
  ...notStruct('message.parts[0].metadata'),
  ...notStruct('message.metadata'),
  ...tooDeep('message.metadata'),
  ['message.contextId', 5, 'expected a string'],
  ['message.taskId', ['$TASK'], 'expected a string'],
  ['message.extensions', 'x', 'expected an array'],
  ['message.extensions', [5], 'expected a string', 'message.extensions[0]'],
  ['message.referenceTaskIds', { a: 1 }, 'expected an array'],
  ['message.referenceTaskIds', [null], 'expected a string', 'message.referenceTaskIds[0]'],
  ['configuration', 'x', 'expected an object'],
  ['configuration', [], 'expected an object'],
  ...notCount('configuration.historyLength'),
  ['configuration.returnImmediately', 'true', 'expected true or false'],
  ['configuration.returnImmediately', 1, 'expected true or false'],
  ['configuration.acceptedOutputModes', 'text/plain', 'expected an array'],
  ['configuration.acceptedOutputModes', [5], 'expected a string', 'configuration.acceptedOutputModes[0]'],
  [PUSH, 5, 'expected an object'],
  [PUSH, {}, 'expected the member url', `${PUSH}.url`],
  [`${PUSH}.url`, '', 'expected a non-empty string'],
  [`${PUSH}.url`, 'nowhere', WEB],
  [`${PUSH}.url`, 'file:///etc/passwd', WEB],
  [PUSH, { url: 'https://example.com', taskId: 't' }, 'must not be set', `${PUSH}.taskId`],
  [PUSH, { url: 'https://example.com', authentication: {} }, 'the member scheme', `${PUSH}.authentication.scheme`],
  ...notStruct('metadata'),
  ...tooDeep('metadata'),
  ['tenant', 5, 'expected a string'],
];

/** Valid params of each method, and the wrong values of each member. */
export const WRONG_1: Readonly<Record<string, { readonly params: unknown; readonly wrong: readonly WrongValue[] }>> = {
  SendMessage: {
    params: { message: { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: 'hi' }] } },
    wrong: SEND,
  },
  SendStreamingMessage: {
    params: { message: { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: 'hi' }] } },
    wrong: [
      ['message', MISSING, 'expected the member message'],
      ['message.parts', [], 'expected at least one item'],
      ['message.metadata', deep(2000), 'levels of nesting', ''],
    ],
  },
  GetTask: {
    params: { id: '$TASK' },
    wrong: [...notId('id'), ...notCount('historyLength'), ['tenant', {}, 'expected a string']],
  },
  ListTasks: {
    params: {},
    wrong: [
      ['pageSize', 0, 'expected an integer from 1 to 100'],
      ['pageSize', 101, 'expected an integer from 1 to 100'],
      ['pageSize', -1, 'expected an integer from 1 to 100'],
      ['pageSize', '0', 'expected an integer from 1 to 100'],
      ['pageSize', 1.5, 'expected a 32-bit integer'],
      ['pageSize', 2 ** 40, 'expected a 32-bit integer'],
      ['pageSize', 'all', 'expected a 32-bit integer'],
      ['pageToken', 'garbage', 'expected the nextPageToken'],
      ['pageToken', '$TOKEN', 'expected the nextPageToken'],
      ['pageToken', '$TOKENx', 'expected the nextPageToken'],
      ['pageToken', '\0', 'expected a string without NUL'],
      ['tenant', 'a\0b', 'expected a string without NUL'],
      ['contextId', 'a\ud800', 'expected a string without NUL'],
      ['pageToken', 'x'.repeat(100_000), 'expected the nextPageToken'],
      ['pageToken', 5, 'expected a string'],
      ['status', 'working', 'expected one of TASK_STATE_UNSPECIFIED'],
      ['status', 'TASK_STATE_DONE', 'expected one of TASK_STATE_UNSPECIFIED'],
      ['status', 99, 'expected one of TASK_STATE_UNSPECIFIED'],
      ['status', ['TASK_STATE_WORKING'], 'expected one of TASK_STATE_UNSPECIFIED'],
      ['statusTimestampAfter', 'yesterday', TIME],
      ['statusTimestampAfter', '', TIME],
      ['statusTimestampAfter', '2026-02-30T00:00:00Z', TIME],
      ['statusTimestampAfter', '2026-03-12T25:00:00Z', TIME],
      ['statusTimestampAfter', '+010000-01-01T00:00:00Z', TIME],
      ['statusTimestampAfter', 1_700_000_000, TIME],
      ...notCount('historyLength'),
      ['includeArtifacts', 'yes', 'expected true or false'],
      ['includeArtifacts', 1, 'expected true or false'],
      ['contextId', 5, 'expected a string'],
      ['tenant', ['a'], 'expected a string'],
    ],
  },
  CancelTask: { params: { id: '$TASK' }, wrong: [...notId('id'), ...notStruct('metadata')] },
  SubscribeToTask: { params: { id: '$TASK' }, wrong: notId('id') },
  CreateTaskPushNotificationConfig: {
    params: { taskId: '$TASK', url: 'https://example.com/hook' },
    wrong: [
      ['taskId', MISSING, 'expected the id of the task'],
      ['taskId', '', 'expected the id of the task'],
      ['taskId', 5, 'expected a string'],
      ...notId('url'),
      ['url', 'nowhere', WEB],
      ['url', 'javascript:alert(1)', WEB],
      ['url', '//example.com', WEB],
      ['token', 5, 'expected a string'],
      ['id', {}, 'expected a string'],
      ['authentication', 'Bearer', 'expected an object'],
      ['authentication', { credentials: 'x' }, 'expected the member scheme', 'authentication.scheme'],
      ['authentication', { scheme: '' }, 'expected a non-empty string', 'authentication.scheme'],
    ],
  },
  GetTaskPushNotificationConfig: {
    params: { taskId: '$TASK', id: 'config' },
    wrong: [...notId('taskId'), ...notId('id')],
  },
  ListTaskPushNotificationConfigs: {
    params: { taskId: '$TASK' },
    wrong: [...notId('taskId'), ...notCount('pageSize'), ['pageToken', 5, 'expected a string']],
  },
  DeleteTaskPushNotificationConfig: {
    params: { taskId: '$TASK', id: 'config' },
    wrong: [...notId('taskId'), ...notId('id')],
  },
  GetExtendedAgentCard: { params: {}, wrong: [['tenant', 5, 'expected a string']] },
};

export function violation(
  make: typeof rpc,
  [at, , message, field = at]: WrongValue,
  errorFormat: '1.0' | 'old',
): Expected {
  return make('INVALID_PARAMS', message, { errorFormat, ...(field !== '' && { field }) });
}

const OVER_RPC = Object.entries(WRONG_1).flatMap(([method, { params, wrong }]) =>
  wrong.map((row): MalformedCase => ({
    name: `${method} ${row[0]}: ${shown(row[1])}`,
    request: call(method, withValue(params, row[0], row[1])),
    answer: violation(rpc, row, '1.0'),
  })),
);

/** The same bodies over REST. Requests without a body are in the table of paths and queries. */
const OVER_REST = (
  [
    ['SendMessage', '/message:send'],
    ['SendStreamingMessage', '/message:stream'],
  ] as const
).flatMap(([method, path]) =>
  (WRONG_1[method]?.wrong ?? []).map((row): MalformedCase => ({
    name: `POST ${path} ${row[0]}: ${shown(row[1])}`,
    request: post(path, withValue(WRONG_1[method]?.params, row[0], row[1])),
    answer: violation(rest, row, '1.0'),
  })),
);

/** Valid requests for things that do not exist. */
const UNKNOWN: readonly MalformedCase[] = [
  ...['GetTask', 'CancelTask', 'SubscribeToTask'].map((method) => ({
    name: `${method} of an unknown task`,
    request: call(method, { id: 'nobody' }),
    answer: rpc('TASK_NOT_FOUND', 'Task nobody does not exist'),
  })),
  {
    name: 'GetTask with an id of 500,000 characters, which the error quotes in part',
    request: call('GetTask', { id: 'x'.repeat(500_000) }),
    answer: rpc('TASK_NOT_FOUND', 'Task xxx'),
  },
  {
    name: 'a message to an unknown task',
    request: call('SendMessage', {
      message: { messageId: 'm', role: 'ROLE_USER', taskId: 'nobody', parts: [{ text: '' }] },
    }),
    answer: rpc('TASK_NOT_FOUND', 'Task nobody does not exist'),
  },
  {
    name: 'a message to a task of another context',
    request: call('SendMessage', {
      message: { messageId: 'm', role: 'ROLE_USER', taskId: '$TASK', contextId: 'other', parts: [{ text: '' }] },
    }),
    answer: rpc('INVALID_PARAMS', 'context', { field: 'message.contextId' }),
  },
  {
    name: 'a page token of another list',
    request: call('ListTasks', { contextId: 'elsewhere', pageToken: '$TOKEN' }),
    answer: rpc('INVALID_PARAMS', 'expected the nextPageToken', { field: 'pageToken' }),
  },
  {
    name: 'a page token of another tenant',
    request: call('ListTasks', { contextId: 'paged', tenant: 'other', pageToken: '$TOKEN' }),
    answer: rpc('INVALID_PARAMS', 'expected the nextPageToken', { field: 'pageToken' }),
  },
  {
    name: 'an invalid page token over REST',
    request: get('/tasks?pageToken=garbage'),
    answer: rest('INVALID_PARAMS', 'expected the nextPageToken', { field: 'pageToken' }),
  },
  {
    name: 'the extended card of an agent without one',
    request: call('GetExtendedAgentCard', {}),
    answer: rpc('UNSUPPORTED_OPERATION', 'no extended card'),
  },
  {
    name: 'an unknown push configuration',
    request: call('GetTaskPushNotificationConfig', { taskId: '$TASK', id: 'nothing' }),
    answer: rpc('TASK_NOT_FOUND', 'has no push configuration nothing'),
  },
];

export const PARAMS_1: readonly MalformedCase[] = [...OVER_RPC, ...OVER_REST, ...UNKNOWN];
