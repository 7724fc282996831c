import type { TaskState } from '../model/state.ts';

/** The states of a task in plain words. */
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
