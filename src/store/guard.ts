import { isTerminal } from '../model/state.ts';
import type { Guard, TaskRecord, TaskWrite } from './store.ts';

/** Whether a write may happen. Stores that check in memory use this; it is also the definition for those that do not. */
export function guardHolds(guard: Guard, task: TaskRecord, isHeld: boolean): boolean {
  const { lease, states, idle, question, canceling } = guard;
  if (isTerminal(task.status.state)) return false;
  if (lease !== undefined && (lease.node !== task.node || lease.fence !== task.fence)) return false;
  if (states !== undefined && !states.includes(task.status.state)) return false;
  if (idle === true && isHeld) return false;
  if (question !== undefined && question !== task.question) return false;
  return canceling === undefined || canceling === task.canceling;
}

/** The record of a task after a write whose guard holds. */
export function recordAfter(task: TaskRecord, write: TaskWrite): TaskRecord {
  const ends = write.endedAt !== undefined;
  const frees = ends || write.release === true || write.revoke === true;
  // A copy with a few members taken away again: naming them in a rest pattern costs a hundred times as much.
  const after: { -readonly [K in keyof TaskRecord]: TaskRecord[K] } = {
    ...task,
    visible: task.visible || write.visible === true,
    canceling: task.canceling || write.canceling === true,
    lastEvent: task.lastEvent + (write.events?.length ?? 0),
    lastJournal: task.lastJournal + (write.journal?.length ?? 0),
    fence: write.revoke === true ? task.fence + 1 : task.fence,
    attempts: write.release === true ? 0 : task.attempts,
  };
  if (write.status !== undefined) after.status = write.status;
  if (write.metadata !== undefined) after.metadata = write.metadata;
  if (frees) delete after.node;
  if (ends || write.wakeAt === null) delete after.wakeAt;
  else if (write.wakeAt !== undefined) after.wakeAt = write.wakeAt;
  if (ends || write.question === null) delete after.question;
  else if (write.question !== undefined) after.question = write.question;
  if (write.endedAt !== undefined) after.endedAt = write.endedAt;
  return after;
}

/** The time by which tasks are listed. */
export function statusTime({ status, createdAt }: Pick<TaskRecord, 'status' | 'createdAt'>): number {
  return status.timestamp === undefined ? createdAt : Date.parse(status.timestamp);
}
