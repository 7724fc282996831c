import type { TaskAccess } from '../../engine/tasks/task-access.ts';
import { A2AError, copyError } from '../../errors.ts';
import type { StreamResponse } from '../../model/event.ts';
import type { Task } from '../../model/task.ts';
import type { MountedAgent } from '../../host/mounted-agent.ts';
import { accessOf, type RequestContext } from '../../host/request-context.ts';

/** The id of a task, the name that its caller chose, if any, and what the caller can access. */
interface NamedTask {
  readonly access: Required<TaskAccess>;
  readonly id: string;
  readonly alias: string | undefined;
}

/** Resolves the task name of a request. Only callers of 0.1 choose names; all callers can use our ids. */
export async function taskNamed(
  mounted: MountedAgent,
  context: RequestContext,
  input: { readonly tenant?: string },
  name: string,
): Promise<NamedTask> {
  const access = accessOf(mounted, context, input);
  const known = context.dialect.clientNamesTasks ? await mounted.host.engine.resolveAlias(access, name) : undefined;
  return known === undefined ? { access, id: name, alias: undefined } : { access, id: known, alias: name };
}

/**
 * Callers of 0.1 choose the names of their tasks. Responses to them use that name; the store uses our own id (see
 * `Dialect.clientNamesTasks`).
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

/** Replaces our id of a task by the caller's name in errors. */
export function underName<T>(work: Promise<T>, id: string, name: string | undefined): Promise<T> {
  if (name === undefined) return work;
  return work.catch((error: unknown) => {
    throw renameError(error, id, name);
  });
}

function renameError(error: unknown, id: string, name: string): unknown {
  if (!A2AError.is(error) || error.details['taskId'] !== id) return error;
  return copyError(error, error.message.replaceAll(id, name), { details: { ...error.details, taskId: name } });
}
