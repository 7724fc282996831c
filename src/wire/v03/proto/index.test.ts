import { deepStrictEqual } from 'node:assert';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  arbitraryId,
  arbitraryJson,
  arbitraryPushConfig,
  arbitrarySendMessageRequest,
  arbitraryStreamResponse,
  arbitraryTask,
} from '../../../../test/helpers/arbitrary-model.ts';
import { A2AError } from '../../../errors.ts';
import type { Artifact } from '../../../model/artifact.ts';
import type { StreamResponse } from '../../../model/event.ts';
import type { JsonObject } from '../../../model/json.ts';
import type { Message } from '../../../model/message.ts';
import type { Input, OperationName, Output, SendMessageRequest } from '../../../model/operation.ts';
import type { Part } from '../../../model/part.ts';
import type { TaskPushNotificationConfig } from '../../../model/push.ts';
import type { Task, TaskStatus } from '../../../model/task.ts';
import { decode, decodeParams, decodeResult, type Dialect, operationCodec } from '../../dialect.ts';
import { v03Kind } from '../rest.ts';
import { v03Proto } from './index.ts';

/** Every value is serialised as on the wire, because afterwards an undefined member differs from a missing one. */
function overTheWire(json: unknown): unknown {
  return JSON.parse(JSON.stringify(json));
}

function sent<K extends OperationName>(dialect: Dialect, operation: K, value: Input<K>): Input<K> {
  return decodeParams(dialect, operation, overTheWire(operationCodec(dialect, operation).params.encode(value))).value;
}

function answered<K extends OperationName>(dialect: Dialect, operation: K, value: Output<K>): Output<K> {
  return decodeResult(dialect, operation, overTheWire(operationCodec(dialect, operation).result.encode(value))).value;
}

/** Metadata that contained only members that we carried in it is removed, so empty metadata is lost. */
function withoutEmptyMetadata<T extends { readonly metadata?: JsonObject }>(value: T, carries: boolean): T {
  const { metadata, ...rest } = value;
  return carries && metadata !== undefined && Object.keys(metadata).length === 0 ? (rest as T) : value;
}

function lossyPart(part: Part): Part {
  if ('raw' in part || 'url' in part) return part;
  const wraps = 'data' in part && (typeof part.data !== 'object' || part.data === null || Array.isArray(part.data));
  return withoutEmptyMetadata(part, wraps || part.mediaType !== undefined || part.filename !== undefined);
}

interface Losses {
  /** References of a message are carried in its metadata. */
  readonly carriesReferences: boolean;
  /** A history of 0 messages cannot be requested. */
  readonly historyLength0: boolean;
}

/** The same values as they are after a round trip in one style. Nothing else is lost. */
function afterwards(losses: Losses) {
  function message(value: Message): Message {
    const carries = losses.carriesReferences && value.referenceTaskIds !== undefined;
    return withoutEmptyMetadata({ ...value, parts: value.parts.map(lossyPart) }, carries);
  }

  function artifact(value: Artifact): Artifact {
    return { ...value, parts: value.parts.map(lossyPart) };
  }

  function status(value: TaskStatus): TaskStatus {
    return value.message === undefined ? value : { ...value, message: message(value.message) };
  }

  function task(value: Task): Task {
    const { artifacts, history, ...rest } = value;
    return {
      ...rest,
      status: status(value.status),
      ...(artifacts && { artifacts: artifacts.map(artifact) }),
      ...(history && { history: history.map(message) }),
    };
  }

  function event(value: StreamResponse): StreamResponse {
    if ('task' in value) return { task: task(value.task) };
    if ('message' in value) return { message: message(value.message) };
    if ('statusUpdate' in value) {
      return { statusUpdate: { ...value.statusUpdate, status: status(value.statusUpdate.status) } };
    }
    return { artifactUpdate: { ...value.artifactUpdate, artifact: artifact(value.artifactUpdate.artifact) } };
  }

  function request({ tenant: _, configuration, ...value }: SendMessageRequest): SendMessageRequest {
    if (configuration === undefined) return { ...value, message: message(value.message) };
    const { historyLength, ...rest } = configuration;
    const keepsLength = historyLength !== undefined && !(losses.historyLength0 && historyLength === 0);
    const left = keepsLength ? { ...rest, historyLength } : rest;
    return { ...value, message: message(value.message), configuration: left };
  }

  function config({ tenant: _, ...value }: TaskPushNotificationConfig): TaskPushNotificationConfig {
    return value;
  }

  return { task, event, request, config };
}

const KIND: Losses = { carriesReferences: false, historyLength0: false };
const PROTO: Losses = { carriesReferences: true, historyLength0: true };

const STYLES = [
  { style: 'v03-proto', dialect: v03Proto, after: afterwards(PROTO) },
  { style: 'v03-kind', dialect: v03Kind, after: afterwards(KIND) },
];

test.each(STYLES)('$style: any send survives a round trip', ({ dialect, after }) => {
  fc.assert(
    fc.property(arbitrarySendMessageRequest, (request) => {
      deepStrictEqual(sent(dialect, 'SendMessage', request), after.request(request));
    }),
  );
});

test.each(STYLES)('$style: any task survives a round trip', ({ dialect, after }) => {
  fc.assert(
    fc.property(arbitraryTask, (task) => {
      deepStrictEqual(answered(dialect, 'GetTask', task), after.task(task));
      const body = overTheWire(dialect.webhook.encode({ task }));
      expect(body).toHaveProperty('kind', 'task');
      deepStrictEqual(decode(dialect.webhook, body, 'response').value, { task: afterwards(KIND).task(task) });
    }),
  );
});

test.each(STYLES)('$style: any event survives a round trip, and the last one is final', ({ dialect, after }) => {
  fc.assert(
    fc.property(arbitraryStreamResponse, fc.boolean(), (event, closes) => {
      const items = dialect.createStreamEncoder().encode(event, closes).map(overTheWire);
      expect(items).toHaveLength(1);
      const { value, warnings } = decodeResult(dialect, 'SubscribeToTask', items[0]);
      deepStrictEqual(value, after.event(event));
      expect(warnings).toEqual([]);
      expect(dialect.endsStream(items[0])).toBe('statusUpdate' in event && closes);
      if (!('task' in event || 'message' in event)) return;
      deepStrictEqual(answered(dialect, 'SendMessage', event), after.event(event));
    }),
  );
});

test.each(STYLES)('$style: any push config survives a round trip', ({ dialect, after }) => {
  fc.assert(
    fc.property(arbitraryPushConfig, (config) => {
      const expected = after.config(config);
      deepStrictEqual(sent(dialect, 'CreateTaskPushNotificationConfig', config), expected);
      deepStrictEqual(answered(dialect, 'GetTaskPushNotificationConfig', config), expected);
      const list = { configs: [config] };
      deepStrictEqual(answered(dialect, 'ListTaskPushNotificationConfigs', list), { configs: [expected] });
    }),
  );
});

test.each(STYLES)('$style: any id survives a round trip', ({ dialect }) => {
  fc.assert(
    fc.property(arbitraryId, arbitraryId, (taskId, id) => {
      deepStrictEqual(sent(dialect, 'GetTask', { id: taskId, historyLength: 1 }), {
        id: taskId,
        historyLength: 1,
      });
      deepStrictEqual(sent(dialect, 'CancelTask', { id }), { id });
      deepStrictEqual(sent(dialect, 'SubscribeToTask', { id }), { id });
      deepStrictEqual(sent(dialect, 'GetTaskPushNotificationConfig', { taskId, id }), { taskId, id });
      deepStrictEqual(sent(dialect, 'DeleteTaskPushNotificationConfig', { taskId, id }), { taskId, id });
      deepStrictEqual(sent(dialect, 'ListTaskPushNotificationConfigs', { taskId }), { taskId });
    }),
  );
});

test.each(STYLES)('$style: any JSON is decoded or rejected with an A2AError', ({ dialect }) => {
  const key = fc.constantFrom(
    'message',
    'task',
    'statusUpdate',
    'config',
    'status',
    'content',
    'parts',
    'name',
    'kind',
  );
  const deviating = fc.oneof(
    arbitraryJson,
    fc.dictionary(key, arbitraryJson),
    fc.dictionary(key, fc.dictionary(key, arbitraryJson)),
  );
  const operations = fc.constantFrom(...(Object.keys(dialect.operations) as OperationName[]));
  fc.assert(
    fc.property(operations, deviating, (operation, json) => {
      expect(refusalOf(() => decodeParams(dialect, operation, json))).toMatch(/^(INVALID_PARAMS)?$/);
      expect(refusalOf(() => decodeResult(dialect, operation, json))).toMatch(/^(INVALID_AGENT_RESPONSE)?$/);
      expect(refusalOf(() => dialect.endsStream(json))).toBe('');
    }),
  );
});

function refusalOf(read: () => unknown): string {
  try {
    read();
    return '';
  } catch (error) {
    return A2AError.is(error) ? error.code : `not ours: ${String(error)}`;
  }
}
