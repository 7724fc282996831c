import type { Message } from '../../model/message.ts';
import type { Clock } from '../../support/time/clock.ts';
import { steadyClock } from '../../support/time/steady-clock.ts';
import { boundedPage } from '../page.ts';
import type * as port from '../store.ts';
import { claimedBy, suspectsOf } from '../suspects.ts';
import { notifyWatchers } from '../watchers.ts';
import * as writes from '../writes.ts';
import { endTime, type Row, stored } from './row.ts';
import { Tables } from './tables.ts';

/** The options of `memoryStore()`. */
export interface MemoryStoreOptions {
  /**
   * The maximum number of tasks, 100,000 if not set. Beyond it the store removes the tasks that ended first. It keeps four times
   * as many keys of requests, with their replies. Beyond that it removes the keys of removed tasks first, then the oldest keys.
   */
  readonly maxTasks?: number;
  /**
   * The approximate maximum size of all tasks in bytes, 256 MiB if not set. Beyond it the store removes the tasks that ended first.
   * If unfinished tasks alone take that much, or those of one caller half of it, the store rejects new tasks and messages with
   * `UNAVAILABLE`. It always stores the outputs of running tasks. The keys of requests, with their replies, may take another
   * quarter of it.
   */
  readonly maxBytes?: number;
  /** Replaces the system clock, for tests. */
  readonly clock?: Clock;
}

const MAX_TASKS = 100_000;
const MAX_BYTES = 256 * 2 ** 20;

/**
 * Creates a store in the memory of this process. All tasks are lost when the process ends. It is the reference for the behaviour
 * of all other stores.
 *
 * @example
 * const handler = createHandler(agent, { store: memoryStore({ maxTasks: 1000 }) });
 */
export function memoryStore(options: MemoryStoreOptions = {}): port.Store {
  return new MemoryStore(options);
}

/** Every method runs synchronously, so each one is a transaction. Names need no check, because maps keep all of them distinct. */
class MemoryStore implements port.Store {
  readonly isVolatile = true;
  readonly #clock: Clock;
  readonly #tables: Tables;
  readonly #watchers = new Set<port.WatchListener>();

  constructor({ clock = steadyClock, maxTasks = MAX_TASKS, maxBytes = MAX_BYTES }: MemoryStoreOptions) {
    this.#clock = clock;
    this.#tables = new Tables(clock, { maxTasks, maxBytes });
  }

  async create(task: port.NewTask, accepted?: (record: port.TaskRecord) => void): Promise<port.Created> {
    const created = writes.createTask(this.#tables, task);
    if (created.kind !== 'created') return created;
    this.#tell(task.id, task.node);
    accepted?.(created.record);
    return created;
  }

  async append(write: port.TaskWrite): Promise<port.Appended> {
    const appended = writes.appendToTask(this.#tables, write);
    if (appended.kind === 'appended') this.#tell(write.taskId, write.by);
    return appended;
  }

  async dropForReply(taskId: string, lease: port.Lease, reply: Message): Promise<boolean> {
    const isDropped = writes.dropTaskForReply(this.#tables, taskId, lease, reply);
    if (isDropped) this.#tell(taskId, lease.node);
    return isDropped;
  }

  async read(scope: port.Scope, taskId: string, parts: port.ReadParts = {}): Promise<port.StoredTask | undefined> {
    const row = this.#tables.find(taskId);
    return row !== undefined && writes.isOwnedBy(scope, row.record) ? stored(row, parts) : undefined;
  }

  async resolveAlias(scope: port.Scope, alias: string): Promise<string | undefined> {
    return this.#tables.findAlias(scope, alias);
  }

  async list(scope: port.Scope, query: port.TaskQuery): Promise<port.TaskPage> {
    const { rows, total } = this.#tables.index.page(scope, query);
    return boundedPage(rows, total, query.pageBytes, (row) => stored(row, query));
  }

  async events(taskId: string, after: number, limit: number): Promise<readonly port.TaskEvent[]> {
    const events = this.#tables.find(taskId)?.events ?? [];
    // Retention removes all events or none, so they start at 1.
    return events.slice(after, after + limit);
  }

  async journal(taskId: string, after = 0): Promise<readonly port.JournalRecord[]> {
    return this.#tables.find(taskId)?.journal.slice(after) ?? [];
  }

  async putPushConfig(
    scope: port.Scope,
    taskId: string,
    config: port.PushConfigRecord,
    max: number,
  ): Promise<port.PushConfigPut | undefined> {
    return writes.putPushConfig(this.#tables, scope, taskId, config, max);
  }

  async pushConfigs(
    scope: port.Scope,
    taskId: string,
    query: port.PushConfigQuery,
  ): Promise<readonly port.PushConfigRecord[] | undefined> {
    const row = writes.visibleTo(scope, this.#tables.find(taskId));
    return row && (row.pushConfigs?.page(query) ?? []);
  }

  async deletePushConfig(scope: port.Scope, taskId: string, id: string): Promise<boolean | undefined> {
    return writes.deletePushConfig(this.#tables, scope, taskId, id);
  }

  async claimPushes(request: port.PushClaimRequest): Promise<readonly port.ClaimedPush[]> {
    return this.#tables.pushes.claim(request);
  }

  async nextPush(agents: readonly string[]): Promise<number | undefined> {
    return this.#tables.pushes.next(agents);
  }

  async notePush(report: port.PushReport): Promise<port.PushNoted | undefined> {
    const entry = this.#tables.find(report.taskId)?.pushConfigs?.get(report.configId);
    return entry && this.#tables.pushes.note(entry, report);
  }

  async resumePush({ taskId, configId }: port.PushConfigName): Promise<boolean> {
    const entry = this.#tables.find(taskId)?.pushConfigs?.get(configId);
    if (entry !== undefined && entry.node === undefined) this.#tables.pushes.resume(entry);
    return entry !== undefined;
  }

  async deadLetters(query: port.DeadLetterQuery): Promise<readonly port.DeadLetterRecord[]> {
    return this.#tables.pushes.letters.page(query);
  }

  async dropDeadLetter(id: string): Promise<boolean> {
    return this.#tables.pushes.letters.remove(id);
  }

  async claimCalls(request: port.CallClaimRequest): Promise<readonly port.ClaimedCall[]> {
    return this.#tables.calls.claim(request);
  }

  async nextCall(agents: readonly string[]): Promise<number | undefined> {
    return this.#tables.calls.next(agents);
  }

  async noteCall(report: port.CallReport): Promise<port.CallRecord | undefined> {
    return this.#tables.noteCall(report);
  }

  async listCalls(query: port.CallQuery): Promise<readonly port.CallRecord[]> {
    return this.#tables.calls.list(query);
  }

  async countCalls(scope: port.Scope): Promise<number> {
    return this.#tables.calls.count(scope);
  }

  async claim(request: port.ClaimRequest): Promise<readonly port.TaskRecord[]> {
    const { node, taskId } = request;
    const now = this.#clock.now();
    this.#freeTasksOfDeadNodes(now);
    const due = taskId === undefined ? this.#tables.wakes.claim(request, now) : this.#dueRow(taskId, request, now);
    return due.map((row) => {
      const record = claimedBy(node, row.record);
      this.#tables.replaceRecord(row, record);
      return record;
    });
  }

  #freeTasksOfDeadNodes(now: number): void {
    for (const rows of this.#tables.wakes.ofDeadNodes(this.#tables.isAlive)) {
      const suspects = suspectsOf(
        rows.map(({ record }) => record),
        now,
      );
      for (const [i, row] of rows.entries()) this.#tables.replaceRecord(row, suspects[i] ?? row.record);
    }
  }

  #dueRow(taskId: string, { agents, limit }: port.ClaimRequest, now: number): readonly Row[] {
    const row = this.#tables.find(taskId);
    if (row === undefined || limit < 1) return [];
    const { agent, node, wakeAt = Infinity } = row.record;
    return wakeAt <= now && agents.includes(agent) && !this.#tables.isAlive(node) ? [row] : [];
  }

  async nextWake(agents: readonly string[], after?: number): Promise<number | undefined> {
    return this.#tables.wakes.next(agents, this.#tables.isAlive, after);
  }

  async heartbeat(node: string, ttlMs: number): Promise<void> {
    this.#tables.setAlive(node, this.#clock.now() + ttlMs);
  }

  async retire(node: string): Promise<void> {
    this.#tables.setAlive(node, undefined);
  }

  async prune(policy: port.RetentionPolicy): Promise<number> {
    const tables = this.#tables;
    const ended = tables.ended.all().sort((a, b) => endTime(a.record) - endTime(b.record));
    const surplus = tables.endedCount - policy.keepEnded;
    const gone = ended
      .filter(({ record }, i) => i < surplus || endTime(record) < policy.endedBefore)
      .slice(0, policy.limit);
    for (const { record } of gone) writes.removeEnded(tables, record.id);
    for (const row of ended) {
      const isKept = endTime(row.record) >= policy.eventsEndedBefore || row.pushConfigs?.isDue === true;
      if (!isKept && tables.find(row.record.id) === row) tables.dropEvents(row);
    }
    tables.pushes.letters.keep(policy.keepDeadLetters ?? Infinity);
    tables.keys.prune(this.#clock.now());
    return gone.length;
  }

  async purge(scope: port.Scope, limit: number): Promise<port.Purged> {
    let removed = 0;
    for (const { record } of this.#tables.allOf(scope)) {
      if (removed >= limit) break;
      if (!writes.removeOwned(this.#tables, record.id)) continue;
      removed += 1;
      this.#tell(record.id);
    }
    if (removed < limit) this.#tables.keys.forget(scope);
    return { found: removed, removed };
  }

  async unfinished(scope: port.Scope, limit: number): Promise<port.UnfinishedTasks> {
    const unfinished = this.#tables.allOf(scope).filter(({ record }) => record.endedAt === undefined);
    return { taskIds: unfinished.slice(0, limit).map(({ record }) => record.id), total: unfinished.length };
  }

  async allTasks(query: port.AllTasksQuery): Promise<readonly port.TaskRecord[]> {
    return this.#tables.allTasks(query);
  }

  watch(listener: port.WatchListener): () => void {
    this.#watchers.add(listener);
    return () => this.#watchers.delete(listener);
  }

  async close(): Promise<void> {
    this.#watchers.clear();
  }

  #tell(taskId: string, by?: string): void {
    notifyWatchers(this.#watchers, taskId, by, undefined, undefined, this.#tables.calls.takeDue());
  }
}
