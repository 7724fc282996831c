import { A2AError } from '../../errors.ts';
import type { TaskRecord } from '../../store/store.ts';
import type { EngineContext } from '../engine-context.ts';
import { outlined } from '../replay/journal-outline.ts';
import { isHeldIn, RELEASE } from '../run/changed-code.ts';

/**
 * Lets a task continue that is held because the code of its handler was changed. For operators: the owner of the task does
 * not matter.
 *
 * @throws A2AError `UNSUPPORTED_OPERATION` if the task is not held.
 */
export async function releaseTask({ store, clock, node }: EngineContext, taskId: string): Promise<TaskRecord> {
  if (isHeldIn(await store.journal(taskId))) {
    const now = clock.now();
    const guard = { canceling: false };
    const result = await store.append({ taskId, by: node, guard, journal: outlined([RELEASE], now), wakeAt: now });
    if (result.kind === 'appended') return result.record;
  }
  throw new A2AError('UNSUPPORTED_OPERATION', `Task ${taskId} is not held by onMismatch, so it cannot be released`, {
    details: { taskId },
  });
}
