import type { StreamResponse, TaskArtifactUpdateEvent, TaskStatusUpdateEvent } from '../../model/event.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Message } from '../../model/message.ts';
import type { SendMessageResponse } from '../../model/operation.ts';
import { isTerminal } from '../../model/state.ts';
import type { Task } from '../../model/task.ts';
import { type Codec, isObject, object, optional, required } from '../codec.ts';
import type { StreamEncoder } from '../dialect.ts';
import type { Reader } from '../reader.ts';
import { id, struct } from '../values.ts';
import { ArtifactNumbers, type ArtifactPiece, artifactPiece } from './artifact.ts';
import { markState, restoreState, task, taskStatus } from './task.ts';

/** Events name their task `id`; the example of a webhook body says `taskId`. None of them names the session. */
const taskId = required(id, { wire: 'id', aliases: ['taskId'] });

type StatusEvent = Omit<TaskStatusUpdateEvent, 'contextId'>;

const statusEvent: Codec<StatusEvent> = object<StatusEvent>({
  taskId,
  status: required(taskStatus),
  metadata: optional(struct),
});

interface ArtifactEvent {
  readonly taskId: string;
  readonly piece: ArtifactPiece;
  readonly metadata?: JsonObject;
}

const artifactEvent: Codec<ArtifactEvent> = object<ArtifactEvent>({
  taskId,
  piece: required(artifactPiece, { wire: 'artifact' }),
  metadata: optional(struct),
});

function decodeStatusEvent(r: Reader, json: JsonObject): StreamResponse {
  return { statusUpdate: { ...restoreState(statusEvent.decode(r, json)), contextId: '' } };
}

const NO_PIECE: ArtifactEvent['piece'] = Object.freeze({
  artifact: Object.freeze({ artifactId: '', parts: Object.freeze([]) }),
  index: 0,
});

function decodeArtifactEvent(r: Reader, json: JsonObject): StreamResponse {
  // Not there if it was null, which has been noted.
  const { piece, ...event }: Partial<ArtifactEvent> & Pick<ArtifactEvent, 'taskId'> = artifactEvent.decode(r, json);
  const { index: _, ...update } = piece ?? NO_PIECE;
  return { artifactUpdate: { ...event, ...update, contextId: '' } };
}

/** `final` is true on the status event after which the stream closes, and on no other. */
function encodeStatusEvent(event: StatusEvent, closes: boolean): JsonObject {
  return { ...(statusEvent.encode(markState(event)) as JsonObject), final: closes };
}

/** Both flags are always said, as in the later versions. */
function encodeArtifactEvent(event: Omit<TaskArtifactUpdateEvent, 'contextId'>, numbers: ArtifactNumbers): unknown {
  const { artifact, append = false, lastChunk = false, ...rest } = event;
  return artifactEvent.encode({ ...rest, piece: { artifact, index: numbers.of(artifact), append, lastChunk } });
}

/** 0.1 has no bare messages: the answer becomes a task that is done, and says it in its status. */
function taskOf(message: Message): Task {
  const { taskId: named = message.messageId, contextId } = message;
  const done: Task = { id: named, status: { state: 'TASK_STATE_COMPLETED', message } };
  return contextId === undefined ? done : { ...done, contextId };
}

export const sendMessageResponse: Codec<SendMessageResponse> = {
  decode: (r, json) => ({ task: task.decode(r, json) }),
  encode: (response) => task.encode('task' in response ? response.task : taskOf(response.message)),
};

/** One event by itself. A stream is written by its encoder instead, because 0.1 has no first Task in it. */
function encodeAlone(event: StreamResponse): unknown {
  if ('statusUpdate' in event)
    return encodeStatusEvent(event.statusUpdate, isTerminal(event.statusUpdate.status.state));
  if ('artifactUpdate' in event) return encodeArtifactEvent(event.artifactUpdate, new ArtifactNumbers());
  return sendMessageResponse.encode(event);
}

/** Tells tasks and events apart by their members, for 0.1 tags neither. */
function decodeItem(r: Reader, json: unknown, isTask: (json: JsonObject) => boolean): StreamResponse {
  if (isObject(json)) {
    if ('artifact' in json) return decodeArtifactEvent(r, json);
    if ('status' in json) return isTask(json) ? { task: task.decode(r, json) } : decodeStatusEvent(r, json);
  }
  r.violate('an object with a status or an artifact');
  return { task: { id: '', status: { state: 'TASK_STATE_UNSPECIFIED' } } };
}

/** Members that a task has and no event. */
const TASK_MEMBERS = ['sessionId', 'artifacts', 'history'];

/** An item of a stream is an event; a task in its place is read all the same. */
export const streamResponse: Codec<StreamResponse> = {
  decode(r, json) {
    const item = decodeItem(r, json, (o) => !('final' in o) && TASK_MEMBERS.some((key) => key in o));
    if ('task' in item) r.tolerate('task-in-stream', 'the event of a status or an artifact instead of a task');
    return item;
  },
  encode: encodeAlone,
};

/**
 * The body of a push notification, which 0.1 leaves to the server: we send the task, and read a task, an event, or the
 * `{eventType, taskId, status}` of the specification's example.
 */
export const webhook: Codec<StreamResponse> = {
  decode: (r, json) => decodeItem(r, withStatusObject(json), (o) => !('final' in o) && 'id' in o),
  encode: encodeAlone,
};

/** A notice may name the bare state. */
function withStatusObject(json: unknown): unknown {
  if (!isObject(json) || typeof json['status'] !== 'string') return json;
  return { ...json, status: { state: json['status'] } };
}

/**
 * Writes one stream. A Task becomes the event of its status and one of each artifact: the status first, or last if the
 * stream closes with it, since nobody reads on after `final`.
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
