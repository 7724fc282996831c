import type { StreamResponse, TaskArtifactUpdateEvent, TaskStatusUpdateEvent } from '../../model/event.ts';
import type { SendMessageResponse } from '../../model/operation.ts';
import { type Codec, defaulted, expected, objectAsReceived, optional, required, writtenAsIs } from '../codec.ts';
import { boolean, id, oneOf, string, struct } from '../values.ts';
import { artifact, message } from './message.ts';
import { task, taskStatus } from './task.ts';

const statusUpdate: Codec<TaskStatusUpdateEvent> = objectAsReceived<TaskStatusUpdateEvent>({
  taskId: required(id),
  contextId: expected(string, () => ''),
  status: required(taskStatus),
  metadata: optional(struct),
});

const artifactUpdate: Codec<TaskArtifactUpdateEvent> = objectAsReceived<TaskArtifactUpdateEvent>({
  taskId: required(id),
  contextId: expected(string, () => ''),
  artifact: required(artifact),
  append: defaulted(boolean),
  lastChunk: defaulted(boolean),
  metadata: optional(struct),
});

export const streamResponse: Codec<StreamResponse> = writtenAsIs(
  oneOf<StreamResponse>({ task, message, statusUpdate, artifactUpdate }),
);

export const sendMessageResponse: Codec<SendMessageResponse> = writtenAsIs(
  oneOf<SendMessageResponse>({ task, message }),
);
