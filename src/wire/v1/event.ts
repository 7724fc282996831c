import type { StreamResponse, TaskArtifactUpdateEvent, TaskStatusUpdateEvent } from '../../model/event.ts';
import type { SendMessageResponse } from '../../model/operation.ts';
import { type Codec, defaulted, expected, isObject, isSet, objectAsReceived, optional, required } from '../codec.ts';
import { hasUnknown } from '../unknown-members.ts';
import { boolean, id, oneOf, string, struct } from '../values.ts';
import { artifact, message } from './message.ts';
import { task, taskStatus } from './task.ts';

const statusUpdate = objectAsReceived<TaskStatusUpdateEvent>({
  taskId: required(id),
  contextId: expected(string, () => ''),
  status: required(taskStatus),
  metadata: optional(struct),
});

const artifactUpdate = objectAsReceived<TaskArtifactUpdateEvent>({
  taskId: required(id),
  contextId: expected(string, () => ''),
  artifact: required(artifact),
  append: defaulted(boolean),
  lastChunk: defaulted(boolean),
  metadata: optional(struct),
});

const wrapped = oneOf<StreamResponse>({ task, message, statusUpdate, artifactUpdate });

export const streamResponse: Codec<StreamResponse> = {
  decode(d, json) {
    const wrapper = missingWrapper(json);
    if (wrapper === undefined) return wrapped.decode(d, json);
    d.tolerate('event-wrapper-missing', `the event inside the member ${wrapper}`);
    return wrapped.decode(d, { [wrapper]: json });
  },
  encode: encodeResponse,
};

/** The model is the 1.0 format, except for messages with unknown members. Only callers send those, so no event has them. */
function encodeResponse(value: StreamResponse): unknown {
  if ('task' in value) {
    const encoded = task.encode(value.task);
    return encoded === value.task ? value : { task: encoded };
  }
  return 'message' in value && hasUnknown(value.message) ? { message: message.encode(value.message) } : value;
}

/**
 * Wraps an event without a wrapper: the LangGraph API sends 1.0 events with the `kind` of 0.3 instead of a wrapper.
 * `undefined` for all other values.
 */
function missingWrapper(json: unknown): 'task' | 'message' | 'statusUpdate' | 'artifactUpdate' | undefined {
  if (!isObject(json) || !('kind' in json || 'taskId' in json)) return undefined;
  if (isSet(json['task']) || isSet(json['message']) || isSet(json['statusUpdate']) || isSet(json['artifactUpdate']))
    return undefined;
  const { kind } = json;
  if (kind === 'task' || kind === 'message') return kind;
  if (kind === 'status-update') return 'statusUpdate';
  if (kind === 'artifact-update') return 'artifactUpdate';
  if (isObject(json['status'])) return 'statusUpdate';
  return isObject(json['artifact']) ? 'artifactUpdate' : undefined;
}

export const sendMessageResponse: Codec<SendMessageResponse> = {
  decode: oneOf<SendMessageResponse>({ task, message }).decode,
  encode: encodeResponse,
};
