import type { TaskState } from '../../model/state.ts';
import type { Options } from '../option.ts';

/** The exit code of a task that ended without success. Lower codes are for errors of the command itself. */
const TASK_UNSUCCESSFUL = 6;

const UNSUCCESSFUL: ReadonlySet<TaskState> = new Set<TaskState>([
  'TASK_STATE_FAILED',
  'TASK_STATE_REJECTED',
  'TASK_STATE_CANCELED',
]);

/** The option of commands that wait for a task. */
export const EXIT_STATUS_OPTION = {
  'exit-status': { help: `Exit with ${TASK_UNSUCCESSFUL} if the task failed, was rejected or was canceled` },
} as const satisfies Options;

/** Returns the exit code for the state of a task: 0, unless the task ended without success. */
export function exitStatusOf(state: TaskState | undefined): number {
  return state !== undefined && UNSUCCESSFUL.has(state) ? TASK_UNSUCCESSFUL : 0;
}
