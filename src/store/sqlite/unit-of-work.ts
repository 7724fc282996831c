import type { Message } from '../../model/message.ts';
import type { Writable } from '../../support/writable.ts';
import type {
  Idempotency,
  JournalEntry,
  NewEvent,
  NewTask,
  PushConfigRecord,
  Scope,
  TaskRecord,
  TaskWrite,
} from '../store.ts';
import type { KnownRequest, PushConfigUnit } from '../writes.ts';
import type { SqliteContext } from './context.ts';
import { beginAnew, makePushesDue } from './outbox.ts';
import * as pushConfigs from './push-configs.ts';
import { answerRequests, findRequest, releaseRequests, rememberRequest } from './request-key.ts';
import { insertEvents } from './task-events.ts';
import { dropJournal, dropLog, insertJournal, insertMessage, insertMessages, saveSnapshot } from './task-log.ts';
import { fitsInRow, type FoundTask } from './task-row.ts';
import type { RowParts } from './tasks.ts';

/** The result of a write, and the task before and after it if it changed. */
export interface Written<T> {
  readonly result: T;
  readonly before: TaskRecord | undefined;
  readonly after: TaskRecord | undefined;
}

const BY_ALIAS = 'SELECT id FROM task WHERE tenant = ? AND owner = ? AND alias = ?';

/** The unit of work of the current transaction. */
export class SqliteUnitOfWork implements PushConfigUnit<FoundTask> {
  readonly #context: SqliteContext;
  /** The records of the task that the current write changes. */
  #before: TaskRecord | undefined;
  #after: TaskRecord | undefined;

  constructor(context: SqliteContext) {
    this.#context = context;
  }

  /** Runs one write, which changes at most one task. */
  run<T>(write: (unit: SqliteUnitOfWork) => T): Written<T> {
    this.#before = undefined;
    this.#after = undefined;
    return { result: write(this), before: this.#before, after: this.#after };
  }

  find(taskId: string): FoundTask | undefined {
    return this.#context.tasks.find(taskId);
  }

  findRequest(scope: Scope, key: string): KnownRequest | undefined {
    return findRequest(this.#context.connection, scope, key);
  }

  findAlias({ tenant, owner }: Scope, alias: string): string | undefined {
    return (this.#context.connection.get(BY_ALIAS, tenant, owner, alias) as readonly [id: string] | undefined)?.[0];
  }

  isAlive(node: string | undefined): boolean {
    return this.#context.nodes.isAlive(node);
  }

  insert(task: NewTask, record: TaskRecord): FoundTask {
    const { connection, tasks, nodes } = this.#context;
    this.#after = record;
    if (task.node !== undefined) nodes.meet(task.node);
    const message = JSON.stringify(task.message);
    const created = tasks.insert(record, fitsInRow(message) ? message : null, task.alias);
    if (created.message === null) insertMessage(connection, created.pk, 1, message);
    if (task.event !== undefined) insertEvents(connection, created.pk, 0, [task.event]);
    return created;
  }

  addEvents({ pk, record }: FoundTask, events: readonly NewEvent[]): void {
    insertEvents(this.#context.connection, pk, record.lastEvent, events);
  }

  addMessages({ pk, lastMessage }: FoundTask, messages: readonly Message[]): void {
    insertMessages(this.#context.connection, pk, lastMessage, messages);
  }

  addJournal({ pk, record }: FoundTask, entries: readonly JournalEntry[]): void {
    insertJournal(this.#context.connection, pk, record.lastJournal, entries);
  }

  dropJournal({ pk }: FoundTask): void {
    dropJournal(this.#context.connection, pk);
  }

  update(task: FoundTask, record: TaskRecord, { history, artifacts }: TaskWrite): void {
    this.#before = task.record;
    this.#after = record;
    const { connection, tasks } = this.#context;
    const parts: Writable<RowParts> = {};
    if (history !== undefined) parts.lastMessage = task.lastMessage + history.length;
    if (artifacts !== undefined) {
      if (record.endedAt !== undefined && fitsInRow(artifacts)) parts.artifacts = artifacts;
      else saveSnapshot(connection, task.pk, record.lastEvent, artifacts);
    }
    tasks.update(task, record, parts);
  }

  remove(task: FoundTask): void {
    this.#before = task.record;
    const { connection, tasks } = this.#context;
    dropLog(connection, task.pk);
    releaseRequests(connection, task.pk);
    tasks.remove(task);
  }

  rememberRequest(task: FoundTask, request: Idempotency): void {
    rememberRequest(this.#context.connection, task, request);
  }

  answerRequests({ pk }: FoundTask, reply: Message): void {
    answerRequests(this.#context.connection, pk, reply);
  }

  pushConfigCount({ pk }: FoundTask): number {
    return pushConfigs.countPushConfigs(this.#context.connection, pk);
  }

  addPushConfig({ pk }: FoundTask, config: PushConfigRecord, delivered: number): void {
    // The trigger that deletes it with its task needs the row of the task.
    this.#context.tasks.save();
    pushConfigs.insertPushConfig(this.#context.connection, pk, config, delivered);
  }

  replacePushConfig(task: FoundTask, config: PushConfigRecord): boolean {
    const isReplaced = pushConfigs.replacePushConfig(this.#context.connection, task.pk, config);
    if (isReplaced) beginAnew(this.#context, task, config.id);
    return isReplaced;
  }

  makePushesDue({ pk }: FoundTask): void {
    makePushesDue(this.#context, pk);
  }

  readPushConfig(task: FoundTask, id: string): PushConfigRecord {
    const [config] = pushConfigs.readPushConfigs(this.#context.connection, task, { id, limit: 1 });
    if (config === undefined) throw new Error(`There is no push config ${id}`);
    return config;
  }

  replaceRecord(task: FoundTask, record: TaskRecord): void {
    this.#context.tasks.update(task, record);
  }

  removePushConfig({ pk }: FoundTask, id: string): boolean {
    return pushConfigs.removePushConfig(this.#context.connection, pk, id);
  }
}
