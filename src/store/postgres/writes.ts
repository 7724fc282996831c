import { A2AError } from '../../errors.ts';
import type { Message } from '../../model/message.ts';
import { guardHolds, newRecord, recordAfter } from '../guard.ts';
import type {
  Appended,
  Created,
  Idempotency,
  Lease,
  NewEvent,
  NewTask,
  Scope,
  TaskEvent,
  TaskRecord,
  TaskWrite,
} from '../store.ts';
import type { Desk } from './desk.ts';
import type { Change } from './hint-payload.ts';

/** The changes of single tasks. Each runs inside a transaction, on what that transaction has locked. */

/** What came of a write. */
export interface Written<T> {
  readonly result: T;
  /** What others should hear of it; absent if there is nothing. */
  readonly hint?: Omit<Change, 'taskId' | 'by'>;
}

export function createTask(desk: Desk, task: NewTask): Written<Created> {
  const known = repeatOf(desk, task, task.idempotency);
  if (known !== undefined) return unchanged(known);
  const taken = task.alias === undefined ? undefined : desk.aliasOwner(task, task.alias);
  if (taken !== undefined) return unchanged({ kind: 'alias-taken', taskId: taken });
  if (desk.find(task.id) !== undefined) throw new A2AError('INTERNAL_ERROR', `There is a task ${task.id} already`);
  const record = newRecord(task);
  desk.insert(record, task.alias);
  desk.addMessages(task.id, 0, [task.message]);
  if (task.event !== undefined) desk.addEvents(task.id, 0, [task.event]);
  if (task.pushConfig !== undefined) {
    desk.addPushConfig(task.id, task.pushConfig);
    if (task.event !== undefined) desk.makePushesDue(task.id);
  }
  if (task.idempotency !== undefined) desk.remember(record, task.idempotency);
  return { result: { kind: 'created', record }, hint: hintOf(record, task.event === undefined ? [] : [task.event]) };
}

export function appendToTask(desk: Desk, write: TaskWrite): Written<Appended> {
  const task = desk.find(write.taskId);
  if (task === undefined) return unchanged({ kind: 'refused' });
  const { record: before, lastMessage } = task;
  const known = repeatOf(desk, before, write.idempotency);
  if (known !== undefined) return unchanged(known);
  if (!guardHolds(write.guard, before, desk.isAlive(before.node))) {
    return unchanged({ kind: 'refused', record: before });
  }
  if (write.pushConfig !== undefined && !desk.putPushConfig(before.id, write.pushConfig, before.lastEvent))
    return unchanged({ kind: 'full' });
  const after = recordAfter(before, write);
  const { events = [], history = [], journal = [], artifacts, idempotency } = write;
  desk.addEvents(before.id, before.lastEvent, events);
  desk.addMessages(before.id, lastMessage, history);
  if (after.endedAt === undefined) desk.addJournal(before.id, before.lastJournal, journal);
  else if (before.lastJournal > 0) desk.dropJournal(before.id);
  if (artifacts !== undefined) desk.snapshot(task, after.lastEvent, artifacts);
  desk.update(task, after, lastMessage + history.length, write.guard.lease !== undefined);
  if (after.pushed === true && events.length > 0) desk.makePushesDue(before.id);
  if (idempotency !== undefined) desk.remember(after, idempotency);
  return { result: { kind: 'appended', record: after, firstEvent: before.lastEvent + 1 }, hint: hintOf(after, events) };
}

export function dropTaskForReply(desk: Desk, taskId: string, lease: Lease, reply: Message): Written<boolean> {
  const task = desk.find(taskId);
  if (task === undefined || task.record.visible || !guardHolds({ lease }, task.record, true)) return unchanged(false);
  desk.answerRequests(taskId, reply);
  desk.remove(task);
  return { result: true, hint: { isLeft: false, progress: undefined } };
}

/** Removes a task that was found to be outlived, unless it is already removed. Nobody needs to hear of it. */
export function removeEnded(desk: Desk, id: string): Written<boolean> {
  const task = desk.find(id);
  if (task?.record.endedAt === undefined) return unchanged(false);
  desk.remove(task);
  return { result: true };
}

/** Removes a task of an owner, unless a living node runs it or it is already removed. */
export function removeOwned(desk: Desk, id: string): Written<boolean> {
  const task = desk.find(id);
  if (task === undefined || (task.record.endedAt === undefined && desk.isAlive(task.record.node)))
    return unchanged(false);
  desk.remove(task);
  return { result: true, hint: { isLeft: false, progress: undefined } };
}

type Repeat = Extract<Created, { kind: 'repeated' | 'key-reused' }>;

/** What a request comes to that was made before; nothing if it is new. */
function repeatOf(desk: Desk, scope: Scope, request: Idempotency | undefined): Repeat | undefined {
  const known = request && desk.requestOf(scope, request.key);
  if (known === undefined) return undefined;
  const { digest, taskId, reply } = known;
  if (digest !== request?.digest) return { kind: 'key-reused' };
  return reply === undefined ? { kind: 'repeated', taskId } : { kind: 'repeated', taskId, reply };
}

function unchanged<T>(result: T): Written<T> {
  return { result };
}

/** @param events The last ones of the task. */
function hintOf(record: TaskRecord, events: readonly NewEvent[]): NonNullable<Written<unknown>['hint']> {
  const before = record.lastEvent - events.length;
  const numbered = events.map(({ kind, body }, i): TaskEvent => ({ number: before + i + 1, kind, body }));
  return {
    isLeft: record.node === undefined && record.wakeAt !== undefined,
    progress: { lastEvent: record.lastEvent, endedAt: record.endedAt, status: record.status, events: numbered },
  };
}
