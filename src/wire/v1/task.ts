import { TASK_STATES, type TaskState } from '../../model/state.ts';
import type { Task, TaskStatus } from '../../model/task.ts';
import { type Codec, defaulted, expected, objectAsReceived, optional, required } from '../codec.ts';
import { id, idOrEmpty, list, protoEnum, struct, timestamp } from '../values.ts';
import { changeUnknown } from '../unknown-members.ts';
import { listedArtifact, message, writeUnknownOf1 } from './message.ts';

/** Some peers still send `CANCELLED`, the spelling of 0.3's protocol definition. */
export const taskState: Codec<TaskState> = protoEnum(TASK_STATES, [['TASK_STATE_CANCELLED', 'TASK_STATE_CANCELED']]);

export const taskStatus: Codec<TaskStatus> = objectAsReceived<TaskStatus>({
  state: expected(taskState, () => 'TASK_STATE_UNSPECIFIED'),
  message: optional(message),
  timestamp: optional(timestamp),
});

const taskMembers = objectAsReceived<Task>({
  id: required(id),
  contextId: defaulted(idOrEmpty),
  status: expected(taskStatus, () => ({ state: 'TASK_STATE_UNSPECIFIED' })),
  artifacts: optional(list(listedArtifact)),
  history: optional(list(message)),
  metadata: optional(struct),
});

export const task: Codec<Task> = {
  decode: taskMembers.decode,
  encode: (value) => changeUnknown(value, writeUnknownOf1),
};
