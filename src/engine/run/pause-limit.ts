import { A2AError } from '../../errors.ts';
import type { TaskState } from '../../model/state.ts';
import type { Store, TaskRecord } from '../../store/store.ts';
import type { RunLimits } from '../runnable.ts';

const PAUSED_STATES: readonly TaskState[] = ['TASK_STATE_INPUT_REQUIRED', 'TASK_STATE_AUTH_REQUIRED'];

/** Returns an error if the caller has reached its limit of tasks that wait for an answer. */
export async function refusalToPause(
  store: Store,
  record: TaskRecord,
  { maxPausedPerCaller: max }: RunLimits,
): Promise<A2AError | undefined> {
  const { total } = await store.list(record, { agents: [record.agent], states: PAUSED_STATES, limit: 1, history: 0 });
  if (total < max) return undefined;
  return new A2AError(
    'UNAVAILABLE',
    `This caller already has ${max} tasks that wait for an answer. Answer or cancel some of them.`,
  );
}
