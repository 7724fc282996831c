/** All states in the order of their numbers in the protocol definition (1.0 §4.1.3). */
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

export type TaskState = (typeof TASK_STATES)[number];

const TERMINAL: ReadonlySet<TaskState> = new Set<TaskState>([
  'TASK_STATE_COMPLETED',
  'TASK_STATE_FAILED',
  'TASK_STATE_CANCELED',
  'TASK_STATE_REJECTED',
]);

const PAUSED: ReadonlySet<TaskState> = new Set<TaskState>(['TASK_STATE_INPUT_REQUIRED', 'TASK_STATE_AUTH_REQUIRED']);

/** A terminal task never changes again; a follow-up becomes a new task in the same context. */
export function isTerminal(state: TaskState): boolean {
  return TERMINAL.has(state);
}

/** A paused task waits for its caller: an answer, or a credential. */
export function isPaused(state: TaskState): boolean {
  return PAUSED.has(state);
}

/**
 * Whether a task may go from one state to another. The protocol only says that terminal is final; this is our table:
 *
 * - submitted is the beginning: it leads anywhere and nothing leads back to it;
 * - working, input-required and auth-required lead to each other and to any end;
 * - the same state again is progress, legal as long as the task is not over;
 * - unspecified is what we read from a peer we do not understand. No task of ours is ever in it.
 */
export function canTransition(from: TaskState, to: TaskState): boolean {
  if (from === 'TASK_STATE_UNSPECIFIED' || to === 'TASK_STATE_UNSPECIFIED') return false;
  if (isTerminal(from)) return false;
  if (to === 'TASK_STATE_SUBMITTED') return from === 'TASK_STATE_SUBMITTED';
  return true;
}
