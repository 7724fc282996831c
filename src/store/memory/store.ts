import { A2AError } from '../../errors.ts';
import type { Message } from '../../model/message.ts';
import type { Clock } from '../../support/time/clock.ts';
import { jsonSize } from '../../support/json/json-size.ts';
import { steadyClock } from '../../support/time/steady-clock.ts';
import { guardHolds, recordAfter, withPushed } from '../guard.ts';
import type {
  Appended,
  ClaimedPush,
  ClaimRequest,
  Created,
  DeadLetterQuery,
  DeadLetterRecord,
  JournalRecord,
  Lease,
  NewTask,
  PushClaimRequest,
  PushConfigName,
  PushConfigPut,
  PushConfigQuery,
  PushConfigRecord,
  PushNoted,
  Purged,
  PushReport,
  ReadParts,
  RetentionPolicy,
  Scope,
  Store,
  StoredTask,
  TaskEvent,
  TaskPage,
  TaskQuery,
  TaskRecord,
  TaskWrite,
  UnfinishedTasks,
  WatchListener,
} from '../store.ts';
import { boundedPage } from '../page.ts';
import { claimedBy, suspectsOf } from '../suspects.ts';
import { notifyWatchers } from '../watchers.ts';
import { EndedQueue } from './ended-queue.ts';
import type { MemoryStoreOptions } from './options.ts';
import { PushConfigs } from './push-configs.ts';
import { PushQueue } from './push-queue.ts';
import { type RequestKey, requestKey, RequestKeys, scoped } from './request-keys.ts';
import { addNumbered, bytesOf, dropEvents, dropJournal, endTime, newRow, type Row, stored } from './row.ts';
import { TaskIndex } from './task-index.ts';
import { RETRY_MS, UnfinishedBytes } from './unfinished-bytes.ts';
import { WakeIndex } from './wake-index.ts';

export type { MemoryStoreOptions };

/** Most requests create a task; some are follow-ups. */
const KEYS_PER_TASK = 4;

const MAX_BYTES = 256 * 2 ** 20;
const KEYS_PART = 4;

/**
 * Creates a store in the memory of this process. All tasks are lost when the process ends. It is the reference for the behaviour
 * of all other stores.
 *
 * @example
 * const handler = createHandler(agent, { store: memoryStore({ maxTasks: 1000 }) });
 */
export function memoryStore(options: MemoryStoreOptions = {}): Store {
  return new MemoryStore(options);
}

/** Every method runs synchronously, so each one is a transaction. */
class MemoryStore implements Store {
  readonly isVolatile = true;
  readonly #clock: Clock;
  readonly #maxTasks: number;
  readonly #maxBytes: number;
  readonly #rows = new Map<string, Row>();
  readonly #index = new TaskIndex<Row>();
  readonly #wakes = new WakeIndex<Row>();
  readonly #ended = new EndedQueue<Row>();
  readonly #keys: RequestKeys;
  readonly #aliases = new Map<string, string>();
  readonly #nodes = new Map<string, number>();
  readonly #watchers = new Set<WatchListener>();
  readonly #pushes: PushQueue;
  #created = 0;
  /** The size of all rows. */
  #bytes = 0;
  readonly #unfinished: UnfinishedBytes;

  constructor({ clock = steadyClock, maxTasks = 100_000, maxBytes = MAX_BYTES }: MemoryStoreOptions) {
    this.#clock = clock;
    this.#maxTasks = maxTasks;
    this.#maxBytes = maxBytes;
    this.#unfinished = new UnfinishedBytes(maxBytes);
    this.#pushes = new PushQueue(clock, (node) => this.#isAlive(node));
    this.#keys = new RequestKeys(maxTasks * KEYS_PER_TASK, maxBytes / KEYS_PART);
  }

  async create(task: NewTask, accepted?: (record: TaskRecord) => void): Promise<Created> {
    const key = requestKey(task, task.id, task.idempotency);
    const known = key && this.#keys.find(key);
    if (known !== undefined) return known;
    const taken = task.alias === undefined ? undefined : this.#aliases.get(scoped(task, task.alias));
    if (taken !== undefined) return { kind: 'alias-taken', taskId: taken };
    if (this.#rows.has(task.id)) throw new A2AError('INTERNAL_ERROR', `Task ${task.id} already exists`);
    const row = newRow(task, (this.#created += 1));
    this.#assertRoom(task, 1, bytesOf(row));
    this.#rows.set(task.id, row);
    this.#index.add(row);
    this.#wakes.add(row);
    if (task.alias !== undefined) this.#aliases.set(scoped(task, task.alias), task.id);
    this.#remember(row, key);
    if (task.pushConfig !== undefined) {
      this.#pushConfigsOf(row).add(task.pushConfig, 0);
      if (task.event !== undefined) row.pushConfigs?.makeDue();
    }
    this.#count(row, 0);
    this.#tell(task.id, task.node);
    const { record } = row;
    accepted?.(record);
    return { kind: 'created', record };
  }

  async append(write: TaskWrite): Promise<Appended> {
    const row = this.#rows.get(write.taskId);
    if (row === undefined) return { kind: 'rejected' };
    const before = row.record;
    const key = requestKey(before, write.taskId, write.idempotency);
    const known = key && this.#keys.find(key);
    if (known !== undefined) return known;
    if (!guardHolds(write.guard, before, this.#isAlive(before.node))) return { kind: 'rejected', record: before };
    // Outputs of runs are always stored: they have their own limit, and the run could not store them elsewhere.
    const isCallers = write.guard.lease === undefined && write.historyBytes !== undefined;
    if (isCallers) this.#assertRoom(before, 0, write.historyBytes);
    const held = bytesOf(row);
    if (write.pushConfig !== undefined) {
      const { record, max } = write.pushConfig;
      if (this.#pushConfigsOf(row).put(record, max).kind === 'full') return { kind: 'full' };
    }
    addNumbered(row, before, write);
    if (write.history !== undefined) row.history.push(...write.history);
    const after = recordAfter(before, write);
    if (write.artifacts !== undefined) row.artifacts = { snapshot: write.artifacts, upTo: after.lastEvent };
    if (write.status !== undefined)
      row.statusBytes = write.status.message === undefined ? 0 : jsonSize(write.status.message);
    this.#replace(row, after);
    if (after.endedAt !== undefined) dropJournal(row);
    this.#count(row, held, before);
    this.#makeRoom(0, 0);
    if (after.endedAt !== undefined) this.#ended.add(row);
    if (after.lastEvent > before.lastEvent) row.pushConfigs?.makeDue();
    this.#remember(row, key);
    this.#tell(write.taskId, write.by);
    return { kind: 'appended', record: after, firstEvent: before.lastEvent + 1 };
  }

  async dropForReply(taskId: string, lease: Lease, reply: Message): Promise<boolean> {
    const row = this.#rows.get(taskId);
    if (row === undefined || row.record.visible || !guardHolds({ lease }, row.record, true)) return false;
    this.#keys.answer(row.lastKey, reply);
    this.#remove(row);
    this.#tell(taskId, lease.node);
    return true;
  }

  async read(scope: Scope, taskId: string, parts: ReadParts = {}): Promise<StoredTask | undefined> {
    const row = this.#owned(scope, taskId);
    return row && stored(row, parts);
  }

  async resolveAlias(scope: Scope, alias: string): Promise<string | undefined> {
    return this.#aliases.get(scoped(scope, alias));
  }

  async list(scope: Scope, query: TaskQuery): Promise<TaskPage> {
    const { rows, total } = this.#index.page(scope, query);
    return boundedPage(rows, total, query.pageBytes, (row) => stored(row, query));
  }

  async events(taskId: string, after: number, limit: number): Promise<readonly TaskEvent[]> {
    const events = this.#rows.get(taskId)?.events ?? [];
    // Retention removes all events or none, so they start at 1.
    return events.slice(after, after + limit);
  }

  async journal(taskId: string, after = 0): Promise<readonly JournalRecord[]> {
    return this.#rows.get(taskId)?.journal.slice(after) ?? [];
  }

  async putPushConfig(
    scope: Scope,
    taskId: string,
    config: PushConfigRecord,
    max: number,
  ): Promise<PushConfigPut | undefined> {
    const row = this.#shown(scope, taskId);
    if (row === undefined) return undefined;
    const held = bytesOf(row);
    const put = this.#pushConfigsOf(row).put(config, max);
    this.#count(row, held);
    if (row.record.pushed !== true && put.kind === 'stored') this.#replace(row, withPushed(row.record, true));
    return put;
  }

  async pushConfigs(
    scope: Scope,
    taskId: string,
    query: PushConfigQuery,
  ): Promise<readonly PushConfigRecord[] | undefined> {
    const row = this.#shown(scope, taskId);
    return row && (row.pushConfigs?.page(query) ?? []);
  }

  async deletePushConfig(scope: Scope, taskId: string, id: string): Promise<boolean | undefined> {
    const row = this.#shown(scope, taskId);
    if (row === undefined) return undefined;
    const held = bytesOf(row);
    const isDeleted = row.pushConfigs?.delete(id) ?? false;
    this.#count(row, held);
    if (isDeleted && row.pushConfigs?.size === 0) this.#replace(row, withPushed(row.record, false));
    return isDeleted;
  }

  async claimPushes(request: PushClaimRequest): Promise<readonly ClaimedPush[]> {
    return this.#pushes.claim(request);
  }

  async nextPush(agents: readonly string[]): Promise<number | undefined> {
    return this.#pushes.next(agents);
  }

  async notePush(report: PushReport): Promise<PushNoted | undefined> {
    const entry = this.#rows.get(report.taskId)?.pushConfigs?.get(report.configId);
    return entry && this.#pushes.note(entry, report);
  }

  async resumePush({ taskId, configId }: PushConfigName): Promise<boolean> {
    const entry = this.#rows.get(taskId)?.pushConfigs?.get(configId);
    if (entry !== undefined && entry.node === undefined) this.#pushes.resume(entry);
    return entry !== undefined;
  }

  async deadLetters(query: DeadLetterQuery): Promise<readonly DeadLetterRecord[]> {
    return this.#pushes.letters.page(query);
  }

  async dropDeadLetter(id: string): Promise<boolean> {
    return this.#pushes.letters.remove(id);
  }

  async claim(request: ClaimRequest): Promise<readonly TaskRecord[]> {
    const { node, agents, limit, taskId } = request;
    const now = this.#clock.now();
    this.#freeTasksOfDeadNodes(now);
    const due = taskId === undefined ? this.#wakes.claim(request, now) : this.#dueRow(taskId, agents, now, limit);
    return due.map((row) => {
      const record = claimedBy(node, row.record);
      this.#replace(row, record);
      return record;
    });
  }

  #freeTasksOfDeadNodes(now: number): void {
    for (const rows of this.#wakes.ofDeadNodes((holder) => this.#isAlive(holder))) {
      const suspects = suspectsOf(
        rows.map(({ record }) => record),
        now,
      );
      for (const [i, row] of rows.entries()) this.#replace(row, suspects[i] ?? row.record);
    }
  }

  async nextWake(agents: readonly string[], after?: number): Promise<number | undefined> {
    return this.#wakes.next(agents, (node) => this.#isAlive(node), after);
  }

  async heartbeat(node: string, ttlMs: number): Promise<void> {
    this.#nodes.set(node, this.#clock.now() + ttlMs);
  }

  async retire(node: string): Promise<void> {
    this.#nodes.delete(node);
  }

  async prune(policy: RetentionPolicy): Promise<number> {
    const ended = this.#ended.all().sort((a, b) => endTime(a.record) - endTime(b.record));
    const surplus = ended.length - policy.keepEnded;
    const gone = ended
      .filter(({ record }, i) => i < surplus || endTime(record) < policy.endedBefore)
      .slice(0, policy.limit);
    for (const row of gone) this.#remove(row);
    for (const row of ended) {
      if (endTime(row.record) >= policy.eventsEndedBefore || row.pushConfigs?.isDue === true) continue;
      // Rows that were just removed are no longer counted.
      if (this.#rows.has(row.record.id)) this.#bytes -= row.eventBytes;
      dropEvents(row);
    }
    this.#pushes.letters.keep(policy.keepDeadLetters ?? Infinity);
    this.#keys.prune(this.#clock.now());
    return gone.length;
  }

  async purge(scope: Scope, limit: number): Promise<Purged> {
    const idle = this.#allOf(scope).filter(
      ({ record: { node, endedAt } }) => endedAt !== undefined || !this.#isAlive(node),
    );
    const gone = idle.slice(0, limit);
    for (const row of gone) this.#remove(row);
    if (gone.length < limit) this.#keys.forget(scope);
    for (const { record } of gone) this.#tell(record.id);
    return { found: gone.length, removed: gone.length };
  }

  async unfinished(scope: Scope, limit: number): Promise<UnfinishedTasks> {
    const unfinished = this.#allOf(scope).filter(({ record }) => record.endedAt === undefined);
    return { taskIds: unfinished.slice(0, limit).map(({ record }) => record.id), total: unfinished.length };
  }

  watch(listener: WatchListener): () => void {
    this.#watchers.add(listener);
    return () => this.#watchers.delete(listener);
  }

  async close(): Promise<void> {
    this.#watchers.clear();
  }

  #allOf(scope: Scope): readonly Row[] {
    return [...this.#rows.values()].filter(({ record }) => isOf(scope, record));
  }

  #owned(scope: Scope, taskId: string): Row | undefined {
    const row = this.#rows.get(taskId);
    return row !== undefined && isOf(scope, row.record) ? row : undefined;
  }

  /** The task, if it is visible and belongs to this owner. */
  #shown(scope: Scope, taskId: string): Row | undefined {
    const row = this.#owned(scope, taskId);
    return row?.record.visible === true ? row : undefined;
  }

  #pushConfigsOf(row: Row): PushConfigs {
    return (row.pushConfigs ??= new PushConfigs(row, this.#pushes));
  }

  #dueRow(taskId: string, agents: readonly string[], now: number, limit: number): readonly Row[] {
    const row = this.#rows.get(taskId);
    if (row === undefined || limit < 1) return [];
    const { agent, node, wakeAt = Infinity } = row.record;
    return wakeAt <= now && agents.includes(agent) && !this.#isAlive(node) ? [row] : [];
  }

  /** Sets the new record of a row and updates the indexes. */
  #replace(row: Row, record: TaskRecord): void {
    const { node, wakeAt, suspectMs, attempts } = row.record;
    const moves =
      node !== record.node ||
      wakeAt !== record.wakeAt ||
      suspectMs !== record.suspectMs ||
      (suspectMs !== undefined && attempts !== record.attempts);
    if (moves) this.#wakes.remove(row);
    this.#index.update(row, record);
    if (moves) this.#wakes.add(row);
  }

  #isAlive(node: string | undefined): boolean {
    return node !== undefined && (this.#nodes.get(node) ?? 0) > this.#clock.now();
  }

  #remember(row: Row, key: RequestKey | undefined): void {
    if (key === undefined) return;
    this.#keys.add(key);
    key.earlier = row.lastKey;
    row.lastKey = key;
  }

  /** Replaces the counted size `held` of a row with its current size. `before` is the record for which `held` was counted. */
  #count(row: Row, held: number, before = row.record): void {
    const bytes = bytesOf(row);
    this.#bytes += bytes - held;
    if (before.endedAt === undefined)
      this.#unfinished.add(before, row.record.endedAt === undefined ? bytes - held : -held);
  }

  /** @throws A2AError `UNAVAILABLE` if the store or the share of the caller has no room for that much more. */
  #assertRoom(task: NewTask | TaskRecord, tasks: number, bytes: number): void {
    this.#unfinished.assertRoom(task, bytes);
    if (!this.#makeRoom(tasks, bytes)) throw this.#full();
  }

  /** Removes the tasks that ended first until there is room for that much more. Returns whether there is. */
  #makeRoom(tasks: number, bytes: number): boolean {
    while (this.#rows.size + tasks > this.#maxTasks || this.#bytes + bytes > this.#maxBytes) {
      const oldest = this.#ended.first();
      if (oldest === undefined) return this.#isWithinShares(tasks, bytes);
      this.#remove(oldest);
    }
    return true;
  }

  /** Whether unfinished tasks leave room, not counting what single callers have above their shares. */
  #isWithinShares(tasks: number, bytes: number): boolean {
    // A single task may have any size, because otherwise it would never fit.
    if (this.#rows.size === 0) return true;
    const counted = this.#bytes - this.#unfinished.excess;
    return this.#rows.size + tasks <= this.#maxTasks && counted + bytes <= this.#maxBytes;
  }

  #full(): A2AError {
    const { size } = this.#rows;
    const limits = `${this.#maxTasks} tasks (maxTasks) and ${this.#maxBytes} bytes (maxBytes)`;
    return new A2AError(
      'UNAVAILABLE',
      'The agent has no room for new tasks and messages until some of its unfinished tasks end',
      {
        retryAfterMs: RETRY_MS,
        cause: new Error(
          `The memory store is full: ${size} unfinished tasks take ${this.#bytes} bytes; the limits are ${limits}`,
        ),
      },
    );
  }

  #remove(row: Row): void {
    this.#rows.delete(row.record.id);
    const bytes = bytesOf(row);
    this.#bytes -= bytes;
    if (row.record.endedAt === undefined) this.#unfinished.add(row.record, -bytes);
    this.#index.remove(row);
    this.#wakes.remove(row);
    this.#ended.remove(row);
    row.pushConfigs?.clear();
    this.#keys.release(row.lastKey);
    if (row.alias !== undefined) this.#aliases.delete(scoped(row.record, row.alias));
  }

  #tell(taskId: string, by?: string): void {
    notifyWatchers(this.#watchers, taskId, by);
  }
}

function isOf({ tenant, owner }: Scope, record: TaskRecord): boolean {
  return record.tenant === tenant && record.owner === owner;
}
