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

const statusUpdateMembers: Codec<TaskStatusUpdateEvent> = object<TaskStatusUpdateEvent>(
  {
    taskId: required(id),
    contextId: expected(string, () => ''),
    status: required(taskStatus),
    metadata: optional(struct),
  },
  { tag: ['kind', 'status-update'] },
);

const artifactUpdateMembers: Codec<TaskArtifactUpdateEvent> = object<TaskArtifactUpdateEvent>(
  {
    taskId: required(id),
    contextId: expected(string, () => ''),
    artifact: required(artifact),
    append: defaulted(boolean),
    lastChunk: defaulted(boolean),
    metadata: optional(struct),
  },
  { tag: ['kind', 'artifact-update'], seam: 'artifactEvent' },
);

/** `final` is true on the status event after which the stream closes, and on no other. */
function encodeStatusUpdate(event: TaskStatusUpdateEvent, closes: boolean): JsonObject {
  return { ...(statusUpdateMembers.encode(event) as JsonObject), final: closes };
}

/** Old clients test `append === false`, so both flags are always said. */
function encodeArtifactUpdate(event: TaskArtifactUpdateEvent): JsonObject {
  const { append = false, lastChunk = false } = event;
  return { ...(artifactUpdateMembers.encode(event) as JsonObject), append, lastChunk };
}

const statusUpdateOfKind = ofKind('status-update', statusUpdateMembers);

export const statusUpdate: Codec<TaskStatusUpdateEvent> = {
  decode(r, json) {
    // The text calls it optional, the schema required; without it the stream simply goes on.
    if (r.strict && isObject(json) && typeof json['final'] !== 'boolean') r.violate('true or false', 'final');
    return statusUpdateOfKind.decode(r, json);
  },
  encode: (event) => encodeStatusUpdate(event, isTerminal(event.status.state)),
};

export const artifactUpdate: Codec<TaskArtifactUpdateEvent> = {
  decode: ofKind('artifact-update', artifactUpdateMembers).decode,
  encode: encodeArtifactUpdate,
};

/** What an untagged or mistagged object must be, by the members that only it has. */
export function kindOf(json: JsonObject): 'task' | 'message' | 'status-update' | 'artifact-update' | undefined {
  const { kind } = json;
  if (kind === 'task' || kind === 'message' || kind === 'status-update' || kind === 'artifact-update') return kind;
  if ('artifact' in json) return 'artifact-update';
  if ('status' in json) return 'taskId' in json && !('id' in json) ? 'status-update' : 'task';
  return 'parts' in json ? 'message' : undefined;
}

/** Results are bare objects that say by `kind` what they are. */
export const streamResponse: Codec<StreamResponse> = {
  decode(r, json) {
    if (isObject(json)) {
      switch (kindOf(json)) {
        case 'task':
          return { task: task.decode(r, json) };
        case 'message':
          return { message: message.decode(r, json) };
        case 'status-update':
          return { statusUpdate: statusUpdate.decode(r, json) };
        case 'artifact-update':
          return { artifactUpdate: artifactUpdate.decode(r, json) };
        case undefined:
      }
    }
    r.violate("an object of kind 'task', 'message', 'status-update' or 'artifact-update'");
    return { task: { id: '', status: { state: 'TASK_STATE_UNSPECIFIED' } } };
  },
  encode(event) {
    if ('statusUpdate' in event) return statusUpdate.encode(event.statusUpdate);
    if ('artifactUpdate' in event) return artifactUpdate.encode(event.artifactUpdate);
    return 'task' in event ? task.encode(event.task) : message.encode(event.message);
  },
};

export const sendMessageResponse: Codec<SendMessageResponse> = {
  decode(r, json) {
    if (isObject(json) && kindOf(json) === 'message') return { message: message.decode(r, json) };
    return { task: task.decode(r, json) };
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

/** The same one for all streams. */
export function createStreamEncoder(): StreamEncoder {
  return encoder;
}

export function endsStream(item: unknown): boolean {
  return isObject(item) && item['final'] === true;
}
