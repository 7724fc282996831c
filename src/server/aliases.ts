import type { StreamResponse } from '../model/event.ts';
import type { Task } from '../model/task.ts';

/**
 * Callers of 0.1 name their tasks themselves. Everything they get back must say that name, everything we keep has our own
 * id (see `Dialect.clientNamesTasks`).
 */
export function renameTask(task: Task, name: string | undefined): Task {
  return name === undefined ? task : { ...task, id: name };
}

export function renameEvent(event: StreamResponse, name: string | undefined): StreamResponse {
  if (name === undefined) return event;
  if ('task' in event) return { task: renameTask(event.task, name) };
  if ('message' in event) return { message: { ...event.message, taskId: name } };
  if ('statusUpdate' in event) return { statusUpdate: { ...event.statusUpdate, taskId: name } };
  return { artifactUpdate: { ...event.artifactUpdate, taskId: name } };
}
