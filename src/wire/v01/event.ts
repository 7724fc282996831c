import type { StreamResponse, TaskArtifactUpdateEvent, TaskStatusUpdateEvent } from '../../model/event.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Message } from '../../model/message.ts';
import type { SendMessageResponse } from '../../model/operation.ts';
import { isTerminal } from '../../model/state.ts';
import type { Task } from '../../model/task.ts';
import { type Codec, isObject, object, optional, required } from '../codec.ts';
import type { StreamEncoder } from '../dialect.ts';
import type { Decoder } from '../decoder.ts';
import { id, struct } from '../values.ts';
import { ArtifactNumbers, type ArtifactChunk, artifactChunk } from './artifact.ts';
import { markState, restoreState, task, taskStatus } from './task.ts';

/** Events have the task id in `id`, the webhook example has it in `taskId`. Neither has the session id. */
const taskId = required(id, { wire: 'id', aliases: ['taskId'] });

type StatusEvent = Omit<TaskStatusUpdateEvent, 'contextId'>;

const statusEvent = object<StatusEvent>({
  taskId,
  status: required(taskStatus),
  metadata: optional(struct),
});

interface ArtifactEvent {
  readonly taskId: string;
  readonly chunk: ArtifactChunk;
  readonly metadata?: JsonObject;
}

const artifactEvent = object<ArtifactEvent>({
  taskId,
  chunk: required(artifactChunk, { wire: 'artifact' }),
  metadata: optional(struct),
});

function decodeStatusEvent(d: Decoder, json: JsonObject): StreamResponse {
  return { statusUpdate: { ...restoreState(statusEvent.decode(d, json)), contextId: '' } };
}

const NO_CHUNK: ArtifactEvent['chunk'] = Object.freeze({
  artifact: Object.freeze({ artifactId: '', parts: Object.freeze([]) }),
  index: 0,
});

function decodeArtifactEvent(d: Decoder, json: JsonObject): StreamResponse {
  // Absent if it was null, which is already a violation.
  const { chunk, ...event }: Partial<ArtifactEvent> & Pick<ArtifactEvent, 'taskId'> = artifactEvent.decode(d, json);
  const { index: _, ...update } = chunk ?? NO_CHUNK;
  return { artifactUpdate: { ...event, ...update, contextId: '' } };
}

/** `final` is true only on the status event after which the stream closes. */
function encodeStatusEvent(event: StatusEvent, closes: boolean): JsonObject {
  return { ...(statusEvent.encode(markState(event)) as JsonObject), final: closes };
}

/** Both flags are always encoded, as in the later versions. */
function encodeArtifactEvent(event: Omit<TaskArtifactUpdateEvent, 'contextId'>, numbers: ArtifactNumbers): unknown {
  const { artifact, append = false, lastChunk = false, ...rest } = event;
  return artifactEvent.encode({ ...rest, chunk: { artifact, index: numbers.of(artifact), append, lastChunk } });
}

/** 0.1 has no message responses: the message becomes the status message of a completed task. */
function taskOf(message: Message): Task {
  const { taskId: named = message.messageId, contextId } = message;
  const done: Task = { id: named, status: { state: 'TASK_STATE_COMPLETED', message } };
  return contextId === undefined ? done : { ...done, contextId };
}

export const sendMessageResponse: Codec<SendMessageResponse> = {
  decode: (d, json) => ({ task: task.decode(d, json) }),
  encode: (response) => task.encode('task' in response ? response.task : taskOf(response.message)),
};

/** Encodes a single event. The stream encoder is separate, because a 0.1 stream does not start with a task. */
function encodeAlone(event: StreamResponse): unknown {
  if ('statusUpdate' in event)
    return encodeStatusEvent(event.statusUpdate, isTerminal(event.statusUpdate.status.state));
  if ('artifactUpdate' in event) return encodeArtifactEvent(event.artifactUpdate, new ArtifactNumbers());
  return sendMessageResponse.encode(event);
}

/** Distinguishes tasks and events by their members, because 0.1 has no tags. */
function decodeItem(d: Decoder, json: unknown, isTask: (json: JsonObject) => boolean): StreamResponse {
  if (isObject(json)) {
    if ('artifact' in json) return decodeArtifactEvent(d, json);
    if ('status' in json) return isTask(json) ? { task: task.decode(d, json) } : decodeStatusEvent(d, json);
  }
  d.violate('an object with a status or an artifact');
  return { task: { id: '', status: { state: 'TASK_STATE_UNSPECIFIED' } } };
}

/** Members that only a task has. */
const TASK_MEMBERS = ['sessionId', 'artifacts', 'history'];

/** A stream item is an event, but a task is also accepted. */
export const streamResponse: Codec<StreamResponse> = {
  decode(d, json) {
    const item = decodeItem(d, json, (o) => !('final' in o) && TASK_MEMBERS.some((key) => key in o));
    if ('task' in item) d.tolerate('task-in-stream', 'a status or artifact event instead of a task');
    return item;
  },
  encode: encodeAlone,
};

/**
 * The body of a push notification, which 0.1 does not define: we send the task, and accept a task, an event, or the
 * `{eventType, taskId, status}` of the specification's example.
 */
export const webhook: Codec<StreamResponse> = {
  decode: (d, json) => decodeItem(d, withStatusObject(json), (o) => !('final' in o) && 'id' in o),
  encode: encodeAlone,
};

/** The status in the example is only the state. */
function withStatusObject(json: unknown): unknown {
  if (!isObject(json) || typeof json['status'] !== 'string') return json;
  return { ...json, status: { state: json['status'] } };
}

/**
 * Encodes one stream. A task becomes one status event and one event per artifact: the status first, or last if the
 * stream closes with it, because clients stop reading after `final`.
 */
export function createStreamEncoder(): StreamEncoder {
  const numbers = new ArtifactNumbers();

  function encodeTask({ id: named, status, metadata, artifacts = [] }: Task, closes: boolean): readonly unknown[] {
    const event = { taskId: named, status, ...(metadata === undefined ? {} : { metadata }) };
    const now = encodeStatusEvent(event, closes);
    const lastChunk = isTerminal(status.state);
    const results = artifacts.map((artifact) => encodeArtifactEvent({ taskId: named, artifact, lastChunk }, numbers));
    return closes ? [...results, now] : [now, ...results];
  }

  return {
    encode(event, closes) {
      if ('statusUpdate' in event) return [encodeStatusEvent(event.statusUpdate, closes)];
      if ('artifactUpdate' in event) return [encodeArtifactEvent(event.artifactUpdate, numbers)];
      return 'task' in event ? encodeTask(event.task, closes) : encodeTask(taskOf(event.message), true);
    },
  };
}
