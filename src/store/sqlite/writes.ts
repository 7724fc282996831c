import type { Message } from '../../model/message.ts';
import { guardHolds, newRecord, recordAfter } from '../guard.ts';
import type { Appended, Created, Lease, NewTask, Scope, TaskRecord, TaskWrite } from '../store.ts';
import type { Clock } from '../../support/time/clock.ts';
import type { Writable } from '../../support/writable.ts';
import type { Connection } from './database/connection.ts';
import type { Nodes } from './nodes.ts';
import { makePushesDue } from './outbox.ts';
import { insertPushConfig, storePushConfig } from './push-configs.ts';
import { answerRequests, findRepeat, releaseRequests, rememberRequest } from './request-key.ts';
import { insertEvents } from './task-events.ts';
import { dropJournal, dropLog, insertJournal, insertMessage, insertMessages, saveSnapshot } from './task-log.ts';
import { fitsInRow, type FoundTask } from './task-row.ts';
import type { RowParts, Tasks } from './tasks.ts';

/** The writes to single tasks. Each runs inside a transaction. */

/** The context of a write. */
export interface WriteContext {
  readonly connection: Connection;
  readonly tasks: Tasks;
  readonly nodes: Nodes;
  readonly clock: Clock;
  /** The fairness key that got the last task, by agent: where the rotation of claims continues. */
  readonly positions: Map<string, string>;
}

/** The result of a write, and the task before and after it if it changed. */
export interface Written<T> {
  readonly result: T;
  readonly before?: TaskRecord;
  readonly after?: TaskRecord;
}

const BY_ALIAS = 'SELECT id FROM task WHERE tenant = ? AND owner = ? AND alias = ?';

export function createTask(desk: WriteContext, task: NewTask, record: TaskRecord = newRecord(task)): Written<Created> {
  const { connection, tasks, nodes } = desk;
  const known = findRepeat(connection, task, task.idempotency);
  if (known !== undefined) return { result: known };
  const taken = task.alias === undefined ? undefined : aliasOwner(connection, task, task.alias);
  if (taken !== undefined) return { result: { kind: 'alias-taken', taskId: taken } };
  if (task.node !== undefined) nodes.meet(task.node);
  const message = JSON.stringify(task.message);
  const created = tasks.insert(record, fitsInRow(message) ? message : null, task.alias);
  if (created.message === null) insertMessage(connection, created.pk, 1, message);
  if (task.event !== undefined) insertEvents(connection, created.pk, 0, [task.event]);
  if (task.pushConfig !== undefined) {
    // The trigger that deletes it with its task needs the row of the task.
    tasks.save();
    insertPushConfig(connection, created.pk, task.pushConfig, 0);
    if (task.event !== undefined) makePushesDue(desk, created.pk);
  }
  rememberRequest(connection, created, task.idempotency);
  return { result: { kind: 'created', record }, after: record };
}

/** The id of the task with this alias. */
export function aliasOwner(connection: Connection, scope: Scope, alias: string): string | undefined {
  return (connection.get(BY_ALIAS, scope.tenant, scope.owner, alias) as readonly [id: string] | undefined)?.[0];
}

export function appendToTask(desk: WriteContext, write: TaskWrite): Written<Appended> {
  const { connection, tasks, nodes } = desk;
  const task = tasks.find(write.taskId);
  if (task === undefined) return { result: { kind: 'rejected' } };
  const { record: before } = task;
  const known = findRepeat(connection, before, write.idempotency);
  if (known !== undefined) return { result: known };
  if (!guardHolds(write.guard, before, nodes.isAlive(before.node))) {
    return { result: { kind: 'rejected', record: before } };
  }
  if (write.pushConfig !== undefined) {
    const { record, max } = write.pushConfig;
    if (storePushConfig(desk, task, record, max).kind === 'full') return { result: { kind: 'full' } };
  }
  const after = recordAfter(before, write);
  storeParts(desk, task, after, write);
  if (after.pushed === true && after.lastEvent > before.lastEvent) makePushesDue(desk, task.pk);
  rememberRequest(connection, task, write.idempotency);
  return { result: { kind: 'appended', record: after, firstEvent: before.lastEvent + 1 }, before, after };
}

export function dropTaskForReply(desk: WriteContext, taskId: string, lease: Lease, reply: Message): Written<boolean> {
  const task = desk.tasks.find(taskId);
  if (task === undefined || task.record.visible || !guardHolds({ lease }, task.record, true)) return { result: false };
  answerRequests(desk.connection, task.pk, reply);
  removeTask(desk, task);
  return { result: true, before: task.record };
}

/** Removes an expired task, unless it is already removed. */
export function removeEnded(desk: WriteContext, id: string): Written<boolean> {
  const task = desk.tasks.find(id);
  if (task === undefined) return { result: false };
  removeTask(desk, task);
  return { result: true, before: task.record };
}

/** Removes a task of an owner, unless a living node runs it or it is already removed. */
export function removeOwned(desk: WriteContext, id: string): Written<boolean> {
  const task = desk.tasks.find(id);
  if (task === undefined) return { result: false };
  const { endedAt, node } = task.record;
  if (endedAt === undefined && desk.nodes.isAlive(node)) return { result: false };
  removeTask(desk, task);
  return { result: true, before: task.record };
}

/** Removes a task and all its data, except the keys of its requests, which expire separately. */
function removeTask({ connection, tasks }: WriteContext, task: FoundTask): void {
  dropLog(connection, task.pk);
  releaseRequests(connection, task.pk);
  tasks.remove(task);
}

function storeParts({ connection, tasks }: WriteContext, task: FoundTask, after: TaskRecord, write: TaskWrite): void {
  const { pk, record, lastMessage } = task;
  const { events, journal, history, artifacts } = write;
  if (events !== undefined) insertEvents(connection, pk, record.lastEvent, events);
  if (history !== undefined) insertMessages(connection, pk, lastMessage, history);
  if (after.endedAt === undefined) {
    if (journal !== undefined) insertJournal(connection, pk, record.lastJournal, journal);
  } else if (record.lastJournal > 0) {
    dropJournal(connection, pk);
  }
  const parts: Writable<RowParts> = {};
  if (history !== undefined && history.length > 0) parts.lastMessage = lastMessage + history.length;
  if (artifacts !== undefined) {
    if (after.endedAt !== undefined && fitsInRow(artifacts)) parts.artifacts = artifacts;
    else saveSnapshot(connection, pk, after.lastEvent, artifacts);
  }
  tasks.update(task, after, parts);
}
