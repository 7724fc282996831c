import type { TaskState } from '../model/state.ts';

/** The state of a task as a short word: `TASK_STATE_INPUT_REQUIRED` is `input-required`. */
export type StateWord =
  | 'unspecified'
  | 'submitted'
  | 'working'
  | 'completed'
  | 'failed'
  | 'canceled'
  | 'input-required'
  | 'rejected'
  | 'auth-required';

export function stateWord(state: TaskState): StateWord {
  return state.slice('TASK_STATE_'.length).toLowerCase().replace('_', '-') as StateWord;
}
