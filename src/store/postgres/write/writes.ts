import { A2AError } from '../../../errors.ts';
import type { Message } from '../../../model/message.ts';
import { guardHolds, newRecord, recordAfter } from '../../guard.ts';
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
} from '../../store.ts';
import type { UnitOfWork } from './unit-of-work.ts';
import type { Change } from '../hints/hint-payload.ts';

/** The writes to single tasks. Each runs inside a transaction, on its locked data. */

/** The result of a write. */
export interface Written<T> {
  readonly result: T;
  /** The hint for watchers. Absent if nothing changed for them. */
  readonly hint?: Omit<Change, 'taskId' | 'by'>;
}

export function createTask(unit: UnitOfWork, task: NewTask): Written<Created> {
  const known = repeatOf(unit, task, task.idempotency);
  if (known !== undefined) return unchanged(known);
  const taken = task.alias === undefined ? undefined : unit.aliasOwner(task, task.alias);
  if (taken !== undefined) return unchanged({ kind: 'alias-taken', taskId: taken });
  if (unit.find(task.id) !== undefined) throw new A2AError('INTERNAL_ERROR', `Task ${task.id} already exists`);
  const record = newRecord(task);
  unit.insert(record, task.alias);
  unit.addMessages(task.id, 0, [task.message]);
  if (task.event !== undefined) unit.addEvents(task.id, 0, [task.event]);
  if (task.pushConfig !== undefined) {
    unit.addPushConfig(task.id, task.pushConfig);
    if (task.event !== undefined) unit.makePushesDue(task.id);
  }
  if (task.idempotency !== undefined) unit.remember(record, task.idempotency);
  return { result: { kind: 'created', record }, hint: hintOf(record, task.event === undefined ? [] : [task.event]) };
}

export function appendToTask(unit: UnitOfWork, write: TaskWrite): Written<Appended> {
  const task = unit.find(write.taskId);
  if (task === undefined) return unchanged({ kind: 'rejected' });
  const { record: before, lastMessage } = task;
  const known = repeatOf(unit, before, write.idempotency);
  if (known !== undefined) return unchanged(known);
  if (!guardHolds(write.guard, before, unit.isAlive(before.node))) {
    return unchanged({ kind: 'rejected', record: before });
  }
  if (write.pushConfig !== undefined && !unit.putPushConfig(before.id, write.pushConfig, before.lastEvent))
    return unchanged({ kind: 'full' });
  const after = recordAfter(before, write);
  const { events = [], history = [], journal = [], artifacts, idempotency } = write;
  unit.addEvents(before.id, before.lastEvent, events);
  unit.addMessages(before.id, lastMessage, history);
  if (after.endedAt === undefined) unit.addJournal(before.id, before.lastJournal, journal);
  else if (before.lastJournal > 0) unit.dropJournal(before.id);
  if (artifacts !== undefined) unit.snapshot(task, after.lastEvent, artifacts);
  unit.update(task, after, lastMessage + history.length, write.guard.lease !== undefined);
  if (after.pushed === true && events.length > 0) unit.makePushesDue(before.id);
  if (idempotency !== undefined) unit.remember(after, idempotency);
  return { result: { kind: 'appended', record: after, firstEvent: before.lastEvent + 1 }, hint: hintOf(after, events) };
}

export function dropTaskForReply(unit: UnitOfWork, taskId: string, lease: Lease, reply: Message): Written<boolean> {
  const task = unit.find(taskId);
  if (task === undefined || task.record.visible || !guardHolds({ lease }, task.record, true)) return unchanged(false);
  unit.answerRequests(taskId, reply);
  unit.remove(task);
  return { result: true, hint: { isClaimable: false, progress: undefined } };
}

/** Removes an expired task, unless it is already removed. Watchers are not notified. */
export function removeEnded(unit: UnitOfWork, id: string): Written<boolean> {
  const task = unit.find(id);
  if (task?.record.endedAt === undefined) return unchanged(false);
  unit.remove(task);
  return { result: true };
}

/** Removes a task of an owner, unless a living node runs it or it is already removed. */
export function removeOwned(unit: UnitOfWork, id: string): Written<boolean> {
  const task = unit.find(id);
  if (task === undefined || (task.record.endedAt === undefined && unit.isAlive(task.record.node)))
    return unchanged(false);
  unit.remove(task);
  return { result: true, hint: { isClaimable: false, progress: undefined } };
}

type Repeat = Extract<Created, { kind: 'repeated' | 'key-reused' }>;

/** The outcome of an earlier request with the same key. Undefined if the request is new. */
function repeatOf(unit: UnitOfWork, scope: Scope, request: Idempotency | undefined): Repeat | undefined {
  const known = request && unit.requestOf(scope, request.key);
  if (known === undefined) return undefined;
  const { digest, taskId, reply } = known;
  if (digest !== request?.digest) return { kind: 'key-reused' };
  return reply === undefined ? { kind: 'repeated', taskId } : { kind: 'repeated', taskId, reply };
}

function unchanged<T>(result: T): Written<T> {
  return { result };
}

/** @param events The last events of the task. */
function hintOf(record: TaskRecord, events: readonly NewEvent[]): NonNullable<Written<unknown>['hint']> {
  const before = record.lastEvent - events.length;
  const numbered = events.map(({ kind, body }, i): TaskEvent => ({ number: before + i + 1, kind, body }));
  return {
    isClaimable: record.node === undefined && record.wakeAt !== undefined,
    progress: { lastEvent: record.lastEvent, endedAt: record.endedAt, status: record.status, events: numbered },
  };
}
