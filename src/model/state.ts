/** All task states in the order of their numbers in the protocol definition (1.0 §4.1.3). */
export const TASK_STATES = [
  'TASK_STATE_UNSPECIFIED',
  'TASK_STATE_SUBMITTED',
  'TASK_STATE_WORKING',
  'TASK_STATE_COMPLETED',
  'TASK_STATE_FAILED',
  'TASK_STATE_CANCELED',
  'TASK_STATE_INPUT_REQUIRED',
  'TASK_STATE_REJECTED',
  'TASK_STATE_AUTH_REQUIRED',
] as const;

/** State of a task. `TASK_STATE_UNSPECIFIED` occurs only in tasks of peers. */
export type TaskState = (typeof TASK_STATES)[number];

const TERMINAL: ReadonlySet<TaskState> = new Set<TaskState>([
  'TASK_STATE_COMPLETED',
  'TASK_STATE_FAILED',
  'TASK_STATE_CANCELED',
  'TASK_STATE_REJECTED',
]);

const PAUSED: ReadonlySet<TaskState> = new Set<TaskState>(['TASK_STATE_INPUT_REQUIRED', 'TASK_STATE_AUTH_REQUIRED']);

/** Returns whether a state is final. An ended task never changes; a follow-up starts a new task in the same context. */
export function isTerminal(state: TaskState): boolean {
  return TERMINAL.has(state);
}

/** Returns whether a task in this state waits for its caller: for an answer or a credential. */
export function isPaused(state: TaskState): boolean {
  return PAUSED.has(state);
}
