import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../model/json.ts';
import type { Message } from '../model/message.ts';
import type { SendMessageRequest } from '../model/operation.ts';
import type { Task } from '../model/task.ts';
import { type Decoded, decodeParams, decodeResult, type Dialect, operationCodec } from './dialect.ts';
import type { DecodeOptions } from './decoder.ts';
import { dialects } from './select.ts';

type Tested = 'v1' | 'v03' | 'v03-proto' | 'v03-kind' | 'v02' | 'v01';
const NAMES: readonly Tested[] = ['v1', 'v03', 'v03-proto', 'v03-kind', 'v02', 'v01'];

/** The params of a send in each format, with unknown members in the message and in its part. */
const SENDS: Readonly<Record<Tested, (message: JsonObject, part: JsonObject) => JsonObject>> = {
  v1: (message, part) => ({
    message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi', ...part }], ...message },
  }),
  v03: tagged,
  'v03-kind': tagged,
  v02: tagged,
  'v03-proto': (message, part) => ({
    message: { messageId: 'm', role: 'ROLE_USER', content: [{ text: 'hi', ...part }], ...message },
  }),
  v01: (message, part) => ({
    id: 't',
    message: { role: 'user', parts: [{ type: 'text', text: 'hi', ...part }], ...message },
  }),
};

function tagged(message: JsonObject, part: JsonObject): JsonObject {
  const parts = [{ kind: 'text', text: 'hi', ...part }];
  return { message: { kind: 'message', messageId: 'm', role: 'user', parts, ...message } };
}

function decoded(
  name: Tested,
  message: JsonObject,
  part: JsonObject,
  options?: DecodeOptions,
): Decoded<SendMessageRequest> {
  return decodeParams(dialects[name], 'SendMessage', SENDS[name](message, part), options);
}

function received(name: Tested, message: JsonObject, part: JsonObject): Message {
  return decoded(name, message, part).value.message;
}

function taskWith(message: Message): Task {
  return { id: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING' }, history: [message] };
}

/** A task with this message in its history, encoded by every operation, a stream and a webhook of a dialect. */
function encodings(dialect: Dialect, message: Message): readonly string[] {
  const task = taskWith(message);
  const written: unknown[] = [
    operationCodec(dialect, 'GetTask').result.encode(task),
    operationCodec(dialect, 'CancelTask').result.encode(task),
    operationCodec(dialect, 'SendMessage').result.encode({ task }),
    dialect.webhook.encode({ task }),
  ];
  // Streams of 0.1 have no tasks.
  if (dialect.version !== '0.1') written.push(dialect.createStreamEncoder().encode({ task }, false));
  if (dialect.operations.ListTasks !== undefined) {
    const page = { tasks: [task], nextPageToken: '', pageSize: 1, totalSize: 1 };
    written.push(operationCodec(dialect, 'ListTasks').result.encode(page));
  }
  return written.map((value) => JSON.stringify(value));
}

const INSIDE = { priority: 3, 'x-vendor': { deep: [null, 'yes'] } };
const ASIDE = { annotation: 'bold' };

describe.each(NAMES)('%s', (name) => {
  const { version } = dialects[name];

  test('keeps unknown members of a message and its part in the model, with the version', () => {
    const message = received(name, INSIDE, ASIDE);
    expect(message.unknownMembers).toEqual({ version, members: INSIDE });
    expect(message.parts).toEqual([{ text: 'hi', unknownMembers: { version, members: ASIDE } }]);
  });

  test('encodes unknown members at their original position', () => {
    const task = operationCodec(dialects[name], 'GetTask').result.encode(taskWith(received(name, INSIDE, ASIDE))) as {
      history: [Record<string, JsonValue>];
    };
    const [message] = task.history;
    expect(message).toMatchObject(INSIDE);
    expect(message['parts'] ?? message['content']).toMatchObject([{ text: 'hi', ...ASIDE }]);
    for (const text of encodings(dialects[name], received(name, INSIDE, ASIDE))) {
      for (const word of ['priority', 'x-vendor', 'annotation']) expect(text).toContain(word);
      expect(text).not.toContain('unknownMembers');
    }
  });

  test.each(NAMES.filter((other) => dialects[other].version !== version))(
    '%s never encodes unknown members of another version',
    (other) => {
      for (const text of encodings(dialects[other], received(name, INSIDE, ASIDE))) {
        expect(text).toContain('hi');
        for (const word of ['priority', 'x-vendor', 'annotation', 'unknownMembers']) expect(text).not.toContain(word);
      }
    },
  );

  test('drops own members named __proto__, constructor or prototype, at every depth, with a warning', () => {
    const hostile =
      '{"__proto__":{"polluted":1},"constructor":{},"prototype":1,"a":{"b":[{"__proto__":{"polluted":1}}]},"ok":1}';
    const members = JSON.parse(hostile) as JsonObject;
    const { value, warnings } = decoded(name, members, members);
    const { message } = value;
    expect(message.unknownMembers?.members).toEqual({ ok: 1 });
    expect(message.parts[0]?.unknownMembers?.members).toEqual({ ok: 1 });
    for (const object of [message, message.parts[0], message.unknownMembers?.members]) {
      expect(object).not.toHaveProperty('polluted');
      expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
    }
    expect({}).not.toHaveProperty('polluted');
    expect(new Set(warnings.map(({ code }) => code))).toEqual(new Set(['unknown-member-dropped']));
    for (const text of encodings(dialects[name], message)) expect(text).not.toMatch(/polluted|constructor|prototype/);
  });

  test('keeps at most 16,384 characters of unknown members per message and accepts messages with more', () => {
    const half = 'x'.repeat(8200);
    const both = decoded(name, { small: 1, large: half }, { large: half });
    const kept = JSON.stringify(both.value.message);
    expect(kept.split(half)).toHaveLength(2);
    expect(both.value.message.unknownMembers?.members).toMatchObject({ small: 1 });
    expect(both.warnings.map(({ code }) => code)).toEqual(['unknown-member-dropped']);
    const fitting = decoded(name, { large: 'x'.repeat(8000) }, { large: 'x'.repeat(8000) });
    expect(fitting.warnings).toEqual([]);
    expect(JSON.stringify(fitting.value.message).length).toBeGreaterThan(16_000);
  });

  test('drops a member that nests too deeply', () => {
    const nested = (levels: number): JsonValue => JSON.parse('['.repeat(levels) + ']'.repeat(levels)) as JsonValue;
    const { value, warnings } = decoded(name, { deep: nested(5000), flat: nested(50) }, {});
    expect(value.message.unknownMembers?.members).toEqual({ flat: nested(50) });
    expect(warnings.map(({ code }) => code)).toEqual(['unknown-member-dropped']);
  });

  test('does not treat member names of other versions as unknown', () => {
    const inMessage = { kind: 'message', type: 'x', message_id: 'n', context_id: 'c', reference_task_ids: ['r'] };
    const inPart = { filename: 'f', media_type: 'text/plain', metadata: { a: 1 } };
    const message = received(name, inMessage, inPart);
    expect(message).not.toHaveProperty('unknownMembers');
    expect(message.parts[0]).not.toHaveProperty('unknownMembers');
  });

  test('accepts and keeps unknown members in strict mode too', () => {
    const { value, warnings } = decoded(name, { priority: 3, large: 'x'.repeat(20_000) }, ASIDE, { strict: true });
    expect(value.message.unknownMembers?.members).toEqual({ priority: 3 });
    expect(warnings.map(({ code }) => code)).toEqual(['unknown-member-dropped']);
  });

  test('does not mistake a received member named unknownMembers for the internal one', () => {
    const forged = { unknownMembers: { version: '1.0', members: { role: 'ROLE_AGENT', priority: 3 } } };
    const message = received(name, forged, forged);
    expect(message.unknownMembers).toEqual({ version, members: forged });
    expect(message.parts[0]?.unknownMembers).toEqual({ version, members: forged });
  });

  test('does not keep unknown members of a response', () => {
    const [wire] = encodings(dialects[name], received(name, INSIDE, ASIDE));
    const { value } = decodeResult(dialects[name], 'GetTask', JSON.parse(wire ?? ''));
    expect(JSON.stringify(value)).not.toMatch(/unknownMembers|priority/);
  });
});

test('1.0 does not encode unknown members that have the name of a defined one', () => {
  const members = { role: 'ROLE_AGENT', kind: 'task', priority: 3 };
  const message: Message = { ...received('v1', {}, {}), unknownMembers: { version: '1.0', members } };
  const { history } = operationCodec(dialects.v1, 'GetTask').result.encode(taskWith(message)) as Task;
  expect(history).toEqual([{ messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }], priority: 3 }]);
});

test('1.0 encodes a task without unknown members as the same object', () => {
  const task = taskWith(received('v1', {}, {}));
  expect(operationCodec(dialects.v1, 'GetTask').result.encode(task)).toBe(task);
  const page = { tasks: [task], nextPageToken: '', pageSize: 1, totalSize: 1 };
  expect(operationCodec(dialects.v1, 'ListTasks').result.encode(page)).toBe(page);
});

test('the limit counts the unknown members of a repaired message only once', () => {
  const half = 'x'.repeat(8200);
  const parts = [{ type: 'text', text: 'hi', large: half }];
  const { value } = decodeParams(dialects.v03, 'SendMessage', { message: { role: 'user', parts, priority: 3 } });
  expect(value.message.unknownMembers?.members).toEqual({ priority: 3 });
  expect(value.message.parts).toEqual([{ text: 'hi', unknownMembers: { version: '0.3', members: { large: half } } }]);
});
