import type { Message } from '../../model/message.ts';
import type { Writable } from '../../support/writable.ts';
import type {
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
import { receiverOf } from '../push-shares.ts';
import type { KnownRequest, PushConfigUnit } from '../writes.ts';
import type { SqliteContext } from './context.ts';
import { type Connection, getNumber } from './database/connection.ts';
import { beginAnew } from './outbox.ts';
import { readPushConfigs } from './push-configs.ts';
import { findRequest } from './request-key.ts';
import { insertEvents } from './task-events.ts';
import { insertMessages, packMessages } from './task-history.ts';
import { fitsInRow, type FoundTask } from './task-row.ts';
import type { RowParts } from './tasks.ts';

/** The result of a write, and the task before and after it if it changed. */
export interface Written<T> {
  readonly result: T;
  readonly before: TaskRecord | undefined;
  readonly after: TaskRecord | undefined;
  /** Whether it has added calls or made calls due. */
  readonly callsDue: boolean;
}

const ADD_ENTRY =
  'INSERT INTO journal (task_pk, number, kind, key, body, outline, sensitive) VALUES (?, ?, ?, ?, ?, ?, ?)';
const SAVE_SNAPSHOT = 'INSERT OR REPLACE INTO artifact VALUES (?, ?, ?)';
const DROP_JOURNAL = 'DELETE FROM journal WHERE task_pk = ?';
const REDUCE_JOURNAL = {
  outline: "UPDATE journal SET body = 'null' WHERE task_pk = ?",
  whole: "UPDATE journal SET body = 'null' WHERE task_pk = ? AND sensitive = 1",
} as const satisfies Readonly<Record<KeptJournal, string>>;
/** Everything that no trigger removes with the row of its task. */
const DROP_ALL = [
  'DELETE FROM event WHERE task_pk = ?',
  DROP_JOURNAL,
  'DELETE FROM message WHERE task_pk = ?',
  'DELETE FROM artifact WHERE task_pk = ?',
  'UPDATE request_key SET task_pk = NULL WHERE task_pk = ?',
];
const ADD_REQUEST = 'INSERT INTO request_key VALUES (?, ?, ?, ?, ?, ?, ?, NULL)';
const ANSWER_REQUESTS = 'UPDATE request_key SET reply = ? WHERE task_pk = ?';
const COUNT_CONFIGS = 'SELECT count(*) FROM push_config WHERE task_pk = ?';
const ADD_CONFIG = `INSERT INTO push_config (task_pk, number, id, dialect, created_at, config, receiver, told)
  VALUES (?, (SELECT ifnull(max(number), 0) + 1 FROM push_config WHERE task_pk = ?), ?, ?, ?, ?, ?, ?)`;
const REPLACE_CONFIG = `UPDATE push_config SET dialect = ?, config = ?, receiver = ? WHERE task_pk = ? AND id = ?
  RETURNING 1`;
const REMOVE_CONFIG = 'DELETE FROM push_config WHERE task_pk = ? AND id = ? RETURNING 1';
const MAKE_DUE = 'UPDATE push_config SET due_at = ? WHERE task_pk = ? AND due_at IS NULL AND disabled IS NULL';
const HAS_CALL = 'SELECT 1 FROM call WHERE id = ? AND task_id = ? AND failed IS NULL';
const IS_CALL_OPEN = 'SELECT 1 FROM call WHERE id = ? AND failed IS NULL';
const ADD_CALL = `INSERT INTO call (id, task_id, tenant, owner, agent, created_at, due_at, request)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;
const REMOVE_CALL = 'DELETE FROM call WHERE id = ?';
const IF_LATER = 'AND failed IS NULL AND (due_at IS NULL OR due_at > ?)';
const MAKE_CALLS_DUE = `UPDATE call SET due_at = ? WHERE task_id = ? ${IF_LATER}`;
const MAKE_CALL_DUE = `UPDATE call SET due_at = ? WHERE id = ? ${IF_LATER}`;
const BY_ALIAS = 'SELECT id FROM task WHERE tenant = ? AND owner = ? AND alias = ?';

/** The unit of work of the current transaction. */
export class SqliteUnitOfWork implements PushConfigUnit<FoundTask> {
  readonly #context: SqliteContext;
  readonly #connection: Connection;
  /** The records of the task that the current write changes. */
  #before: TaskRecord | undefined;
  #after: TaskRecord | undefined;
  #callsDue = false;

  constructor(context: SqliteContext) {
    this.#context = context;
    this.#connection = context.connection;
  }

  /** Runs one write, which changes at most one task. */
  run<T>(write: (unit: SqliteUnitOfWork) => T): Written<T> {
    this.#before = undefined;
    this.#after = undefined;
    this.#callsDue = false;
    return { result: write(this), before: this.#before, after: this.#after, callsDue: this.#callsDue };
  }

  find(taskId: string): FoundTask | undefined {
    return this.#context.tasks.find(taskId);
  }

  findRequest(scope: Scope, key: string): KnownRequest | undefined {
    return findRequest(this.#connection, scope, key);
  }

  findAlias({ tenant, owner }: Scope, alias: string): string | undefined {
    return (this.#connection.get(BY_ALIAS, tenant, owner, alias) as readonly [id: string] | undefined)?.[0];
  }

  isAlive(node: string | undefined): boolean {
    return this.#context.nodes.isAlive(node);
  }

  insert(task: NewTask, record: TaskRecord): FoundTask {
    const { tasks, nodes } = this.#context;
    this.#after = record;
    if (task.node !== undefined) nodes.meet(task.node);
    const message = JSON.stringify(task.message);
    const created = tasks.insert(record, fitsInRow(message) ? message : null, task.alias);
    if (created.message === null) insertMessages(this.#connection, created.pk, 0, [message]);
    if (task.event !== undefined) insertEvents(this.#connection, created.pk, 0, [task.event]);
    return created;
  }

  addEvents({ pk, record }: FoundTask, events: readonly NewEvent[]): void {
    insertEvents(this.#connection, pk, record.lastEvent, events);
  }

  addMessages({ pk, lastMessage }: FoundTask, messages: readonly Message[]): void {
    const texts = messages.map((message) => JSON.stringify(message));
    insertMessages(this.#connection, pk, lastMessage, texts);
  }

  addJournal({ pk, record }: FoundTask, entries: readonly JournalEntry[]): void {
    let number = record.lastJournal;
    for (const { kind, key, body, outline, sensitive } of entries) {
      number += 1;
      const texts = [JSON.stringify(kind), JSON.stringify(key), JSON.stringify(body)];
      const kept = outline === undefined ? null : JSON.stringify(outline);
      this.#connection.run(ADD_ENTRY, pk, number, ...texts, kept, sensitive === true ? 1 : 0);
    }
  }

  dropJournal({ pk }: FoundTask): void {
    this.#connection.run(DROP_JOURNAL, pk);
  }

  reduceJournal({ pk }: FoundTask, kept: KeptJournal): void {
    this.#connection.run(REDUCE_JOURNAL[kept], pk);
  }

  update(task: FoundTask, record: TaskRecord, { history, artifacts }: TaskWrite): void {
    this.#before = task.record;
    this.#after = record;
    const parts: Writable<RowParts> = {};
    if (history !== undefined) parts.lastMessage = task.lastMessage + history.length;
    if (artifacts !== undefined) {
      if (record.endedAt !== undefined && fitsInRow(artifacts)) parts.artifacts = artifacts;
      else this.#connection.run(SAVE_SNAPSHOT, task.pk, record.lastEvent, artifacts);
    }
    if (record.endedAt !== undefined) {
      packMessages(this.#connection, task.pk, parts.lastMessage ?? task.lastMessage, record);
    }
    this.#context.tasks.update(task, record, parts);
  }

  remove(task: FoundTask): void {
    this.#before = task.record;
    for (const statement of DROP_ALL) this.#connection.run(statement, task.pk);
    this.#context.tasks.remove(task);
  }

  rememberRequest({ pk, record }: FoundTask, { key, digest, keepUntil }: Idempotency): void {
    this.#connection.run(ADD_REQUEST, record.tenant, record.owner, key, digest, record.id, pk, keepUntil);
  }

  answerRequests({ pk }: FoundTask, reply: Message): void {
    this.#connection.run(ANSWER_REQUESTS, JSON.stringify(reply), pk);
  }

  pushConfigCount({ pk }: FoundTask): number {
    return getNumber(this.#connection, COUNT_CONFIGS, pk);
  }

  addPushConfig({ pk }: FoundTask, config: PushConfigRecord, delivered: number): void {
    // The trigger that deletes it with its task needs the row of the task.
    this.#context.tasks.save();
    const { id, dialect, createdAt } = config;
    const [json, receiver] = [JSON.stringify(config.config), receiverOf(config)];
    this.#connection.run(ADD_CONFIG, pk, pk, id, dialect, createdAt, json, receiver, delivered);
  }

  replacePushConfig(task: FoundTask, config: PushConfigRecord): boolean {
    const values = [config.dialect, JSON.stringify(config.config), receiverOf(config), task.pk, config.id];
    const isReplaced = this.#connection.get(REPLACE_CONFIG, ...values) !== undefined;
    if (isReplaced) beginAnew(this.#context, task, config.id);
    return isReplaced;
  }

  hasCall({ record }: FoundTask, callId: string): boolean {
    return this.#connection.get(HAS_CALL, callId, record.id) !== undefined;
  }

  isCallOpen(callId: string): boolean {
    return this.#connection.get(IS_CALL_OPEN, callId) !== undefined;
  }

  addCalls({ record: { id: taskId, tenant, owner, agent } }: FoundTask, calls: readonly NewCall[]): void {
    this.#callsDue = true;
    // The trigger that deletes them with their task needs the row of the task.
    this.#context.tasks.save();
    const now = this.#context.clock.now();
    for (const { id, request, dueAt } of calls)
      this.#connection.run(ADD_CALL, id, taskId, tenant, owner, agent, now, dueAt, JSON.stringify(request));
  }

  removeCall(_task: FoundTask, callId: string): void {
    this.#connection.run(REMOVE_CALL, callId);
  }

  makeCallsDue({ record }: FoundTask): void {
    this.#callsDue = true;
    const now = this.#context.clock.now();
    this.#connection.run(MAKE_CALLS_DUE, now, record.id, now);
  }

  makeCallDue(callId: string): void {
    this.#callsDue = true;
    const now = this.#context.clock.now();
    this.#connection.run(MAKE_CALL_DUE, now, callId, now);
  }

  makePushesDue({ pk }: FoundTask): void {
    this.#connection.run(MAKE_DUE, this.#context.clock.now(), pk);
  }

  readPushConfig(task: FoundTask, id: string): PushConfigRecord {
    const [config] = readPushConfigs(this.#connection, task, { id, limit: 1 });
    if (config === undefined) throw new Error(`There is no push config ${id}`);
    return config;
  }

  replaceRecord(task: FoundTask, record: TaskRecord): void {
    this.#context.tasks.update(task, record);
  }

  removePushConfig({ pk }: FoundTask, id: string): boolean {
    return this.#connection.get(REMOVE_CONFIG, pk, id) !== undefined;
  }
}
