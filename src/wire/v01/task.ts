import type { JsonObject } from '../../model/json.ts';
import type { TaskState } from '../../model/state.ts';
import type { Task, TaskStatus } from '../../model/task.ts';
import { CARRIER, carry, uncarry } from '../carrier.ts';
import { type Codec, defaulted, expected, object, optional, required } from '../codec.ts';
import { taskState } from '../v03/task.ts';
import { id, list, string, struct, timestamp } from '../values.ts';
import { artifacts } from './artifact.ts';
import { message } from './message.ts';

interface LaterState {
  /** The name since 0.2. */
  readonly word: string;
  /** The most similar state in 0.1. */
  readonly nearest: TaskState;
}

/** The two states that 0.1 lacks. They are encoded as the most similar state, and metadata carries the original one. */
const LATER_STATES: Readonly<Partial<Record<TaskState, LaterState>>> = {
  TASK_STATE_REJECTED: { word: 'rejected', nearest: 'TASK_STATE_FAILED' },
  TASK_STATE_AUTH_REQUIRED: { word: 'auth-required', nearest: 'TASK_STATE_INPUT_REQUIRED' },
};

const BY_NAME = new Map<unknown, TaskState>(
  Object.entries(LATER_STATES).map(([state, { word }]) => [word, state as TaskState]),
);

const statusMembers = object<TaskStatus>({
  state: expected(
    { decode: taskState.decode, encode: (state) => taskState.encode(LATER_STATES[state]?.nearest ?? state) },
    () => 'TASK_STATE_UNSPECIFIED',
  ),
  message: optional(message),
  timestamp: optional(timestamp),
});

/** The state that the metadata carries, unless the peer has changed the encoded state since. */
function trueState(state: TaskState | undefined, metadata: JsonObject | undefined): TaskState | undefined {
  const carried = BY_NAME.get(metadata?.[CARRIER.state]);
  if (carried === undefined) return undefined;
  return state === carried || state === LATER_STATES[carried]?.nearest ? carried : undefined;
}

function carriedState(state: TaskState): JsonObject {
  const later = LATER_STATES[state];
  return later === undefined ? {} : { [CARRIER.state]: later.word };
}

/** A copy without the carried state in its metadata. */
function unmarked<T extends { readonly metadata?: JsonObject }>({ metadata = {}, ...rest }: T): T {
  const own = uncarry(metadata, [CARRIER.state]);
  return (own === undefined ? rest : { ...rest, metadata: own }) as T;
}

/** A copy with the state in its metadata, if 0.1 lacks the state. */
function marked<T extends { readonly metadata?: JsonObject }>(value: T, state: TaskState): T {
  if (LATER_STATES[state] === undefined) return value;
  return { ...value, metadata: carry(value.metadata, carriedState(state)) };
}

export const taskStatus: Codec<TaskStatus> = {
  decode(d, json) {
    const status = statusMembers.decode(d, json);
    const state = trueState(status.state, status.message?.metadata);
    if (state === undefined || status.message === undefined) return status;
    return { ...status, state, message: unmarked(status.message) };
  },
  encode: (status) =>
    statusMembers.encode(
      status.message === undefined ? status : { ...status, message: marked(status.message, status.state) },
    ),
};

/** Objects with a status carry the state themselves, because not every status has a message. */
interface Stateful {
  readonly status: TaskStatus;
  readonly metadata?: JsonObject;
}

export function markState<T extends Stateful>(value: T): T {
  return marked(value, value.status.state);
}

export function restoreState<T extends Stateful>(value: T): T {
  // After a violation the status may be missing.
  const status: TaskStatus | undefined = value.status;
  const state = trueState(status?.state, value.metadata);
  return state === undefined ? value : unmarked({ ...value, status: { ...status, state } });
}

const members = object<Task>({
  id: required(id),
  contextId: defaulted(string, { wire: 'sessionId' }),
  status: expected(taskStatus, () => ({ state: 'TASK_STATE_UNSPECIFIED' })),
  artifacts: defaulted(artifacts),
  history: defaulted(list(message)),
  metadata: optional(struct),
});

export const task: Codec<Task> = {
  decode: (d, json) => restoreState(members.decode(d, json)),
  encode: (value) => members.encode(markState(value)),
};
