import type { StreamResponse, TaskArtifactUpdateEvent, TaskStatusUpdateEvent } from '../../model/event.ts';
import type { JsonObject } from '../../model/json.ts';
import type { SendMessageResponse } from '../../model/operation.ts';
import { isTerminal } from '../../model/state.ts';
import { type Codec, defaulted, expected, isObject, object, optional, required } from '../codec.ts';
import type { StreamEncoder } from '../dialect.ts';
import { boolean, id, string, struct } from '../values.ts';
import { ofKind } from './kind.ts';
import { artifact, message } from './message.ts';
import { task, taskStatus } from './task.ts';

const statusUpdateMembers = object<TaskStatusUpdateEvent>(
  {
    taskId: required(id),
    contextId: expected(string, () => ''),
    status: required(taskStatus),
    metadata: optional(struct),
  },
  { tag: ['kind', 'status-update'] },
);

const artifactUpdateMembers = object<TaskArtifactUpdateEvent>(
  {
    taskId: required(id),
    contextId: expected(string, () => ''),
    artifact: required(artifact),
    append: defaulted(boolean),
    lastChunk: defaulted(boolean),
    metadata: optional(struct),
  },
  { tag: ['kind', 'artifact-update'], point: 'artifactEvent' },
);

/** `final` is true only on the status event after which the stream closes. */
function encodeStatusUpdate(event: TaskStatusUpdateEvent, closes: boolean): JsonObject {
  return { ...(statusUpdateMembers.encode(event) as JsonObject), final: closes };
}

/** Old clients test `append === false`, so both flags are always encoded. */
function encodeArtifactUpdate(event: TaskArtifactUpdateEvent): JsonObject {
  const { append = false, lastChunk = false } = event;
  return { ...(artifactUpdateMembers.encode(event) as JsonObject), append, lastChunk };
}

const statusUpdateOfKind = ofKind('status-update', statusUpdateMembers);

export const statusUpdate: Codec<TaskStatusUpdateEvent> = {
  decode(d, json) {
    // Optional in the text, required in the schema. Without it the stream continues.
    if (d.strict && isObject(json) && typeof json['final'] !== 'boolean') d.violate('true or false', 'final');
    return statusUpdateOfKind.decode(d, json);
  },
  encode: (event) => encodeStatusUpdate(event, isTerminal(event.status.state)),
};

export const artifactUpdate: Codec<TaskArtifactUpdateEvent> = {
  decode: ofKind('artifact-update', artifactUpdateMembers).decode,
  encode: encodeArtifactUpdate,
};

/** Identifies an untagged or mistagged object by the members that only this type has. */
export function kindOf(json: JsonObject): 'task' | 'message' | 'status-update' | 'artifact-update' | undefined {
  const { kind } = json;
  if (kind === 'task' || kind === 'message' || kind === 'status-update' || kind === 'artifact-update') return kind;
  if ('artifact' in json) return 'artifact-update';
  if ('status' in json) return 'taskId' in json && !('id' in json) ? 'status-update' : 'task';
  return 'parts' in json ? 'message' : undefined;
}

/** Results are objects that are identified by `kind`. */
export const streamResponse: Codec<StreamResponse> = {
  decode(d, json) {
    if (isObject(json)) {
      switch (kindOf(json)) {
        case 'task':
          return { task: task.decode(d, json) };
        case 'message':
          return { message: message.decode(d, json) };
        case 'status-update':
          return { statusUpdate: statusUpdate.decode(d, json) };
        case 'artifact-update':
          return { artifactUpdate: artifactUpdate.decode(d, json) };
        case undefined:
      }
    }
    d.violate("an object of kind 'task', 'message', 'status-update' or 'artifact-update'");
    return { task: { id: '', status: { state: 'TASK_STATE_UNSPECIFIED' } } };
  },
  encode(event) {
    if ('statusUpdate' in event) return statusUpdate.encode(event.statusUpdate);
    if ('artifactUpdate' in event) return artifactUpdate.encode(event.artifactUpdate);
    return 'task' in event ? task.encode(event.task) : message.encode(event.message);
  },
};

export const sendMessageResponse: Codec<SendMessageResponse> = {
  decode(d, json) {
    if (isObject(json) && kindOf(json) === 'message') return { message: message.decode(d, json) };
    return { task: task.decode(d, json) };
  },
  encode: streamResponse.encode,
};

const encoder: StreamEncoder = Object.freeze({
  encode(event: StreamResponse, closes: boolean) {
    if ('statusUpdate' in event) return [encodeStatusUpdate(event.statusUpdate, closes)];
    return [streamResponse.encode(event)];
  },
  isStateless: true,
});

/** One encoder for all streams. */
export function createStreamEncoder(): StreamEncoder {
  return encoder;
}

export function endsStream(item: unknown): boolean {
  return isObject(item) && item['final'] === true;
}
