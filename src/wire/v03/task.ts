import type { TaskState } from '../../model/state.ts';
import type { Task, TaskStatus } from '../../model/task.ts';
import { type Codec, defaulted, expected, object, optional, required } from '../codec.ts';
import { id, idOrEmpty, list, struct, timestamp, words } from '../values.ts';
import { ofKind } from './kind.ts';
import { artifact, message } from './message.ts';

/** Spellings and inventions met in the field; read, never written. */
const FOREIGN_STATES: ReadonlyMap<unknown, TaskState> = new Map([
  ['cancelled', 'TASK_STATE_CANCELED'],
  ['started', 'TASK_STATE_SUBMITTED'],
  ['pending', 'TASK_STATE_SUBMITTED'],
  ['processing', 'TASK_STATE_WORKING'],
] as const);

const officialState: Codec<TaskState> = words<TaskState>(
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
  decode(r, json) {
    const foreign = FOREIGN_STATES.get(json);
    if (foreign === undefined) return officialState.decode(r, json);
    r.tolerate('state-foreign', 'a state of the protocol');
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
    { tag: ['kind', 'task'], seam: 'task' },
  ),
);
