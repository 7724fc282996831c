import type { Message } from '../../model/message.ts';
import { guardHolds, recordAfter } from '../guard.ts';
import type { Appended, Created, Lease, NewTask, Scope, TaskRecord, TaskWrite } from '../store.ts';
import type { Connection } from './connection.ts';
import type { Nodes } from './nodes.ts';
import { answerRequests, findRepeat, releaseRequests, rememberRequest } from './request-key.ts';
import { dropJournal, dropLog, insertEvents, insertJournal, insertMessages, saveSnapshot } from './task-log.ts';
import { findTask, type FoundTask, insertTask, updateTask } from './task-row.ts';

/** The changes of single tasks. Each runs inside a transaction and asks the database first, never a memory of its own. */

/** What came of a write, and the change that it made, if any. */
export interface Written<T> {
  readonly result: T;
  readonly before?: TaskRecord;
  readonly after?: TaskRecord;
}

const BY_ALIAS = 'SELECT id FROM task WHERE tenant = ? AND owner = ? AND alias = ?';

export function createTask(connection: Connection, nodes: Nodes, task: NewTask): Written<Created> {
  const known = findRepeat(connection, task, task.idempotency);
  if (known !== undefined) return { result: known };
  const taken = task.alias === undefined ? undefined : aliasOwner(connection, task, task.alias);
  if (taken !== undefined) return { result: { kind: 'alias-taken', taskId: taken } };
  if (task.node !== undefined) nodes.meet(task.node);
  const created = insertTask(connection, task);
  const { pk, record } = created;
  insertMessages(connection, pk, 0, [task.message]);
  if (task.event !== undefined) insertEvents(connection, pk, 0, [task.event]);
  rememberRequest(connection, created, task.idempotency);
  return { result: { kind: 'created', record }, after: record };
}

/** The id of the task that its caller gave this name. */
export function aliasOwner(connection: Connection, scope: Scope, alias: string): string | undefined {
  return (connection.get(BY_ALIAS, scope.tenant, scope.owner, alias) as readonly [id: string] | undefined)?.[0];
}

export function appendToTask(connection: Connection, nodes: Nodes, write: TaskWrite): Written<Appended> {
  const task = findTask(connection, write.taskId);
  if (task === undefined) return { result: { kind: 'refused' } };
  const { record: before } = task;
  const known = findRepeat(connection, before, write.idempotency);
  if (known !== undefined) return { result: known };
  if (!guardHolds(write.guard, before, nodes.isAlive(before.node))) {
    return { result: { kind: 'refused', record: before } };
  }
  const after = recordAfter(before, write);
  storeParts(connection, task, after, write);
  rememberRequest(connection, task, write.idempotency);
  return { result: { kind: 'appended', record: after, firstEvent: before.lastEvent + 1 }, before, after };
}

export function dropTaskForReply(
  connection: Connection,
  taskId: string,
  lease: Lease,
  reply: Message,
): Written<boolean> {
  const task = findTask(connection, taskId);
  if (task === undefined || task.record.visible || !guardHolds({ lease }, task.record, true)) return { result: false };
  answerRequests(connection, task.pk, reply);
  removeTask(connection, task);
  return { result: true, before: task.record };
}

/** Removes a task that was found to be outlived, unless somebody else has. */
export function removeEnded(connection: Connection, id: string): Written<boolean> {
  const task = findTask(connection, id);
  if (task === undefined) return { result: false };
  removeTask(connection, task);
  return { result: true, before: task.record };
}

/** Removes a task and all that belongs to it but its requests, which have their own time. */
function removeTask(connection: Connection, { pk }: FoundTask): void {
  dropLog(connection, pk);
  releaseRequests(connection, pk);
  connection.run('DELETE FROM task WHERE pk = ?', pk);
}

function storeParts(connection: Connection, task: FoundTask, after: TaskRecord, write: TaskWrite): void {
  const { pk, record, lastMessage } = task;
  const { events = [], journal = [], history = [] } = write;
  insertEvents(connection, pk, record.lastEvent, events);
  insertMessages(connection, pk, lastMessage, history);
  if (after.endedAt === undefined) insertJournal(connection, pk, record.lastJournal, journal);
  else if (record.lastJournal > 0) dropJournal(connection, pk);
  if (write.artifacts !== undefined) saveSnapshot(connection, pk, after.lastEvent, write.artifacts);
  updateTask(connection, task, after, lastMessage + history.length);
}
