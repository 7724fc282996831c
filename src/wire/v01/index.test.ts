import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  arbitraryJson,
  arbitraryPushConfig,
  arbitrarySendMessageRequest,
  arbitraryStreamResponse,
  arbitraryTask,
} from '../../../test/helpers/arbitrary-model.ts';
import { A2AError } from '../../errors.ts';
import type { Artifact } from '../../model/artifact.ts';
import type { StreamResponse } from '../../model/event.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Message } from '../../model/message.ts';
import type { Input, OperationName, Output, SendMessageRequest } from '../../model/operation.ts';
import type { Part } from '../../model/part.ts';
import type { Task, TaskStatus } from '../../model/task.ts';
import { decode, decodeParams, decodeResult, operationCodec } from '../dialect.ts';
import { v01 } from './index.ts';

const FRESH = { newId: () => 'fresh' };

function onTheWire(json: unknown): unknown {
  return JSON.parse(JSON.stringify(json));
}

function sent<K extends OperationName>(operation: K, input: Input<K>): Input<K> {
  return decodeParams(v01, operation, onTheWire(operationCodec(v01, operation).params.encode(input)), FRESH).value;
}

function answered<K extends OperationName>(operation: K, output: Output<K>): Output<K> {
  return decodeResult(v01, operation, onTheWire(operationCodec(v01, operation).result.encode(output)), FRESH).value;
}

// The following functions return a value as it is after a round trip over 0.1. They are the list of permitted losses.

/** Empty metadata is lost if members were carried in it. */
function withoutEmptyMetadata<T extends { readonly metadata?: JsonObject }>(value: T): T {
  const { metadata, ...rest } = value;
  return metadata !== undefined && Object.keys(metadata).length === 0 ? (rest as T) : value;
}

function part(value: Part): Part {
  const carriesNames = ('text' in value || 'data' in value) && (value.filename ?? value.mediaType) !== undefined;
  const isWrapped = 'data' in value && (typeof value.data !== 'object' || value.data === null);
  return carriesNames || isWrapped ? withoutEmptyMetadata(value) : value;
}

function message({ role, parts, metadata }: Message): Message {
  return { messageId: 'fresh', role, parts: parts.map(part), ...(metadata === undefined ? {} : { metadata }) };
}

function carriesState({ state }: TaskStatus): boolean {
  return state === 'TASK_STATE_REJECTED' || state === 'TASK_STATE_AUTH_REQUIRED';
}

function status(value: TaskStatus): TaskStatus {
  if (value.message === undefined) return value;
  const kept = message(value.message);
  return { ...value, message: carriesState(value) ? withoutEmptyMetadata(kept) : kept };
}

function artifact({ extensions: _, ...value }: Artifact): Artifact {
  return withoutEmptyMetadata({ ...value, parts: value.parts.map(part) });
}

function task(value: Task): Task {
  const { artifacts, history } = value;
  const kept: Task = {
    ...value,
    status: status(value.status),
    ...(artifacts === undefined ? {} : { artifacts: artifacts.map(artifact) }),
    ...(history === undefined ? {} : { history: history.map(message) }),
  };
  return carriesState(value.status) ? withoutEmptyMetadata(kept) : kept;
}

function taskOf(value: Message): Task {
  const { taskId: id = value.messageId, contextId } = value;
  const done: Task = { id, status: { state: 'TASK_STATE_COMPLETED', message: message(value) } };
  return contextId === undefined ? done : { ...done, contextId };
}

function event(value: StreamResponse): StreamResponse {
  if ('task' in value) return { task: task(value.task) };
  if ('message' in value) return { task: taskOf(value.message) };
  if ('artifactUpdate' in value) {
    const { artifactUpdate } = value;
    return { artifactUpdate: { ...artifactUpdate, contextId: '', artifact: artifact(artifactUpdate.artifact) } };
  }
  const { statusUpdate } = value;
  const kept = { ...statusUpdate, contextId: '', status: status(statusUpdate.status) };
  return { statusUpdate: carriesState(statusUpdate.status) ? withoutEmptyMetadata(kept) : kept };
}

function request({ message: said, configuration, metadata }: SendMessageRequest): SendMessageRequest {
  const { taskPushNotificationConfig: push, historyLength } = configuration ?? {};
  const { id: _, ...config } = push ?? { url: '' };
  return {
    message: {
      ...message(said),
      taskId: said.taskId ?? said.messageId,
      ...(said.contextId === undefined ? {} : { contextId: said.contextId }),
    },
    ...(push === undefined && historyLength === undefined
      ? {}
      : {
          configuration: {
            ...(push === undefined ? {} : { taskPushNotificationConfig: config }),
            ...(historyLength === undefined ? {} : { historyLength }),
          },
        }),
    ...(metadata === undefined ? {} : { metadata }),
  };
}

/** Artifacts of a task have unique ids. */
function isSound(value: Task): boolean {
  const ids = value.artifacts?.map(({ artifactId }) => artifactId) ?? [];
  return new Set(ids).size === ids.length;
}

const soundTask = arbitraryTask.filter(isSound);
const soundEvent = arbitraryStreamResponse.filter((value) => !('task' in value) || isSound(value.task));

describe('any value survives a round trip except for what 0.1 cannot express:', () => {
  test('a send', () => {
    fc.assert(
      fc.property(arbitrarySendMessageRequest, (value) => {
        expect(sent('SendMessage', value)).toEqual(request(value));
      }),
    );
  });

  test('a task', () => {
    fc.assert(
      fc.property(soundTask, (value) => {
        expect(answered('GetTask', value)).toEqual(task(value));
      }),
    );
  });

  test('a push notification', () => {
    fc.assert(
      fc.property(soundEvent, (value) => {
        expect(decode(v01.webhook, onTheWire(v01.webhook.encode(value)), 'request', FRESH).value).toEqual(event(value));
      }),
    );
  });

  test('a push config', () => {
    fc.assert(
      fc.property(arbitraryPushConfig, ({ tenant: _, id: __, ...value }) => {
        expect(sent('CreateTaskPushNotificationConfig', { ...value, id: 'c1' })).toEqual(value);
        expect(answered('GetTaskPushNotificationConfig', value)).toEqual(value);
      }),
    );
  });

  test('a stream with any numbers of artifacts', () => {
    fc.assert(
      fc.property(fc.array(soundEvent, { maxLength: 5 }), (events) => {
        const encoder = v01.createStreamEncoder();
        for (const value of events) {
          const items = encoder.encode(value, false);
          const read = items.map((item) => decodeResult(v01, 'SubscribeToTask', onTheWire(item), FRESH));
          expect(read.flatMap(({ warnings }) => warnings)).toEqual([]);
          expect(read.map((item) => item.value)).toEqual(asEvents(value));
        }
      }),
    );
  });
});

/** The events that a stream contains in place of a task: its status, then its artifacts. */
function asEvents(value: StreamResponse): readonly StreamResponse[] {
  const kept = event(value);
  if (!('task' in kept)) return [kept];
  const { id: taskId, status: now, metadata, artifacts = [] } = kept.task;
  const isOver = /COMPLETED|FAILED|CANCELED|REJECTED/.test(now.state);
  return [
    { statusUpdate: { taskId, contextId: '', status: now, ...(metadata === undefined ? {} : { metadata }) } },
    ...artifacts.map((result) => ({
      artifactUpdate: { taskId, contextId: '', artifact: result, ...(isOver ? { lastChunk: true } : {}) },
    })),
  ];
}

test('decoding any JSON fails only with an A2AError', () => {
  const names = ['id', 'taskId', 'sessionId', 'message', 'status', 'artifact', 'artifacts', 'history', 'metadata'];
  const members = [...names, 'pushNotificationConfig', 'pushNotification', 'role', 'parts', 'type', 'file', 'index'];
  const { near } = fc.letrec<{ near: unknown }>((tie) => ({
    near: fc.oneof(
      { depthSize: 'medium' },
      fc.constantFrom('text', 'file', 'data', 'user', 'completed', 'rejected', 'failed', 't1'),
      arbitraryJson,
      fc.array(tie('near'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...members, 'a2a:state', 'a2a:index', 'a2a:artifactId'), tie('near'), {
        maxKeys: 6,
      }),
    ),
  }));
  const codecs = Object.values(v01.operations).flatMap(({ params, result }) => [params, result]);
  fc.assert(
    fc.property(near, fc.constantFrom('request' as const, 'response' as const), (json, role) => {
      for (const codec of [...codecs, v01.webhook]) {
        try {
          decode<unknown>(codec, json, role);
        } catch (error) {
          expect(A2AError.is(error)).toBe(true);
        }
      }
    }),
    { numRuns: 300 },
  );
});

test('the exchange in the dialect map is decoded and encoded', () => {
  const params = {
    id: 't1',
    sessionId: 's1',
    message: { role: 'user', parts: [{ type: 'text', text: 'hi' }] },
  };
  const said = decodeParams(v01, 'SendMessage', params, { ...FRESH, strict: true }).value;
  expect(said).toEqual({
    message: { messageId: 'fresh', taskId: 't1', contextId: 's1', role: 'ROLE_USER', parts: [{ text: 'hi' }] },
  });
  expect(operationCodec(v01, 'SendMessage').params.encode(said)).toEqual(params);

  const result = {
    id: 't1',
    sessionId: 's1',
    status: { state: 'completed', timestamp: '2025-05-19T10:00:00.000Z' },
    artifacts: [{ index: 0, parts: [{ type: 'text', text: 'yo' }] }],
  };
  const answer = decodeResult(v01, 'SendMessage', result, { ...FRESH, strict: true }).value;
  expect(answer).toMatchObject({
    task: { id: 't1', contextId: 's1', artifacts: [{ artifactId: 'artifact-0', parts: [{ text: 'yo' }] }] },
  });
  expect(operationCodec(v01, 'SendMessage').result.encode(answer)).toEqual(result);
});

test('a stream ends with the event that is marked as final', () => {
  expect(v01.endsStream({ id: 't1', status: { state: 'unknown' }, final: true })).toBe(true);
  expect(v01.endsStream({ id: 't1', status: { state: 'completed' }, final: false })).toBe(false);
  expect(v01.endsStream({ id: 't1', artifact: {} })).toBe(false);
});

test('callers choose task ids, and webhooks are plain JSON', () => {
  expect(v01).toMatchObject({ version: '0.1', clientNamesTasks: true, mediaType: 'application/json' });
});
