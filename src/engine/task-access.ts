import type { Scope, StoredTask, TaskRecord } from '../store/store.ts';
import { notFound } from './not-found.ts';

/** Whose tasks are asked for: all that an owner has, or those of one agent alone, as its service does. */
export interface TaskAccess extends Scope {
  readonly agent?: string;
}

/** Several agents may have their tasks in one store: what one has is unknown to the callers of another. */
export function isWithin({ agent }: TaskAccess, record: TaskRecord): boolean {
  return agent === undefined || record.agent === agent;
}

/** What was read of a task, if it may be known: provisional ones are not. @throws A2AError `TASK_NOT_FOUND` */
export function shown(access: TaskAccess, taskId: string, stored: StoredTask | undefined): StoredTask {
  if (stored === undefined || !stored.record.visible || !isWithin(access, stored.record)) throw notFound(taskId);
  return stored;
}

/** A name that a caller gave to something of an agent: he may give the same to something of another. */
export function nameAt(agent: string, name: string): string {
  return `${agent}/${name}`;
}
