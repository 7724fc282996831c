import type { TaskState } from '../../model/state.ts';
import type { Task, TaskStatus } from '../../model/task.ts';
import { type Codec, defaulted, expected, object, optional, required } from '../codec.ts';
import { id, idOrEmpty, list, struct, timestamp, stringEnum } from '../values.ts';
import { ofKind } from './kind.ts';
import { artifact, message } from './message.ts';

/** Nonstandard spellings and states of real peers; decoded, never encoded. */
const FOREIGN_STATES: ReadonlyMap<unknown, TaskState> = new Map([
  ['cancelled', 'TASK_STATE_CANCELED'],
  ['started', 'TASK_STATE_SUBMITTED'],
  ['pending', 'TASK_STATE_SUBMITTED'],
  ['processing', 'TASK_STATE_WORKING'],
] as const);

const officialState: Codec<TaskState> = stringEnum<TaskState>(
  {
    submitted: 'TASK_STATE_SUBMITTED',
    working: 'TASK_STATE_WORKING',
    'input-required': 'TASK_STATE_INPUT_REQUIRED',
    completed: 'TASK_STATE_COMPLETED',
    canceled: 'TASK_STATE_CANCELED',
    failed: 'TASK_STATE_FAILED',
    rejected: 'TASK_STATE_REJECTED',
    'auth-required': 'TASK_STATE_AUTH_REQUIRED',
    unknown: 'TASK_STATE_UNSPECIFIED',
  },
  'TASK_STATE_UNSPECIFIED',
);

export const taskState: Codec<TaskState> = {
  decode(d, json) {
    const foreign = FOREIGN_STATES.get(json);
    if (foreign === undefined) return officialState.decode(d, json);
    d.tolerate('state-foreign', 'a task state that the protocol defines');
    return foreign;
  },
  encode: officialState.encode,
};

export const taskStatus: Codec<TaskStatus> = object<TaskStatus>({
  state: expected(taskState, () => 'TASK_STATE_UNSPECIFIED'),
  message: optional(message),
  timestamp: optional(timestamp),
});

export const task: Codec<Task> = ofKind(
  'task',
  object<Task>(
    {
      id: required(id),
      contextId: defaulted(idOrEmpty),
      status: expected(taskStatus, () => ({ state: 'TASK_STATE_UNSPECIFIED' })),
      artifacts: defaulted(list(artifact)),
      history: defaulted(list(message)),
      metadata: optional(struct),
    },
    { tag: ['kind', 'task'], point: 'task' },
  ),
);
