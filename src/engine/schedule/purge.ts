import { A2AError } from '../../errors.ts';
import type { Scope } from '../../store/store.ts';
import { cancelTask } from '../tasks/cancel.ts';
import { existing } from '../tasks/task-access.ts';
import type { EngineContext } from '../engine-context.ts';
import type { Runs } from './runs.ts';

/** How many unfinished tasks one call of the store names. */
const PAGE = 10_000;
/** How many tasks are canceled at the same time. */
const CANCELED_AT_ONCE = 100;
/** How many tasks one call of the store removes. */
const BATCH = 500;

/** Called with the number of tasks that a batch deleted. */
export type OnDeleted = (tasks: number) => void;

/**
 * Deletes all data of one owner. Unfinished tasks are canceled first, so that their handlers stop and their subscribers see
 * an end. Returns how many tasks were deleted.
 *
 * @param onDeleted Called with the number of tasks of each batch, so that the count is known even if the purge fails.
 * @throws A2AError `UNAVAILABLE` if the owner has started tasks in the meantime that still run. Deleted tasks stay deleted.
 */
export async function purgeOwner(
  engine: EngineContext,
  runs: Runs,
  scope: Scope,
  onDeleted: OnDeleted,
): Promise<number> {
  await cancelAll(engine, runs, scope);
  const removed = await removeIdle(engine, scope, onDeleted);
  const { total } = await engine.store.unfinished(scope, 1);
  if (total > 0) throw stillRunning(total);
  // Tasks that ended after the store was searched for them are removed now.
  return removed + (await removeIdle(engine, scope, onDeleted));
}

/**
 * Another purge or retention can remove tasks at the same time, so the number of removed tasks does not show how many are
 * left.
 */
async function removeIdle({ store }: EngineContext, scope: Scope, onDeleted: OnDeleted): Promise<number> {
  let sum = 0;
  for (;;) {
    const { found, removed } = await store.purge(scope, BATCH);
    sum += removed;
    onDeleted(removed);
    if (found < BATCH) return sum;
  }
}

function stillRunning(total: number): A2AError {
  const [tasks, they] = total === 1 ? ['1 task', 'it is'] : [`${total} tasks`, 'they are'];
  return new A2AError(
    'UNAVAILABLE',
    `Could not delete ${tasks}: ${they} still running. Revoke the caller's access and purge again`,
    { retryAfterMs: 1000 },
  );
}

/** Tasks that are created later are left to the check at the end, because a caller could keep creating tasks. */
async function cancelAll(engine: EngineContext, runs: Runs, scope: Scope): Promise<void> {
  let pages = 1;
  for (let page = 0; page < pages; page++) {
    const { taskIds, total } = await engine.store.unfinished(scope, PAGE);
    if (page === 0) pages = Math.ceil(total / PAGE);
    for (let i = 0; i < taskIds.length; i += CANCELED_AT_ONCE) {
      const some = taskIds.slice(i, i + CANCELED_AT_ONCE);
      await Promise.all(some.map((taskId) => cancelUnlessEnded(engine, runs, scope, taskId)));
    }
  }
}

async function cancelUnlessEnded(engine: EngineContext, runs: Runs, scope: Scope, taskId: string): Promise<void> {
  try {
    await cancelTask(engine, runs, scope, taskId, existing);
  } catch (error) {
    if (!A2AError.is(error, 'TASK_NOT_CANCELABLE') && !A2AError.is(error, 'TASK_NOT_FOUND')) throw error;
  }
}
