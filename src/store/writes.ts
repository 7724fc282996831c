import { A2AError } from '../errors.ts';
import type { Message } from '../model/message.ts';
import { guardHolds, newRecord, recordAfter, withPushed } from './guard.ts';
import type {
  Appended,
  Created,
  Idempotency,
  JournalEntry,
  KeptJournal,
  Lease,
  NewCall,
  NewEvent,
  NewTask,
  PushConfigPut,
  PushConfigRecord,
  PushConfigToPut,
  Scope,
  TaskRecord,
  TaskWrite,
} from './store.ts';

/**
 * The rules of all writes to single tasks: what a write requires, what it changes, and in which order. They run inside a
 * transaction of the store, on its `UnitOfWork`. Each function returns the result of the method of `Store` with the same purpose.
 * If it throws, it has changed nothing.
 */

/** A task as a store holds it: the record, and other members that only the store uses. */
export interface HeldTask {
  /** The record as of the last write. */
  readonly record: TaskRecord;
}

/** The key of an earlier request, and its outcome. */
export interface KnownRequest {
  /** The digest of its content. */
  readonly digest: string;
  /** The task that the request created or changed. */
  readonly taskId: string;
  /** The outcome of the request, if it was a message instead of a task. */
  readonly reply?: Message | undefined;
}

/**
 * The rows of a store within one transaction. Each write sees the results of the earlier ones. A store implements these members,
 * calls the functions of this module with them, and commits.
 *
 * All members that take a `task` get it as `find` or `insert` returned it. Its record is the one before the write, or, after
 * `update`, possibly the one after it.
 */
export interface UnitOfWork<Task extends HeldTask = HeldTask> {
  /** The task with this id, of any owner. */
  find(taskId: string): Task | undefined;
  /** The request of this owner that used the key. */
  findRequest(scope: Scope, key: string): KnownRequest | undefined;
  /** The id of the task of this owner with this alias. */
  findAlias(scope: Scope, alias: string): string | undefined;
  /** Whether the node is given and alive. */
  isAlive(node: string | undefined): boolean;

  /** Adds a task with its record, its alias, its first message and its first event, if there are any. */
  insert(task: NewTask, record: TaskRecord): Task;
  /**
   * For stores with limited room: called before the first change of a write to an existing task.
   *
   * @throws A2AError `UNAVAILABLE` if there is no room.
   */
  reserve?(task: Task, write: TaskWrite): void;
  /** Adds events after the last one. */
  addEvents(task: Task, events: readonly NewEvent[]): void;
  /** Adds messages at the end of the history. */
  addMessages(task: Task, messages: readonly Message[]): void;
  /** Adds journal entries after the last one. */
  addJournal(task: Task, entries: readonly JournalEntry[]): void;
  /** Deletes the journal: the task ends and never runs again. */
  dropJournal(task: Task): void;
  /**
   * Sets the bodies of the journal to `null`, also of entries that this write has added: all of them for `outline`, those of
   * sensitive entries for `whole`.
   */
  reduceJournal(task: Task, kept: KeptJournal): void;
  /** Replaces the record, and the snapshot if the write has `artifacts`. Called after all members that add to the task. */
  update(task: Task, record: TaskRecord, write: TaskWrite): void;
  /** Removes the task with all its data and its alias. The keys of its requests stay until they expire. */
  remove(task: Task): void;

  /** Stores the key of a request that created or changed the task. */
  rememberRequest(task: Task, request: Idempotency): void;
  /** Stores a message as the outcome of all requests of the task. */
  answerRequests(task: Task, reply: Message): void;

  /** The number of push configs of the task. */
  pushConfigCount(task: Task): number;
  /** Adds a push config after all others. @param delivered The number of the last event that it does not receive. */
  addPushConfig(task: Task, config: PushConfigRecord, delivered: number): void;
  /**
   * Replaces the push config with the same id, which keeps its position, its creation time and its progress. Its failures are
   * forgotten, its lease is revoked, and undelivered events are due now. Returns whether there is one.
   */
  replacePushConfig(task: Task, config: PushConfigRecord): boolean;
  /** Makes the push configs of the task due that are neither due nor disabled. Called after new events. */
  makePushesDue(task: Task): void;

  /** Whether the task has an open call with this id. */
  hasCall(task: Task, callId: string): boolean;
  /** Whether a call with this id is open, of any task. */
  isCallOpen(callId: string): boolean;
  /** Adds calls of the task. */
  addCalls(task: Task, calls: readonly NewCall[]): void;
  /** Removes an open call of the task. */
  removeCall(task: Task, callId: string): void;
  /** Makes all open calls of the task due at once, also those that a node holds. */
  makeCallsDue(task: Task): void;
  /** Makes a call of any task due at once if it is open, also if a node holds it. */
  makeCallDue(callId: string): void;
}

/** A unit of work for `putPushConfig` and `deletePushConfig`. */
export interface PushConfigUnit<Task extends HeldTask = HeldTask> extends UnitOfWork<Task> {
  /** A copy of the push config, which exists. */
  readPushConfig(task: Task, id: string): PushConfigRecord;
  /** Replaces the record, in which only `pushed` has changed. */
  replaceRecord(task: Task, record: TaskRecord): void;
  /** Deletes a push config with its dead letters. Returns whether it existed. */
  removePushConfig(task: Task, id: string): boolean;
}

/** Creates a task, or finds out why not. For `Store.create`. @param record The record of the new task, if the caller needs it earlier. */
export function createTask<Task extends HeldTask>(
  unit: UnitOfWork<Task>,
  task: NewTask,
  record: TaskRecord = newRecord(task),
): Created {
  const known = repeatOf(unit, task, task.idempotency);
  if (known !== undefined) return known;
  const taken = task.alias === undefined ? undefined : unit.findAlias(task, task.alias);
  if (taken !== undefined) return { kind: 'alias-taken', taskId: taken };
  if (unit.find(task.id) !== undefined) throw new A2AError('INTERNAL_ERROR', `Task ${task.id} already exists`);
  const created = unit.insert(task, record);
  if (task.pushConfig !== undefined) {
    unit.addPushConfig(created, task.pushConfig, 0);
    if (task.event !== undefined) unit.makePushesDue(created);
  }
  if (task.idempotency !== undefined) unit.rememberRequest(created, task.idempotency);
  return { kind: 'created', record };
}

/** Changes a task if the guard of the write holds. For `Store.append`. */
export function appendToTask<Task extends HeldTask>(unit: UnitOfWork<Task>, write: TaskWrite): Appended {
  const task = unit.find(write.taskId);
  if (task === undefined) return { kind: 'rejected' };
  const before = task.record;
  const known = repeatOf(unit, before, write.idempotency);
  if (known !== undefined) return known;
  const isHeld = guardHolds(write.guard, before, unit.isAlive(before.node)) && mayCall(unit, task, write);
  if (!isHeld) return { kind: 'rejected', record: before };
  unit.reserve?.(task, write);
  if (write.pushConfig !== undefined && !storePushConfig(unit, task, write.pushConfig)) return { kind: 'full' };
  const ended = write.endsCall !== undefined && unit.hasCall(task, write.endsCall) ? write.endsCall : undefined;
  const after = recordAfter(before, write, ended === undefined ? 0 : 1);
  if (write.calls !== undefined) unit.addCalls(task, write.calls);
  if (ended !== undefined) unit.removeCall(task, ended);
  if (write.events !== undefined) unit.addEvents(task, write.events);
  if (write.history !== undefined) unit.addMessages(task, write.history);
  const isKept = after.endedAt === undefined || write.keepJournal !== undefined;
  if (isKept && write.journal !== undefined) unit.addJournal(task, write.journal);
  // Most tasks have no journal, and then their end costs no statement.
  if (!isKept && before.lastJournal > 0) unit.dropJournal(task);
  else if (write.keepJournal !== undefined && after.endedAt !== undefined && after.lastJournal > 0)
    unit.reduceJournal(task, write.keepJournal);
  unit.update(task, after, write);
  if (after.pushed === true && after.lastEvent > before.lastEvent) unit.makePushesDue(task);
  const areCallsDue =
    makeCallsDue(unit, task, write, before, after) || (write.calls !== undefined && write.calls.length > 0);
  if (write.idempotency !== undefined) unit.rememberRequest(task, write.idempotency);
  const appended = { kind: 'appended', record: after, firstEvent: before.lastEvent + 1 } as const;
  return areCallsDue ? { ...appended, callsDue: true } : appended;
}

/** Whether the task has the call of the guard, and may make the new calls of the write. */
function mayCall<Task extends HeldTask>(unit: UnitOfWork<Task>, task: Task, { guard, calls }: TaskWrite): boolean {
  if (calls !== undefined && task.record.canceling) return false;
  return guard.call === undefined || unit.hasCall(task, guard.call);
}

/**
 * Makes the calls due that a write concerns: those of the task, and the one that created it. Most writes concern none. Returns
 * whether there may be one.
 */
function makeCallsDue<Task extends HeldTask>(
  unit: UnitOfWork<Task>,
  task: Task,
  { canceling, callsDue, callDue }: TaskWrite,
  before: TaskRecord,
  after: TaskRecord,
): boolean {
  const { openCalls, callId, question, endedAt } = after;
  const hasEnded = endedAt !== undefined;
  const concernsOwn = openCalls !== undefined && (hasEnded || canceling === true || callsDue === true);
  const concernsCaller = callId !== undefined && (hasEnded || question !== before.question);
  if (concernsOwn) unit.makeCallsDue(task);
  if (concernsCaller) unit.makeCallDue(callId);
  if (callDue !== undefined) unit.makeCallDue(callDue);
  return concernsOwn || concernsCaller || callDue !== undefined;
}

/** Replaces a provisional task by a message. For `Store.dropForReply`. */
export function dropTaskForReply<Task extends HeldTask>(
  unit: UnitOfWork<Task>,
  taskId: string,
  lease: Lease,
  reply: Message,
): boolean {
  const task = unit.find(taskId);
  if (task === undefined || task.record.visible || !guardHolds({ lease }, task.record, true)) return false;
  unit.answerRequests(task, reply);
  unit.remove(task);
  if (task.record.callId !== undefined) unit.makeCallDue(task.record.callId);
  return true;
}

/** Removes an expired task, unless a call needs it or it was removed in the meantime. For `Store.prune`. */
export function removeEnded<Task extends HeldTask>(unit: UnitOfWork<Task>, taskId: string): boolean {
  const task = unit.find(taskId);
  if (task?.record.endedAt === undefined || isNeededByCall(unit, task.record)) return false;
  unit.remove(task);
  return true;
}

/** Whether an ended task has open calls, or the call that created it is open: its result was not recorded yet. */
function isNeededByCall(unit: UnitOfWork, { openCalls, callId }: TaskRecord): boolean {
  return openCalls !== undefined || (callId !== undefined && unit.isCallOpen(callId));
}

/** Removes a task of an owner, unless a living node runs it or it was removed in the meantime. For `Store.purge`. */
export function removeOwned<Task extends HeldTask>(unit: UnitOfWork<Task>, taskId: string): boolean {
  const task = unit.find(taskId);
  if (task === undefined || (task.record.endedAt === undefined && unit.isAlive(task.record.node))) return false;
  unit.remove(task);
  if (task.record.callId !== undefined) unit.makeCallDue(task.record.callId);
  return true;
}

/** Adds or replaces a push config of a visible task. For `Store.putPushConfig`. */
export function putPushConfig<Task extends HeldTask>(
  unit: PushConfigUnit<Task>,
  scope: Scope,
  taskId: string,
  record: PushConfigRecord,
  max: number,
): PushConfigPut | undefined {
  const task = visibleTo(scope, unit.find(taskId));
  if (task === undefined) return undefined;
  if (!storePushConfig(unit, task, { record, max })) return { kind: 'full' };
  if (task.record.pushed !== true) unit.replaceRecord(task, withPushed(task.record, true));
  return { kind: 'stored', record: unit.readPushConfig(task, record.id) };
}

/** Deletes a push config of a visible task. For `Store.deletePushConfig`. */
export function deletePushConfig<Task extends HeldTask>(
  unit: PushConfigUnit<Task>,
  scope: Scope,
  taskId: string,
  id: string,
): boolean | undefined {
  const task = visibleTo(scope, unit.find(taskId));
  if (task === undefined) return undefined;
  if (!unit.removePushConfig(task, id)) return false;
  if (unit.pushConfigCount(task) === 0) unit.replaceRecord(task, withPushed(task.record, false));
  return true;
}

/** The task, if it is visible and belongs to this owner. */
export function visibleTo<Task extends HeldTask>(scope: Scope, task: Task | undefined): Task | undefined {
  return task?.record.visible === true && isOwnedBy(scope, task.record) ? task : undefined;
}

/** Whether a task belongs to this owner. */
export function isOwnedBy({ tenant, owner }: Scope, record: TaskRecord): boolean {
  return record.tenant === tenant && record.owner === owner;
}

/** Returns whether there is room for the push config. */
function storePushConfig<Task extends HeldTask>(
  unit: UnitOfWork<Task>,
  task: Task,
  { record, max }: PushConfigToPut,
): boolean {
  if (unit.replacePushConfig(task, record)) return true;
  if (unit.pushConfigCount(task) >= max) return false;
  unit.addPushConfig(task, record, task.record.lastEvent);
  return true;
}

type Repeat = Extract<Created, { kind: 'repeated' | 'key-reused' }>;

/** The outcome of an earlier request with the same key. Undefined if the request is new. */
function repeatOf(unit: UnitOfWork, scope: Scope, request: Idempotency | undefined): Repeat | undefined {
  const known = request && unit.findRequest(scope, request.key);
  if (known === undefined) return undefined;
  const { digest, taskId, reply } = known;
  if (digest !== request?.digest) return { kind: 'key-reused' };
  return reply === undefined ? { kind: 'repeated', taskId } : { kind: 'repeated', taskId, reply };
}
