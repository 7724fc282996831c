import type { Message } from '../../../model/message.ts';
import { isQueued } from '../../guard.ts';
import type {
  Idempotency,
  JournalEntry,
  KeptJournal,
  NewCall,
  NewEvent,
  NewTask,
  PushConfigRecord,
  Scope,
  TaskEvent,
  TaskRecord,
  TaskWrite,
} from '../../store.ts';
import { json } from '../../task-row.ts';
import type { KnownRequest, UnitOfWork } from '../../writes.ts';
import type { Database } from '../database.ts';
import type { Change } from '../hints/hint-payload.ts';
import type { Statement } from '../statements.ts';
import type { FoundTask } from '../task-row.ts';
import { CallRows, type KnownCalls } from './call-rows.ts';
import { type Changed, CHANGING, changingOf, inserts, isKept, updates, updatesWithSnapshot } from './changed-tasks.ts';
import { absence, commitProbe } from './commit-probe.ts';
import { type KnownPushConfigs, PushConfigRows } from './push-config-rows.ts';
import { RowBatch } from './row-batch.ts';

/** The data that was read and locked at the start of a transaction. */
export interface Locked {
  readonly tasks: ReadonlyMap<string, FoundTask>;
  /** By `requestName`. */
  readonly requests: ReadonlyMap<string, KnownRequest>;
  /** The id of the task, by `requestName` of its alias. */
  readonly aliases: ReadonlyMap<string, string>;
  /** The push configs of tasks to which the transaction adds one. */
  readonly pushConfigs: KnownPushConfigs;
  /** Those open calls that a write asks for. */
  readonly calls: KnownCalls;
  readonly livingNodes: ReadonlySet<string>;
}

interface NewRequest extends KnownRequest, Scope {
  readonly request: Idempotency;
}

export const EVENT_KINDS: readonly NewEvent['kind'][] = ['task', 'status', 'artifact'];

const NONE: ReadonlySet<string> = new Set();

export const NOTHING_LOCKED: Locked = {
  tasks: new Map(),
  requests: new Map(),
  aliases: new Map(),
  pushConfigs: new Map(),
  calls: new Map(),
  livingNodes: NONE,
};

/** The name of a key or an alias, unique across all scopes. */
export function requestName(scope: Scope, name: string): string {
  return `${name}\0${scope.tenant}\0${scope.owner}`;
}

/** The change of a task for watchers, without the writer. */
export type Progress = Pick<Change, 'isClaimable' | 'progress' | 'callsDue'>;

/** The result of a write, and its hint for watchers. */
export interface Written<T> {
  readonly result: T;
  /** Absent if nothing changed. */
  readonly hint: Progress | undefined;
}

const REMOVED: Omit<Progress, 'callsDue'> = { isClaimable: false, progress: undefined };

/**
 * The unit of work of one transaction. Each write works on the results of the earlier ones. At the end, a few statements store all
 * changes, regardless of the number of writes. The data of its tasks was locked and read before, or it is assumed and the
 * transaction checks it (`OptimisticTransaction`). The writes are the same in both cases.
 */
export class PostgresUnitOfWork implements UnitOfWork<FoundTask> {
  readonly #locked: Locked;
  readonly #now: number;
  readonly #changed = new Map<string, Changed>();
  readonly #requests = new Map<string, NewRequest>();
  readonly #aliases = new Map<string, string>();
  readonly #replies = new Map<string, Message>();
  readonly #endedJournals: string[] = [];
  readonly #reducedJournals = new Map<string, KeptJournal>();
  readonly #events = new RowBatch('event', { task_id: 'text', number: 'integer', kind: 'smallint', body: 'text' });
  readonly #messages = new RowBatch('message', { task_id: 'text', number: 'integer', body: 'text' });
  readonly #journal = new RowBatch('journal', {
    task_id: 'text',
    number: 'integer',
    kind: 'text',
    key: 'text',
    body: 'text',
    outline: 'text',
    sensitive: 'boolean',
  });
  readonly #pushConfigs: PushConfigRows;
  readonly #calls: CallRows;
  /** The hint of the current write. */
  #hint: Omit<Progress, 'callsDue'> | undefined;
  /** Whether the current write has added calls or made calls due. */
  #callsDue = false;

  /** @param now The time that decides whether a written task is due. */
  constructor(locked: Locked, now: number) {
    this.#locked = locked;
    this.#now = now;
    this.#pushConfigs = new PushConfigRows(locked.pushConfigs);
    this.#calls = new CallRows(locked.calls);
  }

  /** Runs one write, which changes at most one task. */
  run<T>(write: (unit: PostgresUnitOfWork) => T): Written<T> {
    this.#hint = undefined;
    this.#callsDue = false;
    return { result: write(this), hint: this.#lastHint() };
  }

  #lastHint(): Progress | undefined {
    return this.#hint && { ...this.#hint, callsDue: this.#callsDue };
  }

  find(taskId: string): FoundTask | undefined {
    const changed = this.#changed.get(taskId);
    return changed === undefined ? this.#locked.tasks.get(taskId) : changed.task;
  }

  findRequest(scope: Scope, key: string): KnownRequest | undefined {
    const name = requestName(scope, key);
    return this.#requests.get(name) ?? this.#locked.requests.get(name);
  }

  findAlias(scope: Scope, alias: string): string | undefined {
    const name = requestName(scope, alias);
    const id = this.#aliases.get(name) ?? this.#locked.aliases.get(name);
    // The alias of a removed task is free.
    const changed = id === undefined ? undefined : this.#changed.get(id);
    return changed !== undefined && changed.task === undefined ? undefined : id;
  }

  isAlive(node: string | undefined): boolean {
    return node !== undefined && this.#locked.livingNodes.has(node);
  }

  insert({ alias, message, event }: NewTask, record: TaskRecord): FoundTask {
    const task = { record, lastMessage: 1, seq: 0, version: undefined, queued: isQueued(record, this.#now) };
    this.#changed.set(record.id, { stored: undefined, alias, task });
    if (alias !== undefined) this.#aliases.set(requestName(record, alias), record.id);
    this.#messages.add(record.id, 1, JSON.stringify(message));
    const events = event === undefined ? [] : [event];
    this.#addEvents(record.id, 0, events);
    this.#hint = progressOf(record, events);
    return task;
  }

  addEvents({ record }: FoundTask, events: readonly NewEvent[]): void {
    this.#addEvents(record.id, record.lastEvent, events);
  }

  #addEvents(taskId: string, last: number, events: readonly NewEvent[]): void {
    let number = last;
    for (const { kind, body } of events) this.#events.add(taskId, ++number, EVENT_KINDS.indexOf(kind), body);
  }

  addMessages({ record, lastMessage }: FoundTask, messages: readonly Message[]): void {
    let number = lastMessage;
    for (const message of messages) this.#messages.add(record.id, ++number, JSON.stringify(message));
  }

  addJournal({ record }: FoundTask, entries: readonly JournalEntry[]): void {
    let number = record.lastJournal;
    for (const { kind, key, body, outline, sensitive = false } of entries) {
      const texts = [JSON.stringify(kind), JSON.stringify(key), JSON.stringify(body), json(outline)];
      this.#journal.add(record.id, ++number, ...texts, sensitive);
    }
  }

  dropJournal({ record }: FoundTask): void {
    this.#endedJournals.push(record.id);
  }

  reduceJournal({ record }: FoundTask, kept: KeptJournal): void {
    this.#reducedJournals.set(record.id, kept);
  }

  update(task: FoundTask, record: TaskRecord, { history = [], events = [], artifacts, guard }: TaskWrite): void {
    const changed = this.#change(task);
    const { seq, version } = task;
    const lastMessage = task.lastMessage + history.length;
    changed.task = { record, lastMessage, seq, version, queued: isQueued(record, this.#now) };
    if (artifacts !== undefined) changed.snapshot = { upTo: record.lastEvent, text: artifacts };
    // Only a write of the lease holder may leave the row, and with it the version, unchanged.
    if (guard.lease === undefined) changed.isRenewed = true;
    this.#hint = progressOf(record, events);
  }

  remove(task: FoundTask): void {
    this.#change(task).task = undefined;
    // A call comes with a journal entry. Most tasks have none.
    if (task.record.lastJournal > 0) this.#calls.removeOf(task.record.id);
    for (const [name, id] of this.#aliases) if (id === task.record.id) this.#aliases.delete(name);
    this.#hint = REMOVED;
  }

  rememberRequest({ record: { tenant, owner, id } }: FoundTask, request: Idempotency): void {
    const name = requestName({ tenant, owner }, request.key);
    this.#requests.set(name, { tenant, owner, request, digest: request.digest, taskId: id });
  }

  answerRequests({ record: { id } }: FoundTask, reply: Message): void {
    this.#replies.set(id, reply);
    for (const [name, request] of this.#requests) {
      if (request.taskId === id) this.#requests.set(name, { ...request, reply });
    }
  }

  hasCall({ record }: FoundTask, callId: string): boolean {
    return this.#calls.taskOf(callId) === record.id;
  }

  isCallOpen(callId: string): boolean {
    return this.#calls.taskOf(callId) !== undefined;
  }

  addCalls({ record }: FoundTask, calls: readonly NewCall[]): void {
    this.#callsDue = true;
    for (const call of calls) this.#calls.add(record, call);
  }

  removeCall(_task: FoundTask, callId: string): void {
    this.#calls.remove(callId);
  }

  makeCallsDue({ record }: FoundTask): void {
    this.#callsDue = true;
    this.#calls.makeDueOf(record.id);
  }

  makeCallDue(callId: string): void {
    this.#callsDue = true;
    this.#calls.makeDue(callId);
  }

  pushConfigCount({ record }: FoundTask): number {
    return this.#pushConfigs.count(record.id);
  }

  addPushConfig({ record }: FoundTask, config: PushConfigRecord, delivered: number): void {
    this.#pushConfigs.add(record.id, config, delivered);
  }

  replacePushConfig({ record }: FoundTask, config: PushConfigRecord): boolean {
    return this.#pushConfigs.replace(record, config);
  }

  makePushesDue({ record }: FoundTask): void {
    this.#pushConfigs.makeDue(record.id);
  }

  /** The statements that store all changes, in a valid order. */
  statements(database: Database): readonly Statement[] {
    const { schema } = database;
    const gone = this.#gone();
    const rows = [...this.#changed.values()].filter(({ task }) => task !== undefined);
    const ended = this.#endedJournals.filter((id) => !gone.has(id));
    return [
      ...removals(schema, [...gone], this.#replies),
      ended.length === 0 ? undefined : dropped(schema, 'journal', ended),
      inserts(schema, rows),
      updates(schema, rows),
      updatesWithSnapshot(schema, rows),
      this.#events.insert(schema, gone),
      this.#messages.insert(schema, gone),
      this.#journal.insert(schema, new Set([...gone, ...ended])),
      // After the entries of this transaction.
      ...this.#reductions(schema, gone),
      ...this.#pushConfigs.statements(database, gone),
      ...this.#calls.statements(database),
      requestRows([...this.#requests.values()], gone).insert(schema, NONE),
    ].filter((statement) => statement !== undefined);
  }

  /**
   * A query that finds a row of the transaction with this id, to learn whether it was committed. Undefined if there was nothing to
   * store. Prefers rows that do not change later.
   */
  commitProbe({ schema }: Database, transaction: string): Statement | undefined {
    const gone = this.#gone();
    const forgotten = new Set([...gone, ...this.#endedJournals, ...this.#reducedJournals.keys()]);
    const kept = [...this.#changed.values()].find(isKept);
    const removed = [...gone].find((id) => this.#locked.tasks.has(id));
    return (
      this.#messages.commitProbe(schema, gone, transaction) ??
      this.#events.commitProbe(schema, gone, transaction) ??
      this.#journal.commitProbe(schema, forgotten, transaction) ??
      (kept?.task && commitProbe(`${schema}.task`, CHANGING, changingOf(kept.task), transaction)) ??
      (removed === undefined ? undefined : absence(schema, removed)) ??
      requestRows([...this.#requests.values()], gone).commitProbe(schema, NONE, transaction)
    );
  }

  /** The task after the transaction, with the row version of the transaction. Undefined if the task has ended. */
  left(taskId: string, version: string): FoundTask | undefined {
    const changed = this.#changed.get(taskId);
    const task = changed?.task;
    if (changed === undefined || task === undefined || task.record.endedAt !== undefined) return undefined;
    if (changed.stored !== undefined && !isKept(changed)) return task;
    const { record, lastMessage, seq } = task;
    return { record, lastMessage, seq, version };
  }

  /** The tasks that the transaction removes. */
  #gone(): ReadonlySet<string> {
    const gone = new Set<string>();
    for (const [id, { task }] of this.#changed) if (task === undefined) gone.add(id);
    return gone;
  }

  #reductions(schema: string, gone: ReadonlySet<string>): readonly Statement[] {
    const idsOf = (kept: KeptJournal): readonly string[] =>
      [...this.#reducedJournals].flatMap(([id, how]) => (how === kept && !gone.has(id) ? [id] : []));
    const update = `UPDATE ${schema}.journal SET body = 'null' WHERE task_id = ANY($1::text[])`;
    return [
      { text: update, values: [idsOf('outline')] },
      { text: `${update} AND sensitive`, values: [idsOf('whole')] },
    ].filter(({ values: [ids] }) => ids?.length !== 0);
  }

  #change(task: FoundTask): Changed {
    const { id } = task.record;
    let changed = this.#changed.get(id);
    if (changed === undefined) {
      changed = { stored: this.#locked.tasks.get(id), alias: undefined, task };
      this.#changed.set(id, changed);
    }
    return changed;
  }
}

/** @param events The last events of the task. */
function progressOf(record: TaskRecord, events: readonly NewEvent[]): Omit<Progress, 'callsDue'> {
  const { lastEvent, endedAt, status } = record;
  const before = lastEvent - events.length;
  const numbered = events.map(({ kind, body }, i): TaskEvent => ({ number: before + i + 1, kind, body }));
  return {
    isClaimable: record.node === undefined && record.wakeAt !== undefined,
    progress: { lastEvent, endedAt, status, events: numbered },
  };
}

/** Removes tasks with all their data, except the keys of their requests, which expire separately. */
function removals(
  schema: string,
  gone: readonly string[],
  replies: ReadonlyMap<string, Message>,
): readonly Statement[] {
  if (gone.length === 0) return [];
  const answers = gone.map((id) => json(replies.get(id)));
  return [
    {
      text: `UPDATE ${schema}.request_key k SET has_task = false, reply = coalesce(v.reply, k.reply)
        FROM unnest($1::text[], $2::text[]) AS v(id, reply) WHERE k.task_id = v.id AND k.has_task`,
      values: [gone, answers],
    },
    ...['event', 'journal', 'message', 'push_config', 'dead_letter'].map((table) => dropped(schema, table, gone)),
    { text: `DELETE FROM ${schema}.task WHERE id = ANY($1::text[])`, values: [gone] },
  ];
}

function dropped(schema: string, table: string, taskIds: readonly string[]): Statement {
  return { text: `DELETE FROM ${schema}.${table} WHERE task_id = ANY($1::text[])`, values: [taskIds] };
}

function requestRows(made: readonly NewRequest[], gone: ReadonlySet<string>): RowBatch {
  const batch = new RowBatch('request_key', {
    task_id: 'text',
    tenant: 'text',
    owner: 'text',
    key: 'text',
    digest: 'text',
    has_task: 'boolean',
    keep_until: 'bigint',
    reply: 'text',
  });
  for (const { taskId, tenant, owner, request, digest, reply } of made) {
    batch.add(taskId, tenant, owner, request.key, digest, !gone.has(taskId), request.keepUntil, json(reply));
  }
  return batch;
}
