import { TASK_STATES, type TaskState } from '../../../model/state.ts';
import type { Task, TaskStatus } from '../../../model/task.ts';
import { type Codec, defaulted, expected, object, optional, required } from '../../codec.ts';
import { id, idOrEmpty, list, struct, timestamp, stringEnum } from '../../values.ts';
import { artifact, message } from './message.ts';

const CANCELED = 'TASK_STATE_CANCELED';

/** The 1.0 names with one different spelling. Their numbers are also decoded. */
export const taskState: Codec<TaskState> = stringEnum<TaskState>(
  Object.fromEntries(TASK_STATES.map((state) => [state === CANCELED ? 'TASK_STATE_CANCELLED' : state, state])),
  'TASK_STATE_UNSPECIFIED',
  [...TASK_STATES.entries(), [CANCELED, CANCELED]],
);

export const taskStatus: Codec<TaskStatus> = object<TaskStatus>({
  state: expected(taskState, () => 'TASK_STATE_UNSPECIFIED'),
  // The field `update` has the JSON name `message`.
  message: optional(message, { aliases: ['update'] }),
  timestamp: optional(timestamp),
});

export const task: Codec<Task> = object<Task>({
  id: required(id),
  contextId: defaulted(idOrEmpty),
  status: expected(taskStatus, () => ({ state: 'TASK_STATE_UNSPECIFIED' })),
  artifacts: defaulted(list(artifact)),
  history: defaulted(list(message)),
  metadata: optional(struct),
});
