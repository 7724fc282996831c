import { A2AError } from '../../errors.ts';
import type { Message } from '../../model/message.ts';
import { jsonSize } from '../../support/json/json-size.ts';
import type { Clock } from '../../support/time/clock.ts';
import type {
  AllTasksQuery,
  CallRecord,
  CallReport,
  Idempotency,
  JournalEntry,
  KeptJournal,
  NewCall,
  NewEvent,
  NewTask,
  PushConfigRecord,
  Scope,
  TaskRecord,
  TaskWrite,
} from '../store.ts';
import { withoutOpenCall } from '../guard.ts';
import { isOwnedBy, type PushConfigUnit } from '../writes.ts';
import { CallTable, toRecord } from './call-table.ts';
import { EndedQueue } from './ended-queue.ts';
import { PushConfigs } from './push-configs.ts';
import { PushQueue } from './push-queue.ts';
import { type RequestKey, RequestKeys, scoped } from './request-keys.ts';
import { addEvents, addJournal, bytesOf, dropEvents, dropJournal, newRow, reduceJournal, type Row } from './row.ts';
import { TaskIndex } from './task-index.ts';
import { RETRY_MS, UnfinishedBytes } from './unfinished-bytes.ts';
import { WakeIndex } from './wake-index.ts';

/** Most requests create a task; some are follow-ups. */
const KEYS_PER_TASK = 4;
const KEYS_PART = 4;

/** The limits of a memory store. */
export interface Limits {
  readonly maxTasks: number;
  readonly maxBytes: number;
}

/**
 * All data of a memory store, with its indexes and its size. The methods of the store run synchronously, so each of them is a
 * transaction, and these tables are its unit of work.
 */
export class Tables implements PushConfigUnit<Row> {
  readonly index = new TaskIndex<Row>();
  readonly wakes = new WakeIndex<Row>();
  readonly ended = new EndedQueue<Row>();
  readonly pushes: PushQueue;
  readonly calls: CallTable<Row>;
  readonly keys: RequestKeys;
  readonly #clock: Clock;
  readonly #limits: Limits;
  readonly #rows = new Map<string, Row>();
  readonly #aliases = new Map<string, string>();
  readonly #nodes = new Map<string, number>();
  #created = 0;
  #ended = 0;
  /** The size of all rows. */
  #bytes = 0;
  readonly #unfinished: UnfinishedBytes;

  constructor(clock: Clock, limits: Limits) {
    const { maxTasks, maxBytes } = limits;
    this.#clock = clock;
    this.#limits = limits;
    this.#unfinished = new UnfinishedBytes(maxBytes);
    this.pushes = new PushQueue(clock, this.isAlive);
    this.calls = new CallTable(clock, this.isAlive);
    this.keys = new RequestKeys(maxTasks * KEYS_PER_TASK, maxBytes / KEYS_PART);
  }

  find(taskId: string): Row | undefined {
    return this.#rows.get(taskId);
  }

  allOf(scope: Scope): readonly Row[] {
    return [...this.#rows.values()].filter(({ record }) => isOwnedBy(scope, record));
  }

  allTasks({ taskId, agent, hasEnded, after = '', limit }: AllTasksQuery): readonly TaskRecord[] {
    const found: TaskRecord[] = [];
    for (const { record } of this.#rows.values()) {
      if (taskId !== undefined && record.id !== taskId) continue;
      if (agent !== undefined && record.agent !== agent) continue;
      if (hasEnded !== undefined && (record.endedAt !== undefined) !== hasEnded) continue;
      if (record.id > after) found.push(record);
    }
    return found.sort((a, b) => (a.id < b.id ? -1 : 1)).slice(0, limit);
  }

  /** The number of ended tasks, including those that a call needs. */
  get endedCount(): number {
    return this.#ended;
  }

  findRequest(scope: Scope, key: string): RequestKey | undefined {
    return this.keys.find(scope, key);
  }

  findAlias(scope: Scope, alias: string): string | undefined {
    return this.#aliases.get(scoped(scope, alias));
  }

  /** @param until When the node is no longer alive. At once if not set. */
  setAlive(node: string, until: number | undefined): void {
    if (until === undefined) this.#nodes.delete(node);
    else this.#nodes.set(node, until);
  }

  readonly isAlive = (node: string | undefined): boolean =>
    node !== undefined && (this.#nodes.get(node) ?? 0) > this.#clock.now();

  insert(task: NewTask, record: TaskRecord): Row {
    const row = newRow(task, record, (this.#created += 1));
    this.#assertRoom(task, 1, bytesOf(row));
    this.#rows.set(task.id, row);
    this.index.add(row);
    this.wakes.add(row);
    if (task.alias !== undefined) this.#aliases.set(scoped(task, task.alias), task.id);
    this.#count(row);
    return row;
  }

  reserve({ record }: Row, { guard, historyBytes, calls }: TaskWrite): void {
    if (calls !== undefined) this.calls.assertNew(calls);
    // Outputs of runs are always stored: they have their own limit, and the run could not store them elsewhere.
    if (guard.lease === undefined && historyBytes !== undefined) this.#assertRoom(record, 0, historyBytes);
  }

  addEvents(row: Row, events: readonly NewEvent[]): void {
    addEvents(row, events);
  }

  addMessages({ history }: Row, messages: readonly Message[]): void {
    history.push(...messages);
  }

  addJournal(row: Row, entries: readonly JournalEntry[]): void {
    addJournal(row, entries);
  }

  dropJournal(row: Row): void {
    dropJournal(row);
  }

  reduceJournal(row: Row, kept: KeptJournal): void {
    reduceJournal(row, kept);
  }

  update(row: Row, record: TaskRecord, { artifacts, status }: TaskWrite): void {
    const before = row.record;
    if (artifacts !== undefined) row.artifacts = { snapshot: artifacts, upTo: record.lastEvent };
    if (status !== undefined) row.statusBytes = status.message === undefined ? 0 : jsonSize(status.message);
    this.replaceRecord(row, record);
    this.#count(row, before);
    this.#makeRoom(0, 0);
    if (record.endedAt === undefined) return;
    this.#ended += 1;
    this.#addEnded(row);
  }

  /** Queues an ended task for removal, unless a call needs it. Then it is queued once the call is no longer open. */
  #addEnded(row: Row): void {
    const { openCalls, callId } = row.record;
    if (openCalls !== undefined) return;
    const caller = callId === undefined ? undefined : this.calls.open(callId);
    if (caller === undefined) this.ended.add(row);
    else caller.keeps.push(row);
  }

  /** Sets the new record of a row and updates the indexes. */
  replaceRecord(row: Row, record: TaskRecord): void {
    const { node, wakeAt, suspectMs, attempts } = row.record;
    const moves =
      node !== record.node ||
      wakeAt !== record.wakeAt ||
      suspectMs !== record.suspectMs ||
      (suspectMs !== undefined && attempts !== record.attempts);
    if (moves) this.wakes.remove(row);
    this.index.update(row, record);
    if (moves) this.wakes.add(row);
  }

  remove(row: Row): void {
    this.#rows.delete(row.record.id);
    this.#bytes -= row.countedBytes;
    if (row.record.endedAt === undefined) this.#unfinished.add(row.record, -row.countedBytes);
    row.countedBytes = 0;
    this.index.remove(row);
    this.wakes.remove(row);
    this.ended.remove(row);
    if (row.record.endedAt !== undefined) this.#ended -= 1;
    row.pushConfigs?.clear();
    if (row.callBytes > 0) for (const call of this.calls.of(row.record.id)) this.#queue(this.calls.remove(call));
    this.keys.release(row.lastKey);
    if (row.alias !== undefined) this.#aliases.delete(scoped(row.record, row.alias));
  }

  /** Drops the events of an ended task. Its end stored a snapshot, so events only serve to replay the stream. */
  dropEvents(row: Row): void {
    dropEvents(row);
    this.#count(row);
  }

  rememberRequest(row: Row, request: Idempotency): void {
    row.lastKey = this.keys.add(row.record, request, row.lastKey);
  }

  answerRequests({ lastKey }: Row, reply: Message): void {
    this.keys.answer(lastKey, reply);
  }

  pushConfigCount({ pushConfigs }: Row): number {
    return pushConfigs?.size ?? 0;
  }

  addPushConfig(row: Row, config: PushConfigRecord, delivered: number): void {
    (row.pushConfigs ??= new PushConfigs(row, this.pushes)).add(config, delivered);
    this.#count(row);
  }

  replacePushConfig(row: Row, config: PushConfigRecord): boolean {
    const isReplaced = row.pushConfigs?.replace(config) === true;
    if (isReplaced) this.#count(row);
    return isReplaced;
  }

  makePushesDue({ pushConfigs }: Row): void {
    pushConfigs?.makeDue();
  }

  readPushConfig({ pushConfigs }: Row, id: string): PushConfigRecord {
    const [config] = pushConfigs?.page({ id, limit: 1 }) ?? [];
    if (config === undefined) throw new Error(`There is no push config ${id}`);
    return config;
  }

  removePushConfig(row: Row, id: string): boolean {
    const isDeleted = row.pushConfigs?.delete(id) === true;
    this.#count(row);
    return isDeleted;
  }

  hasCall(row: Row, callId: string): boolean {
    return this.calls.open(callId)?.row === row;
  }

  isCallOpen(callId: string): boolean {
    return this.calls.open(callId) !== undefined;
  }

  addCalls(row: Row, calls: readonly NewCall[]): void {
    for (const call of calls) this.calls.add(row, call);
  }

  removeCall(_row: Row, callId: string): void {
    const call = this.calls.open(callId);
    if (call !== undefined) this.#queue(this.calls.remove(call));
  }

  makeCallsDue({ record }: Row): void {
    for (const call of this.calls.of(record.id)) if (call.failed === undefined) this.calls.makeDue(call);
  }

  makeCallDue(callId: string): void {
    const call = this.calls.open(callId);
    if (call !== undefined) this.calls.makeDue(call);
  }

  /** Stores a report. Returns the call after it, or `undefined` if the node does not hold the call. */
  noteCall(report: CallReport): CallRecord | undefined {
    const call = this.calls.reported(report);
    if (call === undefined) return undefined;
    this.calls.note(call, report);
    if (report.remove === true) this.#close(call.row, this.calls.remove(call));
    else if (report.failed !== undefined) this.#close(call.row, this.calls.fail(call, report.failed));
    else this.#count(call.row);
    return toRecord(call);
  }

  /** Updates the task of a call that is no longer open. */
  #close(row: Row, kept: readonly Row[]): void {
    this.replaceRecord(row, withoutOpenCall(row.record));
    this.#count(row);
    if (row.record.endedAt !== undefined) this.#addEnded(row);
    this.#queue(kept);
  }

  /** Queues ended tasks that a call has kept, unless they were removed in the meantime or something else keeps them. */
  #queue(kept: readonly Row[]): void {
    for (const row of kept) if (this.find(row.record.id) === row) this.#addEnded(row);
  }

  /** Counts the current size of a row instead of the size that was counted last. `before` is the record of that time. */
  #count(row: Row, before = row.record): void {
    const bytes = bytesOf(row);
    const added = bytes - row.countedBytes;
    this.#bytes += added;
    if (before.endedAt === undefined)
      this.#unfinished.add(before, row.record.endedAt === undefined ? added : -row.countedBytes);
    row.countedBytes = bytes;
  }

  /** @throws A2AError `UNAVAILABLE` if the store or the share of the caller has no room for that much more. */
  #assertRoom(task: NewTask | TaskRecord, tasks: number, bytes: number): void {
    this.#unfinished.assertRoom(task, bytes);
    if (!this.#makeRoom(tasks, bytes)) throw this.#full();
  }

  /** Removes the tasks that ended first until there is room for that much more. Returns whether there is. */
  #makeRoom(tasks: number, bytes: number): boolean {
    const { maxTasks, maxBytes } = this.#limits;
    while (this.#rows.size + tasks > maxTasks || this.#bytes + bytes > maxBytes) {
      const oldest = this.ended.first();
      if (oldest === undefined) return this.#isWithinShares(tasks, bytes);
      this.remove(oldest);
    }
    return true;
  }

  /** Whether unfinished tasks leave room, not counting what single callers have above their shares. */
  #isWithinShares(tasks: number, bytes: number): boolean {
    // A single task may have any size, because otherwise it would never fit.
    if (this.#rows.size === 0) return true;
    const { maxTasks, maxBytes } = this.#limits;
    const counted = this.#bytes - this.#unfinished.excess;
    return this.#rows.size + tasks <= maxTasks && counted + bytes <= maxBytes;
  }

  #full(): A2AError {
    const { maxTasks, maxBytes } = this.#limits;
    const limits = `${maxTasks} tasks (maxTasks) and ${maxBytes} bytes (maxBytes)`;
    return new A2AError(
      'UNAVAILABLE',
      'The agent has no room for new tasks and messages until some of its unfinished tasks end',
      {
        retryAfterMs: RETRY_MS,
        cause: new Error(
          `The memory store is full: ${this.#rows.size} unfinished tasks take ${this.#bytes} bytes; the limits are ${limits}`,
        ),
      },
    );
  }
}
