import type { StreamResponse } from '../../model/event.ts';
import { applyEvent } from '../../model/fold.ts';
import type { Task } from '../../model/task.ts';
import type { Dialect } from '../dialect.ts';
import type { Profile } from './profile.ts';

/**
 * Streams whose items are whole tasks, one for each change, under the JSON-RPC id 0. Reading needs nothing special: a task
 * is a legal stream item and the id of an item is never checked. The answers of such a mount do the same.
 */
export const snapshotStream: Profile = {
  name: 'snapshot-stream',
  answer: (dialect) => ({ ...dialect, streamItemId: 0, createStreamEncoder: () => snapshotEncoder(dialect) }),
};

function snapshotEncoder(dialect: Dialect): ReturnType<Dialect['createStreamEncoder']> {
  const encoder = dialect.createStreamEncoder();
  let task: Task | undefined;
  return {
    encode(event, closes) {
      if ('message' in event) return encoder.encode(event, closes);
      task = applyEvent(task ?? blankTask(event), event);
      return encoder.encode({ task }, closes);
    },
  };
}

/** A stream resumed in the middle has not shown its task yet. */
function blankTask(event: StreamResponse): Task {
  if ('task' in event) return event.task;
  const update =
    'statusUpdate' in event ? event.statusUpdate : 'artifactUpdate' in event ? event.artifactUpdate : undefined;
  const { taskId = '', contextId = '' } = update ?? {};
  return { id: taskId, contextId, status: { state: 'TASK_STATE_WORKING' } };
}
