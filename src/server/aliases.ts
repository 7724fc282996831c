import { A2AError } from '../errors.ts';
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

/** Work on a task; what goes wrong with it is told under the caller's name for the task. */
export function underName<T>(work: Promise<T>, id: string, name: string | undefined): Promise<T> {
  if (name === undefined) return work;
  return work.catch((error: unknown) => {
    throw renameError(error, id, name);
  });
}

function renameError(error: unknown, id: string, name: string): unknown {
  if (!A2AError.is(error) || error.details['taskId'] !== id) return error;
  const { code, message, details, violations, retryAfterMs, cause } = error;
  return new A2AError(code, message.replaceAll(id, name), {
    details: { ...details, taskId: name },
    violations,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    cause,
  });
}
