import { isTerminal, type TaskState } from '../../src/model/state.ts';

/**
 * Returns whether a task may change from one state to another. The protocol specifies only that terminal states are final;
 * this is Tandem's table:
 *
 * - submitted is the initial state: every state can follow it, and no other state leads back to it;
 * - working, input-required and auth-required lead to each other and to every terminal state;
 * - the same state again reports progress, and is allowed until the task has ended;
 * - unspecified is read from peers that send an unknown state. Tandem's own tasks are never in it.
 */
export function canTransition(from: TaskState, to: TaskState): boolean {
  if (from === 'TASK_STATE_UNSPECIFIED' || to === 'TASK_STATE_UNSPECIFIED') return false;
  if (isTerminal(from)) return false;
  if (to === 'TASK_STATE_SUBMITTED') return from === 'TASK_STATE_SUBMITTED';
  return true;
}
