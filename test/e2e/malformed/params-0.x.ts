import { BEYOND_NUMBERS, deep, type MalformedCase, MISSING, oldCall, post, shown, withValue } from './case.ts';
import { accepted, type Expected, rest, rpc } from './expected.ts';
import { MANY, notCount, notId, notStruct, ROLES, tooDeep, violation, type WrongValue } from './params-1.0.ts';

type Table = Readonly<Record<string, { readonly params: unknown; readonly wrong: readonly WrongValue[] }>>;

const KINDS = "expected 'text', 'file' or 'data'";
const FILE = 'message.parts[0].file';
const WEB = 'must be an absolute http or https URL';

/** Rows for a message whose parts are tagged: by `kind` in 0.2 and 0.3, by `type` in 0.1. */
function taggedMessage(tag: 'kind' | 'type'): readonly WrongValue[] {
  const part = 'message.parts[0]';
  return [
    ['message', MISSING, 'expected the member message'],
    ['message', null, 'expected the member message'],
    ['message', 'hi', 'expected an object'],
    ['message', ['hi'], 'expected an object'],
    ['message.messageId', '', 'expected a non-empty string'],
    ['message.messageId', 5, 'expected a string'],
    ['message.role', MISSING, 'expected the member role'],
    ['message.role', 'ROLE_USER', 'expected one of user, agent'],
    ['message.role', 1, 'expected one of user, agent'],
    ['message.parts', MISSING, 'expected the member parts'],
    ['message.parts', [], 'expected at least one item'],
    ['message.parts', { a: 1 }, 'expected an array'],
    ['message.parts', MANY, 'expected at most 10000 items'],
    [part, null, 'expected an object'],
    [part, 'hi', 'expected an object'],
    [part, deep(2000, 'lists'), 'expected an object'],
    [part, {}, KINDS, `${part}.${tag}`],
    [part, { [tag]: 'video' }, KINDS, `${part}.${tag}`],
    [part, { [tag]: 5, text: 'hi' }, KINDS, `${part}.${tag}`],
    [part, { [tag]: 'text' }, 'expected a string', `${part}.text`],
    [part, { [tag]: 'text', text: 5 }, 'expected a string', `${part}.text`],
    [part, { [tag]: 'data' }, 'expected an object', `${part}.data`],
    [part, { [tag]: 'data', data: 'x' }, 'expected an object', `${part}.data`],
    [part, { [tag]: 'data', data: { a: BEYOND_NUMBERS } }, 'expected a finite number', `${part}.data.a`],
    [part, { [tag]: 'data', data: deep(100) }, 'levels of nesting', ''],
    [part, { [tag]: 'data', data: deep(2000) }, 'levels of nesting', ''],
    [part, { [tag]: 'file' }, 'expected an object', FILE],
    [part, { [tag]: 'file', file: {} }, 'expected bytes or uri', FILE],
    [part, { [tag]: 'file', file: { bytes: '***' } }, 'expected base64', `${FILE}.bytes`],
    [part, { [tag]: 'file', file: { bytes: 5 } }, 'expected a string', `${FILE}.bytes`],
    [part, { [tag]: 'file', file: { uri: '' } }, 'expected a non-empty string', `${FILE}.uri`],
    [part, { [tag]: 'file', file: { uri: 'https://a', name: 5 } }, 'expected a string', `${FILE}.name`],
    ...notStruct(`${part}.metadata`),
    ...notStruct('message.metadata'),
    ...tooDeep('message.metadata'),
    ...notStruct('metadata'),
  ];
}

/** 0.2 and 0.3 over JSON-RPC, and 0.3 over REST in the style of its prose. */
const TAGGED: Table = {
  'message/send': {
    params: {
      message: { kind: 'message', messageId: 'm-1', role: 'user', parts: [{ kind: 'text', text: 'hi' }] },
    },
    wrong: [
      ...taggedMessage('kind'),
      ['message.contextId', 5, 'expected a string'],
      ['message.taskId', { a: 1 }, 'expected a string'],
      ['message.referenceTaskIds', 'x', 'expected an array'],
      ['message.extensions', [5], 'expected a string', 'message.extensions[0]'],
      ['configuration', 'x', 'expected an object'],
      ['configuration.blocking', 'yes', 'expected true or false'],
      ['configuration.acceptedOutputModes', 'text/plain', 'expected an array'],
      ...notCount('configuration.historyLength'),
      ['configuration.pushNotificationConfig', 5, 'expected an object'],
      [
        'configuration.pushNotificationConfig',
        {},
        'expected the member url',
        'configuration.pushNotificationConfig.url',
      ],
    ],
  },
};

const TAGGED_BY_ID: Table = {
  'tasks/get': { params: { id: '$TASK' }, wrong: [...notId('id'), ...notCount('historyLength')] },
  'tasks/cancel': { params: { id: '$TASK' }, wrong: [...notId('id'), ['metadata', 'x', 'expected an object']] },
  'tasks/resubscribe': { params: { id: '$TASK' }, wrong: notId('id') },
  'tasks/pushNotificationConfig/set': {
    params: { taskId: '$TASK', pushNotificationConfig: { url: 'https://example.com' } },
    wrong: [
      ...notId('taskId'),
      ['pushNotificationConfig', MISSING, 'expected the member pushNotificationConfig'],
      ['pushNotificationConfig', 'x', 'expected an object'],
      ['pushNotificationConfig.url', MISSING, 'expected the member url'],
      ['pushNotificationConfig.url', 'nowhere', WEB, 'url'],
      [
        'pushNotificationConfig.authentication',
        {},
        'the member schemes',
        'pushNotificationConfig.authentication.schemes',
      ],
    ],
  },
  'tasks/pushNotificationConfig/get': { params: { id: '$TASK' }, wrong: notId('id') },
  'tasks/pushNotificationConfig/list': { params: { id: '$TASK' }, wrong: notId('id') },
  'tasks/pushNotificationConfig/delete': {
    params: { id: '$TASK', pushNotificationConfigId: 'c' },
    wrong: [...notId('id'), ...notId('pushNotificationConfigId')],
  },
};

const IN_01: Table = {
  'tasks/send': {
    params: { id: 'named', message: { role: 'user', parts: [{ type: 'text', text: 'hi' }] } },
    wrong: [
      ...notId('id'),
      ...taggedMessage('type'),
      ['sessionId', 5, 'expected a string'],
      ['pushNotification', 'x', 'expected an object'],
      ...notCount('historyLength'),
    ],
  },
  'tasks/get': { params: { id: 'named' }, wrong: [...notId('id'), ...notCount('historyLength')] },
  'tasks/cancel': { params: { id: 'named' }, wrong: notId('id') },
  'tasks/resubscribe': { params: { id: 'named' }, wrong: notId('id') },
  'tasks/pushNotification/set': {
    params: { id: 'named', pushNotificationConfig: { url: 'https://example.com' } },
    wrong: [...notId('id'), ['pushNotificationConfig.url', '', 'expected a non-empty string']],
  },
  'tasks/pushNotification/get': { params: { id: 'named' }, wrong: notId('id') },
};

/** 0.3 over REST in the style of its protocol definition. */
const PROTO: readonly WrongValue[] = [
  ['message', MISSING, 'expected the member message'],
  ['message', 5, 'expected an object'],
  ['message.messageId', '', 'expected a non-empty string'],
  ['message.messageId', 5, 'expected a string'],
  ['message.role', 'ROLE_NOBODY', ROLES],
  ['message.content', MISSING, 'expected the member content'],
  ['message.content', [], 'expected at least one item'],
  ['message.content', {}, 'expected an array'],
  ['message.content[0]', null, 'expected an object'],
  ['message.content[0]', {}, 'expected exactly one of text, file, data'],
  ['message.content[0]', { text: 'a', file: {} }, 'expected exactly one of text, file, data'],
  ['message.content[0]', { text: 5 }, 'expected a string', 'message.content[0].text'],
  ['message.content[0]', { data: { data: 'x' } }, 'expected an object', 'message.content[0].data.data'],
  ['message.content[0]', { data: { data: deep(2000) } }, 'levels of nesting', ''],
  ['message.content[0]', { file: {} }, 'expected fileWithBytes or fileWithUri', 'message.content[0].file'],
  ['message.content[0]', { file: { fileWithBytes: '*' } }, 'expected base64', 'message.content[0].file.fileWithBytes'],
  ...notStruct('message.metadata'),
  ['configuration.blocking', 'yes', 'expected true or false'],
  ...notCount('configuration.historyLength'),
];

const PROTO_MESSAGE = { message: { messageId: 'm-1', role: 'ROLE_USER', content: [{ text: 'hi' }] } };

function overRpc(name: string, table: Table, version?: string): readonly MalformedCase[] {
  return Object.entries(table).flatMap(([method, { params, wrong }]) =>
    wrong.map((row) => ({
      name: `${name} ${method} ${row[0]}: ${shown(row[1])}`,
      request: oldCall(method, withValue(params, row[0], row[1]), version),
      answer: violation(rpc, row, 'old'),
    })),
  );
}

function overRest(name: string, params: unknown, wrong: readonly WrongValue[]): readonly MalformedCase[] {
  return wrong.map((row) => ({
    name: `${name} POST /v1/message:send ${row[0]}: ${shown(row[1])}`,
    request: post('/v1/message:send', withValue(params, row[0], row[1])),
    answer: violation(rest, row, 'old'),
  }));
}

const { params: TAGGED_SEND, wrong: TAGGED_WRONG } = TAGGED['message/send'] ?? { params: {}, wrong: [] };

/** A role such as `ROLE_USER` marks the style of the protocol definition, so those rows are left out. */
const SHOWS_STYLE = TAGGED_WRONG.filter(([at, value]) => at !== 'message.role' || value === MISSING);

function unknown(name: string, method: string, version: string | undefined, message: string): MalformedCase {
  return {
    name: `${name} has no ${method}`,
    request: oldCall(method, {}, version),
    answer: rpc('METHOD_NOT_FOUND', message, { errorFormat: 'old' }),
  };
}

const OTHERS: readonly MalformedCase[] = [
  unknown('0.3', 'SendMessage', '0.3', 'A2A 0.3 has no method'),
  unknown('0.3', 'tasks/list', undefined, 'A2A 0.3 has no method'),
  unknown('0.3', 'message/send/', undefined, 'A2A 0.3 has no method'),
  unknown('0.3', '__proto__', undefined, 'A2A 0.3 has no method'),
  unknown('0.2', 'agent/getAuthenticatedExtendedCard', '0.2', 'A2A 0.2 has no method'),
  unknown('0.1', 'message/send', '0.1', 'A2A 0.1 has no method'),
  unknown('0.1', 'tasks/pushNotificationConfig/list', '0.1', 'A2A 0.1 has no method'),
  missingTask('0.3', oldCall('tasks/get', { id: 'nobody' })),
  missingTask('0.2', oldCall('tasks/get', { id: 'nobody' }, '0.2')),
  missingTask('0.1', oldCall('tasks/get', { id: 'nobody' }, '0.1')),
  missingTask('0.1 cancel', oldCall('tasks/cancel', { id: 'nobody' }, '0.1')),
  missingTask('0.3 resubscribe', oldCall('tasks/resubscribe', { id: 'nobody' })),
  kind('a message without an id gets one', 'message.messageId', MISSING, accepted()),
  kind('a message without its kind', 'message.kind', MISSING, accepted()),
  kind('a part tagged as in 0.1', 'message.parts[0]', { type: 'text', text: 'hi' }, accepted()),
];

function missingTask(name: string, request: MalformedCase['request']): MalformedCase {
  return {
    name: `${name}: an unknown task`,
    request,
    answer: rpc('TASK_NOT_FOUND', 'Task nobody does not exist', { errorFormat: 'old' }),
  };
}

function kind(name: string, at: string, value: unknown, answer: Expected): MalformedCase {
  return { name: `0.3: ${name}`, request: oldCall('message/send', withValue(TAGGED_SEND, at, value)), answer };
}

export const PARAMS_03: readonly MalformedCase[] = [
  ...overRpc('0.3', { ...TAGGED, ...TAGGED_BY_ID }),
  ...overRest('0.3, tagged', TAGGED_SEND, SHOWS_STYLE),
  ...overRest('0.3, by the protocol definition', PROTO_MESSAGE, PROTO),
];

export const PARAMS_BEFORE_03: readonly MalformedCase[] = [
  ...overRpc('0.2', { ...TAGGED, ...TAGGED_BY_ID }, '0.2'),
  ...overRpc('0.1', IN_01, '0.1'),
  ...OTHERS,
];

/** Valid calls of every old version: method, params and version. */
export const VALID_OLDER: readonly (readonly [method: string, params: unknown, version?: string])[] = [
  ...Object.entries({ ...TAGGED, ...TAGGED_BY_ID }).map(([method, { params }]) => [method, params] as const),
  ...Object.entries({ ...TAGGED, ...TAGGED_BY_ID }).map(([method, { params }]) => [method, params, '0.2'] as const),
  ...Object.entries(IN_01).map(([method, { params }]) => [method, params, '0.1'] as const),
];
