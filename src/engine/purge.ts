import { A2AError } from '../errors.ts';
import type { TaskState } from '../model/state.ts';
import type { Scope } from '../store/store.ts';
import { cancelTask } from './cancel.ts';
import type { Core } from './core.ts';
import type { Runs } from './runs.ts';

/** Tasks that are canceled at the same time, and tasks that are removed by one call of the store. */
const CANCELED_AT_ONCE = 100;
const BATCH = 500;

const UNFINISHED: readonly TaskState[] = [
  'TASK_STATE_UNSPECIFIED',
  'TASK_STATE_SUBMITTED',
  'TASK_STATE_WORKING',
  'TASK_STATE_INPUT_REQUIRED',
  'TASK_STATE_AUTH_REQUIRED',
];

/**
 * Deletes everything that is stored for one owner. Unfinished tasks are canceled first, so that their handlers stop and their
 * subscribers see an end. Returns how many tasks were deleted.
 *
 * @throws A2AError `UNAVAILABLE` if the owner has started tasks in the meantime that still run. What was deleted stays deleted.
 */
export async function purgeOwner(core: Core, runs: Runs, scope: Scope): Promise<number> {
  await cancelAll(core, runs, scope);
  let removed = 0;
  for (;;) {
    const purged = await core.store.purge(scope, BATCH);
    removed += purged.removed;
    if (purged.removed === BATCH) continue;
    if (purged.left === 0) return removed;
    const tasks = purged.left === 1 ? '1 task' : `${purged.left} tasks`;
    throw new A2AError(
      'UNAVAILABLE',
      `${tasks} of the caller started during the purge and still run. Revoke the access of the caller and purge again`,
      {
        retryAfterMs: 1000,
      },
    );
  }
}

/** Tasks that come later are left to the check at the end, because a caller could go on creating them for ever. */
async function cancelAll(core: Core, runs: Runs, scope: Scope): Promise<void> {
  const query = { states: UNFINISHED, limit: CANCELED_AT_ONCE, history: 0 };
  let rounds = Infinity;
  for (let round = 0; round < rounds; round++) {
    const { tasks, total } = await core.store.list(scope, query);
    if (tasks.length === 0) return;
    if (round === 0) rounds = Math.ceil(total / CANCELED_AT_ONCE);
    await Promise.all(tasks.map(({ record }) => cancelUnlessEnded(core, runs, scope, record.id)));
  }
}

async function cancelUnlessEnded(core: Core, runs: Runs, scope: Scope, taskId: string): Promise<void> {
  try {
    await cancelTask(core, runs, scope, taskId);
  } catch (error) {
    if (!A2AError.is(error, 'TASK_NOT_CANCELABLE') && !A2AError.is(error, 'TASK_NOT_FOUND')) throw error;
  }
}
