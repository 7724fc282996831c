import { describe, expect, test } from 'vitest';
import { verifies } from '../../../test/helpers/verifies.ts';
import type { A2AError } from '../../errors.ts';
import type { OperationName } from '../../model/operation.ts';
import { decodeParams, decodeResult } from '../dialect.ts';
import { v1 } from './index.ts';

const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] };

function read(operation: OperationName, json: unknown): unknown {
  return decodeParams(v1, operation, json).value;
}

function refusal(operation: OperationName, json: unknown, strict = false): A2AError {
  try {
    decodeParams(v1, operation, json, { strict });
  } catch (error) {
    return error as A2AError;
  }
  throw new Error('was accepted');
}

const fields = (error: A2AError): string[] => error.violations.map(({ field }) => field);

describe('a message', () => {
  test(verifies('E-12', 'unknown members change no other member, at every depth'), () => {
    const odd = { message: { ...message, x: 1, parts: [{ text: 'hi', y: 2 }] }, z: 3 };
    const kept = (members: object): object => ({ unknownMembers: { version: '1.0', members } });
    expect(read('SendMessage', odd)).toEqual({
      message: { ...message, parts: [{ text: 'hi', ...kept({ y: 2 }) }], ...kept({ x: 1 }) },
    });
  });

  test.each([
    ['messageId', { role: 'ROLE_USER', parts: [{ text: 'hi' }] }],
    ['role', { messageId: 'm', parts: [{ text: 'hi' }] }],
    ['parts', { messageId: 'm', role: 'ROLE_USER' }],
  ])(verifies('E-13', 'a request without %s is rejected'), (member, broken) => {
    expect(fields(refusal('SendMessage', { message: broken }))).toEqual([`message.${member}`]);
  });

  test(verifies('E-13', 'an empty id is rejected'), () => {
    expect(fields(refusal('SendMessage', { message: { ...message, messageId: '' } }))).toEqual(['message.messageId']);
  });

  test(verifies('E-14', 'a message without parts is rejected'), () => {
    const error = refusal('SendMessage', { message: { ...message, parts: [] } });
    expect(error.violations).toEqual([{ field: 'message.parts', description: 'expected at least one item' }]);
  });

  test.each([
    ['no content', {}],
    ['metadata only', { metadata: {} }],
    ['two contents', { text: 'a', url: 'https://x.example' }],
    ['text and null data', { text: 'a', data: null }],
  ])('with %s in a part is rejected', (_, part) => {
    expect(fields(refusal('SendMessage', { message: { ...message, parts: [{ text: 'ok' }, part] } }))).toEqual([
      'message.parts[1]',
    ]);
  });

  test.each([
    [{ text: '' }],
    [{ data: null }],
    [{ data: [] }],
    [{ data: { a: [null, 1e300, 'ü'] } }],
    [{ raw: 'AAEC', filename: 'f.bin', mediaType: 'application/octet-stream' }],
    [{ url: 'https://x.example/f', metadata: { nested: { empty: {} } } }],
  ])('with the part %j is decoded', (part) => {
    expect(read('SendMessage', { message: { ...message, parts: [part] } })).toEqual({
      message: { ...message, parts: [part] },
    });
  });

  test.each([
    ['AA', 'AA=='],
    ['_-8', '/+8='],
    ['', ''],
  ])('with the bytes %j is decoded with the bytes %j', (raw, standard) => {
    expect(read('SendMessage', { message: { ...message, parts: [{ raw }] } })).toMatchObject({
      message: { parts: [{ raw: standard }] },
    });
  });

  test.each(['A', 'AA=A', '!!!!', 'AA AA', 'AA==='])('with the bytes %j is rejected', (raw) => {
    expect(fields(refusal('SendMessage', { message: { ...message, parts: [{ raw }] } }))).toEqual([
      'message.parts[0].raw',
    ]);
  });

  test('with several mistakes is rejected with the path of each', () => {
    const broken = { messageId: 7, role: 'user', parts: [{ text: 'ok' }, { text: 5 }, 'x'], metadata: [] };
    expect(fields(refusal('SendMessage', { message: broken, configuration: { historyLength: -1 } }))).toEqual([
      'message.messageId',
      'message.role',
      'message.parts[1].text',
      'message.parts[2]',
      'message.metadata',
      'configuration.historyLength',
    ]);
  });

  test("with the role of an agent is decoded as the user's, and rejected in strict mode", () => {
    const agents = { message: { ...message, role: 'ROLE_AGENT' } };
    const { value, warnings } = decodeParams(v1, 'SendMessage', agents);
    expect(value.message.role).toBe('ROLE_USER');
    expect(warnings).toMatchObject([{ code: 'role-not-user', field: 'message.role' }]);
    expect(fields(refusal('SendMessage', agents, true))).toEqual(['message.role']);
  });
});

describe('names and values', () => {
  test(
    verifies('B-02', 'names are camelCase and enums are names; the original field names and numbers are read too'),
    () => {
      const snake = {
        message: { message_id: 'm', role: 1, parts: [{ raw: 'AA==', media_type: 'a/b' }], context_id: 'c' },
      };
      const { value } = decodeParams(v1, 'SendMessage', snake);
      expect(value).toEqual({
        message: { messageId: 'm', role: 'ROLE_USER', parts: [{ raw: 'AA==', mediaType: 'a/b' }], contextId: 'c' },
      });
      expect(JSON.stringify(v1.operations.SendMessage?.params.encode(value))).not.toMatch(/_id|media_type|"role":1/);
    },
  );

  test.each([
    ['2026-03-12T10:00:00.123Z', '2026-03-12T10:00:00.123Z'],
    ['2026-03-12T10:00:00Z', '2026-03-12T10:00:00.000Z'],
    ['2026-03-12T12:00:00.5+02:00', '2026-03-12T10:00:00.500Z'],
    ['2026-03-12T10:00:00.123456Z', '2026-03-12T10:00:00.123Z'],
  ])(verifies('B-03', 'the time %s is kept as %s'), (received, kept) => {
    expect(read('ListTasks', { statusTimestampAfter: received })).toEqual({ statusTimestampAfter: kept });
  });

  test('the camelCase name takes precedence over the original one', () => {
    expect(read('GetTask', { id: 'a', history_length: 1, historyLength: 2 })).toEqual({ id: 'a', historyLength: 2 });
  });
});

describe('the list of tasks', () => {
  test.each([
    ['pageSize', 0],
    ['pageSize', 101],
    ['pageSize', 1.5],
    ['historyLength', -1],
    ['status', 'completed'],
    ['statusTimestampAfter', 'yesterday'],
    ['includeArtifacts', 'yes'],
    ['contextId', 5],
  ])('with %s %j in its request is rejected', (member, value) => {
    expect(fields(refusal('ListTasks', { [member]: value }))).toEqual([member]);
  });

  test('ignores an unspecified status and an empty page token', () => {
    expect(read('ListTasks', { status: 'TASK_STATE_UNSPECIFIED', pageToken: '' })).toEqual({});
  });

  test('decodes an empty page and keeps an empty list of requested artifacts', () => {
    const page = {
      tasks: [{ id: 't', status: { state: 'TASK_STATE_WORKING' }, artifacts: [] }],
      nextPageToken: '',
      pageSize: 50,
      totalSize: 1,
    };
    expect(decodeResult(v1, 'ListTasks', page).value).toEqual(page);
  });
});

describe('slightly wrong responses of servers', () => {
  test('an unknown state is decoded as unspecified with a warning', () => {
    const { value, warnings } = decodeResult(v1, 'GetTask', { id: 't', status: { state: 'TASK_STATE_DREAMING' } });
    expect(value.status.state).toBe('TASK_STATE_UNSPECIFIED');
    expect(warnings).toMatchObject([{ code: 'unknown-word', field: 'status.state' }]);
  });

  test('a status message without an id gets one', () => {
    const status = { state: 'TASK_STATE_WORKING', message: { role: 'ROLE_AGENT', parts: [{ text: 'hm' }] } };
    const { value } = decodeResult(v1, 'GetTask', { id: 't', status }, { newId: () => 'made-up' });
    expect(value.status.message?.messageId).toBe('made-up');
  });

  test('a part without content is decoded as null, because the reference SDK encodes null so', () => {
    const task = { id: 't', status: { state: 'TASK_STATE_COMPLETED' }, artifacts: [{ artifactId: 'a', parts: [{}] }] };
    const { value, warnings } = decodeResult(v1, 'GetTask', task);
    expect(value.artifacts?.[0]?.parts).toEqual([{ data: null }]);
    expect(warnings).toMatchObject([{ code: 'part-empty', field: 'artifacts[0].parts[0]' }]);
  });

  test('an artifact without an id gets one from its position in the task', () => {
    const artifacts = [
      { artifactId: 'a', parts: [{ text: 'x' }] },
      { name: 'response', parts: [{ text: 'Task!' }] },
    ];
    const task = { id: 't', status: { state: 'TASK_STATE_COMPLETED' }, artifacts };
    const { value, warnings } = decodeResult(v1, 'SendMessage', { task });
    expect(value).toEqual({
      task: { ...task, artifacts: [artifacts[0], { artifactId: 'artifact-1', ...artifacts[1] }] },
    });
    expect(warnings).toMatchObject([{ code: 'member-missing', field: 'task.artifacts[1].artifactId' }]);
    expect(() => decodeResult(v1, 'SendMessage', { task }, { strict: true })).toThrow('expected the member artifactId');
  });

  test('a chunk of an artifact without an id is rejected', () => {
    const event = { artifactUpdate: { taskId: 't', contextId: 'c', artifact: { parts: [{ text: 'x' }] } } };
    expect(() => decodeResult(v1, 'SubscribeToTask', event)).toThrow('artifact.artifactId: expected the member');
  });

  test('a task without an id is rejected', () => {
    expect(() => decodeResult(v1, 'GetTask', { status: { state: 'TASK_STATE_WORKING' } })).toThrow(
      expect.objectContaining({
        code: 'INVALID_AGENT_RESPONSE',
        violations: [{ field: 'id', description: 'expected the member id' }],
      }),
    );
  });

  test.each([{}, { task: null }, { task: { id: 't' }, message: {} }, []])('the send result %j is rejected', (json) => {
    expect(() => decodeResult(v1, 'SendMessage', json)).toThrow(
      expect.objectContaining({ code: 'INVALID_AGENT_RESPONSE' }),
    );
  });

  test.each([null, {}, undefined])('the result %j means that a config is deleted', (json) => {
    expect(decodeResult(v1, 'DeleteTaskPushNotificationConfig', json).value).toBeNull();
  });
});

describe('a stream event without its wrapper', () => {
  const status = { state: 'TASK_STATE_WORKING' };
  const artifact = { artifactId: 'a', parts: [{ text: 'x' }] };

  test.each([
    ['statusUpdate', { kind: 'status-update', taskId: 't', contextId: 'c', status }],
    ['statusUpdate', { taskId: 't', contextId: 'c', status }],
    ['artifactUpdate', { kind: 'artifact-update', taskId: 't', contextId: 'c', artifact }],
    ['artifactUpdate', { taskId: 't', contextId: 'c', artifact }],
    ['task', { kind: 'task', id: 't', status }],
    ['message', { kind: 'message', ...message }],
  ])('is decoded as %s: %j', (wrapper, { kind: _, ...event }: Record<string, unknown>) => {
    const bare = _ === undefined ? event : { kind: _, ...event };
    const { value, warnings } = decodeResult(v1, 'SendStreamingMessage', bare);
    expect(value).toEqual({ [wrapper]: event });
    expect(warnings).toMatchObject([{ code: 'event-wrapper-missing', field: '' }]);
    expect(() => decodeResult(v1, 'SendStreamingMessage', bare, { strict: true })).toThrow(
      `inside the member ${wrapper}`,
    );
  });

  test.each([{ kind: 'thought', text: 'hm' }, { taskId: 't' }, { id: 't', status }])(
    'is rejected if its members do not identify it: %j',
    (json) => {
      expect(() => decodeResult(v1, 'SubscribeToTask', json)).toThrow('expected exactly one of task, message');
    },
  );
});
