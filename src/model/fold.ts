import { ArtifactFold } from './artifact-fold.ts';
import type { StreamResponse } from './event.ts';
import type { Task } from './task.ts';

/**
 * Returns the task after one more event: a status replaces the status, a chunk is added to its artifact, and a task
 * replaces the whole task. A message without a task changes nothing. Folding the stream of a task gives the stored task.
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
