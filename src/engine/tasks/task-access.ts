import { A2AError } from '../../errors.ts';
import type { Scope, StoredTask, TaskRecord } from '../../store/store.ts';

/** The tasks that a request may access: all tasks of an owner, or only those of one agent. */
export interface TaskAccess extends Scope {
  /** The id of the agent; all agents if not set. */
  readonly agent?: string;
}

/**
 * Whether a task belongs to the requested agent. Agents can share a store, but callers of one agent cannot see tasks of
 * another.
 */
export function isWithin({ agent }: TaskAccess, record: Pick<TaskRecord, 'agent'>): boolean {
  return agent === undefined || record.agent === agent;
}

/**
 * Returns a task that was read, if the caller may see it. Provisional tasks are hidden.
 *
 * @throws A2AError `TASK_NOT_FOUND`
 */
export function shown(access: TaskAccess, taskId: string, stored: StoredTask | undefined): StoredTask {
  if (stored === undefined || !stored.record.visible || !isWithin(access, stored.record)) throw notFound(taskId);
  return stored;
}

/** Like `shown`, for the engine itself: provisional tasks are included. */
export function existing(_access: TaskAccess, taskId: string, stored: StoredTask | undefined): StoredTask {
  if (stored === undefined) throw notFound(taskId);
  return stored;
}

/** Qualifies a name that a caller chose with the agent, because the caller may use the same name at another agent. */
export function nameAt(agent: string, name: string): string {
  return `${agent}/${name}`;
}

/** The error is the same for tasks that are unknown, removed, or owned by another caller. */
export function notFound(taskId: string): A2AError {
  return new A2AError('TASK_NOT_FOUND', `Task ${taskId} does not exist`, { details: { taskId } });
}
