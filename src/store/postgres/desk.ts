import type { Message } from '../../model/message.ts';
import type {
  Idempotency,
  JournalEntry,
  NewEvent,
  PushConfigRecord,
  PushConfigToPut,
  Scope,
  TaskRecord,
} from '../store.ts';
import { isQueued } from '../guard.ts';
import type { Statement } from './statements.ts';
import type { Database } from './database.ts';
import { type Changed, CHANGING, changingOf, inserts, isKept, updates, updatesWithSnapshot } from './changed-tasks.ts';
import { type KnownPushConfigs, PushConfigRows } from './push-config-rows.ts';
import { RowBatch } from './row-batch.ts';
import { json, type FoundTask } from './task-row.ts';
import { absence, witnessOf } from './witness.ts';

/** What was read and locked at the start of a transaction. */
export interface Locked {
  readonly tasks: ReadonlyMap<string, FoundTask>;
  /** By `requestName`. */
  readonly requests: ReadonlyMap<string, KnownRequest>;
  /** By `requestName` of the alias: the id of its task. */
  readonly aliases: ReadonlyMap<string, string>;
  /** Of the tasks for which one is put. */
  readonly pushConfigs: KnownPushConfigs;
  readonly livingNodes: ReadonlySet<string>;
}

export interface KnownRequest {
  readonly digest: string;
  readonly taskId: string;
  readonly reply?: Message;
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
  livingNodes: NONE,
};

/** The name of a key or an alias within the whole store. */
export function requestName(scope: Scope, name: string): string {
  return `${name}\0${scope.tenant}\0${scope.owner}`;
}

/**
 * One transaction, as its writes see it: each works on what those before it have left, and at the end all changes are
 * stored by a few statements, however many writes there are.
 */
export class Desk {
  readonly #locked: Locked;
  readonly #now: number;
  readonly #changed = new Map<string, Changed>();
  readonly #requests = new Map<string, NewRequest>();
  readonly #aliases = new Map<string, string>();
  readonly #replies = new Map<string, Message>();
  readonly #endedJournals: string[] = [];
  readonly #events = new RowBatch('event', { task_id: 'text', number: 'integer', kind: 'smallint', body: 'text' });
  readonly #messages = new RowBatch('message', { task_id: 'text', number: 'integer', body: 'text' });
  readonly #journal = new RowBatch('journal', {
    task_id: 'text',
    number: 'integer',
    kind: 'text',
    key: 'text',
    body: 'text',
  });
  readonly #pushConfigs: PushConfigRows;

  /** @param now The time by which a task counts as due when it is written. */
  constructor(locked: Locked, now: number) {
    this.#locked = locked;
    this.#now = now;
    this.#pushConfigs = new PushConfigRows(locked.pushConfigs);
  }

  find(id: string): FoundTask | undefined {
    const changed = this.#changed.get(id);
    return changed === undefined ? this.#locked.tasks.get(id) : changed.task;
  }

  isAlive(node: string | undefined): boolean {
    return node !== undefined && this.#locked.livingNodes.has(node);
  }

  insert(record: TaskRecord, alias: string | undefined): void {
    const task = { record, lastMessage: 1, seq: 0, version: undefined, queued: isQueued(record, this.#now) };
    this.#changed.set(record.id, { stored: undefined, alias, task });
    if (alias !== undefined) this.#aliases.set(requestName(record, alias), record.id);
  }

  /** @param isHolders Whether who runs the task writes. What others write gives its row a new version in any case. */
  update(task: FoundTask, record: TaskRecord, lastMessage: number, isHolders: boolean): void {
    const changed = this.#change(task);
    const { seq, version } = task;
    changed.task = { record, lastMessage, seq, version, queued: isQueued(record, this.#now) };
    if (!isHolders) changed.isRenewed = true;
  }

  remove(task: FoundTask): void {
    this.#change(task).task = undefined;
    for (const [name, id] of this.#aliases) if (id === task.record.id) this.#aliases.delete(name);
  }

  snapshot(task: FoundTask, upTo: number, text: string): void {
    this.#change(task).snapshot = { upTo, text };
  }

  addEvents(taskId: string, last: number, events: readonly NewEvent[]): void {
    let number = last;
    for (const { kind, body } of events) this.#events.add(taskId, ++number, EVENT_KINDS.indexOf(kind), body);
  }

  addMessages(taskId: string, last: number, messages: readonly Message[]): void {
    let number = last;
    for (const message of messages) this.#messages.add(taskId, ++number, JSON.stringify(message));
  }

  addJournal(taskId: string, last: number, entries: readonly JournalEntry[]): void {
    let number = last;
    for (const { kind, key, body } of entries) {
      this.#journal.add(taskId, ++number, JSON.stringify(kind), JSON.stringify(key), JSON.stringify(body));
    }
  }

  /** Of a task that ends: what it remembers is of no more use. */
  dropJournal(taskId: string): void {
    this.#endedJournals.push(taskId);
  }

  /** The first one of a task, which is told of everything. */
  addPushConfig(taskId: string, record: PushConfigRecord): void {
    this.#pushConfigs.addFirst(taskId, record);
  }

  /** Says whether there is room for it. It is told of what comes after the last event that is given. */
  putPushConfig(taskId: string, config: PushConfigToPut, told: number): boolean {
    return this.#pushConfigs.put(taskId, config, told);
  }

  /** Events have come to a task that has push configurations. */
  makePushesDue(taskId: string): void {
    this.#pushConfigs.makeDue(taskId);
  }

  requestOf(scope: Scope, key: string): KnownRequest | undefined {
    const name = requestName(scope, key);
    return this.#requests.get(name) ?? this.#locked.requests.get(name);
  }

  remember({ tenant, owner, id }: TaskRecord, request: Idempotency): void {
    const name = requestName({ tenant, owner }, request.key);
    this.#requests.set(name, { tenant, owner, request, digest: request.digest, taskId: id });
  }

  /** The message becomes the outcome of the requests of a task. */
  answerRequests(taskId: string, reply: Message): void {
    this.#replies.set(taskId, reply);
    for (const [name, request] of this.#requests) {
      if (request.taskId === taskId) this.#requests.set(name, { ...request, reply });
    }
  }

  aliasOwner(scope: Scope, alias: string): string | undefined {
    const name = requestName(scope, alias);
    const id = this.#aliases.get(name) ?? this.#locked.aliases.get(name);
    // A task that is gone has left its name to others.
    const changed = id === undefined ? undefined : this.#changed.get(id);
    return changed !== undefined && changed.task === undefined ? undefined : id;
  }

  /** What stores all of it, in an order that suits. */
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
      ...this.#pushConfigs.statements(database, gone),
      requestRows([...this.#requests.values()], gone).insert(schema, NONE),
    ].filter((statement) => statement !== undefined);
  }

  /**
   * What finds something that the transaction with this number has stored, if it has; nothing if there was nothing to
   * store. First come rows that nobody changes later.
   */
  witness({ schema }: Database, transaction: string): Statement | undefined {
    const gone = this.#gone();
    const forgotten = new Set([...gone, ...this.#endedJournals]);
    const kept = [...this.#changed.values()].find(isKept);
    const removed = [...gone].find((id) => this.#locked.tasks.has(id));
    return (
      this.#messages.witness(schema, gone, transaction) ??
      this.#events.witness(schema, gone, transaction) ??
      this.#journal.witness(schema, forgotten, transaction) ??
      (kept?.task && witnessOf(`${schema}.task`, CHANGING, changingOf(kept.task), transaction)) ??
      (removed === undefined ? undefined : absence(schema, removed)) ??
      requestRows([...this.#requests.values()], gone).witness(schema, NONE, transaction)
    );
  }

  /** A task as a transaction leaves it that gives rows this version; nothing if the task is over. */
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

/** Tasks go with all that belongs to them but their requests, which have their own time. */
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
