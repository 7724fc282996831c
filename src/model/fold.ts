import { ArtifactFold } from './artifact-fold.ts';
import type { StreamResponse } from './event.ts';
import type { Task } from './task.ts';

/**
 * The task after one more event: a status replaces the status, a chunk goes into its artifact, a Task is the new truth. A
 * bare Message belongs to no task and changes nothing. A stored task equals what a reader gets by folding its stream.
 */
export function applyEvent(task: Task, event: StreamResponse): Task {
  if ('statusUpdate' in event) return { ...task, status: event.statusUpdate.status };
  if ('artifactUpdate' in event) {
    const fold = new ArtifactFold(task.artifacts);
    fold.apply(event.artifactUpdate);
    return { ...task, artifacts: fold.artifacts() };
  }
  return 'task' in event ? event.task : task;
}
