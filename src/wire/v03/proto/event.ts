import type { StreamResponse, TaskArtifactUpdateEvent, TaskStatusUpdateEvent } from '../../../model/event.ts';
import type { JsonObject } from '../../../model/json.ts';
import type { SendMessageResponse } from '../../../model/operation.ts';
import { isTerminal } from '../../../model/state.ts';
import { type Codec, defaulted, expected, object, optional, required } from '../../codec.ts';
import type { StreamEncoder } from '../../dialect.ts';
import { boolean, id, oneOf, string, struct } from '../../values.ts';
import { artifact, message } from './message.ts';
import { task, taskStatus } from './task.ts';

const statusUpdateMembers = object<TaskStatusUpdateEvent>({
  taskId: required(id),
  contextId: expected(string, () => ''),
  status: required(taskStatus),
  metadata: optional(struct),
});

const artifactUpdateMembers = object<TaskArtifactUpdateEvent>({
  taskId: required(id),
  contextId: expected(string, () => ''),
  artifact: required(artifact),
  append: defaulted(boolean),
  lastChunk: defaulted(boolean),
  metadata: optional(struct),
});

/** `final` is true only on the status event after which the stream closes. */
function encodeStatusUpdate(event: TaskStatusUpdateEvent, closes: boolean): JsonObject {
  return { ...(statusUpdateMembers.encode(event) as JsonObject), final: closes };
}

export const statusUpdate: Codec<TaskStatusUpdateEvent> = {
  decode: statusUpdateMembers.decode,
  encode: (event) => encodeStatusUpdate(event, isTerminal(event.status.state)),
};

/** JSON clients that do not know the defaults test both flags, so they are always encoded. */
export const artifactUpdate: Codec<TaskArtifactUpdateEvent> = {
  decode: artifactUpdateMembers.decode,
  encode(event) {
    const { append = false, lastChunk = false } = event;
    return { ...(artifactUpdateMembers.encode(event) as JsonObject), append, lastChunk };
  },
};

export const streamResponse: Codec<StreamResponse> = oneOf<StreamResponse>({
  task,
  message,
  statusUpdate,
  artifactUpdate,
});

export const sendMessageResponse: Codec<SendMessageResponse> = oneOf<SendMessageResponse>({ task, message });

const encoder: StreamEncoder = Object.freeze({
  encode(event: StreamResponse, closes: boolean) {
    if ('statusUpdate' in event) return [{ statusUpdate: encodeStatusUpdate(event.statusUpdate, closes) }];
    return [streamResponse.encode(event)];
  },
  isStateless: true,
});

/** One encoder for all streams. */
export function createStreamEncoder(): StreamEncoder {
  return encoder;
}
