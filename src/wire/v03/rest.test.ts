import { expect, test } from 'vitest';
import type { StreamResponse } from '../../model/event.ts';
import { CARRIER } from '../carrier.ts';
import { decode, decodeParams, decodeResult, operationCodec } from '../dialect.ts';
import { v03 } from './index.ts';
import { v03Proto } from './proto/index.ts';
import { detectStyle, v03Kind } from './rest.ts';

const TIME = '2026-03-12T10:00:00.000Z';

const TASK = {
  id: 't1',
  contextId: 'c1',
  status: { state: 'TASK_STATE_CANCELED' as const, timestamp: TIME },
  artifacts: [{ artifactId: 'a1', parts: [{ text: 'yo' }] }],
};
const PROTO_TASK = { ...TASK, status: { state: 'TASK_STATE_CANCELLED', timestamp: TIME } };
const KIND_TASK = {
  kind: 'task',
  id: 't1',
  contextId: 'c1',
  status: { state: 'canceled', timestamp: TIME },
  artifacts: [{ artifactId: 'a1', parts: [{ kind: 'text', text: 'yo' }] }],
};

const MESSAGE = { messageId: 'm1', role: 'ROLE_AGENT' as const, parts: [{ text: 'hi' }] };
const PROTO_MESSAGE = { messageId: 'm1', role: 'ROLE_AGENT', content: [{ text: 'hi' }] };
const KIND_MESSAGE = { kind: 'message', messageId: 'm1', role: 'agent', parts: [{ kind: 'text', text: 'hi' }] };

const STATUS_UPDATE = { taskId: 't1', contextId: 'c1', status: { state: 'TASK_STATE_COMPLETED' as const } };
const PROTO_STATUS_UPDATE = { ...STATUS_UPDATE, final: true };
const KIND_STATUS_UPDATE = {
  kind: 'status-update',
  taskId: 't1',
  contextId: 'c1',
  status: { state: 'completed' },
  final: true,
};

const ARTIFACT_UPDATE = { taskId: 't1', contextId: 'c1', artifact: TASK.artifacts[0] ?? { artifactId: '', parts: [] } };
const PROTO_ARTIFACT_UPDATE = { ...ARTIFACT_UPDATE, append: false, lastChunk: false };
const KIND_ARTIFACT_UPDATE = {
  kind: 'artifact-update',
  taskId: 't1',
  contextId: 'c1',
  artifact: KIND_TASK.artifacts[0],
  append: false,
  lastChunk: false,
};

test('the exchange of the reference SDKs uses the JSON of the protocol definition', () => {
  const body = {
    message: { messageId: 'm1', role: 'ROLE_USER', content: [{ text: 'hi' }] },
    configuration: { blocking: true },
  };
  const request = {
    message: { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'hi' }] },
    configuration: {},
  } as const;
  expect(decodeParams(v03Proto, 'SendMessage', body)).toEqual({ value: request, warnings: [], raw: body });
  expect(operationCodec(v03Proto, 'SendMessage').params.encode(request)).toEqual(body);
  const answer = { task: { ...TASK, status: { state: 'TASK_STATE_COMPLETED' as const, timestamp: TIME } } };
  expect(operationCodec(v03Proto, 'SendMessage').result.encode(answer)).toEqual(answer);
  expect(decodeResult(v03Proto, 'SendMessage', answer)).toEqual({ value: answer, warnings: [], raw: answer });
});

test('the exchange of the specification text uses tagged objects and wraps the response', () => {
  const body = {
    message: { kind: 'message', messageId: 'm1', role: 'user', parts: [{ kind: 'text', text: 'hi' }] },
    configuration: { blocking: false },
  };
  const message = { messageId: 'm1', role: 'ROLE_USER' as const, parts: [{ text: 'hi' }] };
  const request = { message, configuration: { returnImmediately: true } };
  expect(decodeParams(v03Kind, 'SendMessage', body)).toEqual({ value: request, warnings: [], raw: body });
  expect(operationCodec(v03Kind, 'SendMessage').params.encode(request)).toEqual(body);
  expect(operationCodec(v03Kind, 'SendMessage').result.encode({ task: TASK })).toEqual({ task: KIND_TASK });
});

const ITEMS: readonly (readonly [string, StreamResponse, object, object])[] = [
  ['task', { task: TASK }, PROTO_TASK, KIND_TASK],
  ['message', { message: MESSAGE }, PROTO_MESSAGE, KIND_MESSAGE],
  ['statusUpdate', { statusUpdate: STATUS_UPDATE }, PROTO_STATUS_UPDATE, KIND_STATUS_UPDATE],
  ['artifactUpdate', { artifactUpdate: ARTIFACT_UPDATE }, PROTO_ARTIFACT_UPDATE, KIND_ARTIFACT_UPDATE],
];

test.each(ITEMS)('a %s is wrapped by its name in the style of the dialect', (key, item, proto, kind) => {
  expect(operationCodec(v03Proto, 'SendStreamingMessage').result.encode(item)).toEqual({ [key]: proto });
  expect(operationCodec(v03Kind, 'SendStreamingMessage').result.encode(item)).toEqual({ [key]: kind });
  expect(v03Proto.createStreamEncoder().encode(item, true)).toEqual([{ [key]: proto }]);
  expect(v03Kind.createStreamEncoder().encode(item, true)).toEqual([{ [key]: kind }]);
  expect(v03.createStreamEncoder().encode(item, true)).toEqual([kind]);
});

test.each(ITEMS)('a %s is decoded in every style by both dialects', (key, item, proto, kind) => {
  const snake = key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const wires = [{ [key]: proto }, { [snake]: proto }, { [key]: kind }, kind, proto];
  for (const wire of wires) {
    for (const dialect of [v03Proto, v03Kind]) {
      expect(decodeResult(dialect, 'SubscribeToTask', wire)).toEqual({ value: item, warnings: [], raw: wire });
    }
  }
});

test.each(ITEMS)('a wrapped %s without a tag is recognised by its content', (key, item, _proto, kind) => {
  const { kind: _, ...untagged } = kind as Record<string, unknown>;
  for (const dialect of [v03Proto, v03Kind]) {
    expect(decodeResult(dialect, 'SubscribeToTask', { [key]: untagged }).value).toEqual(item);
  }
});

test.each([v03Proto, v03Kind])('$name decodes a message under the name of its field', (dialect) => {
  expect(decodeResult(dialect, 'SendMessage', { msg: PROTO_MESSAGE }).value).toEqual({ message: MESSAGE });
});

test.each([v03Proto, v03Kind])('$name decodes a task in every style, wrapped or not', (dialect) => {
  for (const wire of [PROTO_TASK, KIND_TASK, { task: PROTO_TASK }, { task: KIND_TASK }]) {
    expect(decodeResult(dialect, 'GetTask', wire).value).toEqual(TASK);
    expect(decodeResult(dialect, 'CancelTask', wire).value).toEqual(TASK);
  }
  const own = dialect === v03Proto ? PROTO_TASK : KIND_TASK;
  expect(operationCodec(dialect, 'GetTask').result.encode(TASK)).toEqual(own);
});

test.each([v03Proto, v03Kind])('$name decodes states by their number in the protocol definition', (dialect) => {
  const wire = { task: { id: 't1', status: { state: 5 } } };
  expect(decodeResult(dialect, 'SendMessage', wire).value).toEqual({
    task: { id: 't1', status: { state: 'TASK_STATE_CANCELED' } },
  });
});

test.each([
  ['no member', {}],
  ['two members', { task: PROTO_TASK, message: PROTO_MESSAGE }],
  ['an event', { statusUpdate: PROTO_STATUS_UPDATE }],
  ['a list', [PROTO_TASK]],
  ['a text', 'done'],
])('the response to a send is rejected: %s', (_name, wire) => {
  for (const dialect of [v03Proto, v03Kind]) {
    expect(() => decodeResult(dialect, 'SendMessage', wire)).toThrow('expected');
  }
});

test('the path of a violation includes the wrapper', () => {
  const wire = { task: { ...PROTO_TASK, artifacts: [{ artifactId: 'a', parts: [{}] }] } };
  expect(() => decodeResult(v03Kind, 'SendMessage', wire)).toThrow('task.artifacts[0].parts[0]: expected');
});

test.each([v03Proto, v03Kind])('$name recognises the end of a stream in every style', (dialect) => {
  for (const item of [
    { statusUpdate: PROTO_STATUS_UPDATE },
    { statusUpdate: KIND_STATUS_UPDATE },
    KIND_STATUS_UPDATE,
  ]) {
    expect(dialect.endsStream(item)).toBe(true);
  }
  for (const item of [{ statusUpdate: STATUS_UPDATE }, { task: PROTO_TASK }, KIND_TASK, null, { final: true }]) {
    expect(dialect.endsStream(item)).toBe(false);
  }
});

test.each([v03Proto, v03Kind])(
  '$name encodes webhooks as the tagged task and decodes them in every style',
  (dialect) => {
    expect(dialect.webhook.encode({ task: TASK })).toEqual(KIND_TASK);
    for (const body of [KIND_TASK, PROTO_TASK, { task: KIND_TASK }, { task: PROTO_TASK }]) {
      expect(decode(dialect.webhook, body, 'request').value).toEqual({ task: TASK });
    }
  },
);

const CONFIG = { taskId: 't1', id: 'c1', url: 'https://ex.test/hook' };
const KIND_CONFIG = { taskId: 't1', pushNotificationConfig: { id: 'c1', url: 'https://ex.test/hook' } };
const PROTO_CONFIG = {
  name: 'tasks/t1/pushNotificationConfigs/c1',
  pushNotificationConfig: { id: 'c1', url: 'https://ex.test/hook' },
};

test('push configs are encoded in the style of the dialect and decoded in both', () => {
  const create = 'CreateTaskPushNotificationConfig';
  expect(operationCodec(v03Kind, create).params.encode(CONFIG)).toEqual(KIND_CONFIG);
  expect(operationCodec(v03Kind, create).result.encode(CONFIG)).toEqual(KIND_CONFIG);
  expect(operationCodec(v03Proto, create).result.encode(CONFIG)).toEqual(PROTO_CONFIG);
  const list = 'ListTaskPushNotificationConfigs';
  expect(operationCodec(v03Kind, list).result.encode({ configs: [CONFIG] })).toEqual([KIND_CONFIG]);
  expect(operationCodec(v03Proto, list).result.encode({ configs: [CONFIG] })).toEqual({ configs: [PROTO_CONFIG] });
  for (const dialect of [v03Proto, v03Kind]) {
    for (const wire of [KIND_CONFIG, PROTO_CONFIG]) {
      expect(decodeResult(dialect, 'GetTaskPushNotificationConfig', wire).value).toEqual(CONFIG);
      expect(decodeParams(dialect, create, { taskId: 't1', config: wire }).value).toEqual(CONFIG);
    }
    expect(decodeResult(dialect, list, [KIND_CONFIG]).value).toEqual({ configs: [CONFIG] });
    expect(decodeResult(dialect, list, { configs: [PROTO_CONFIG] }).value).toEqual({ configs: [CONFIG] });
    expect(decodeResult(dialect, 'DeleteTaskPushNotificationConfig', {}).value).toBeNull();
  }
});

test.each([
  ['content', { message: { content: [] } }, 'proto'],
  ['a role of the protocol definition', { message: { role: 'ROLE_USER', parts: [] } }, 'proto'],
  ['a role by number', { message: { role: 1 } }, 'proto'],
  ['content, whatever the role', { message: { role: 'user', content: [] } }, 'proto'],
  ['the field name of the message', { request: { content: [] } }, 'proto'],
  ['parts', { message: { parts: [] } }, 'kind'],
  ['a tag', { message: { kind: 'message' } }, 'kind'],
  ['a plain role', { message: { role: 'user' } }, 'kind'],
  ['a bare message', { message: { messageId: 'm' } }, undefined],
  ['a message that is a text', { message: 'hi' }, undefined],
  ['a resource name', { name: 'tasks/t1' }, 'proto'],
  ['a creation', { parent: 'tasks/t1', config: {} }, 'proto'],
  ['a named config', { config: PROTO_CONFIG }, 'proto'],
  ['a config with its task', KIND_CONFIG, 'kind'],
  ['such a config under config', { config: KIND_CONFIG }, 'kind'],
  ['a plain config', { config: { url: 'u' } }, undefined],
  ['an empty body', {}, undefined],
  ['no body', undefined, undefined],
  ['null', null, undefined],
  ['a list', [], undefined],
])('the style of a request is recognised from %s', (_name, body, style) => {
  expect(detectStyle(body)).toBe(style);
});

test.each([
  [{ [CARRIER.mediaType]: 'a/b', own: 1 }, { mediaType: 'a/b' }],
  [{ own: 1 }, {}],
])('a URL beside the bytes of a file is kept with the metadata %j', (metadata, restored) => {
  const part = { kind: 'file', file: { bytes: 'AQI=', uri: 'https://ex.test/a' }, metadata };
  const message = { kind: 'message', messageId: 'm', role: 'agent', parts: [part] };
  const kept = { raw: 'AQI=', ...restored, metadata: { own: 1, [CARRIER.uri]: 'https://ex.test/a' } };
  expect(decodeResult(v03Kind, 'SendMessage', { message }).value).toHaveProperty('message.parts', [kept]);
});

test('a tag takes precedence over a member that looks like a wrapper', () => {
  const wire = { ...KIND_TASK, message: KIND_MESSAGE };
  expect(decodeResult(v03Proto, 'SendMessage', wire).value).toEqual({ task: TASK });
});
