import { A2AError } from '../../errors.ts';
import type { Message } from '../../model/message.ts';
import { consoleLog } from '../../observe/console-log.ts';
import type { Log } from '../../observe/log.ts';
import { safeLog } from '../../observe/safe-log.ts';
import type { Clock } from '../../support/time/clock.ts';
import { steadyClock } from '../../support/time/steady-clock.ts';
import { newRecord } from '../guard.ts';
import { withNameChecks } from '../name-checks.ts';
import { PROBE_CHARACTERS, SpaceCheck } from '../space-check.ts';
import type * as port from '../store.ts';
import { notifyWatchers } from '../watchers.ts';
import * as writes from '../writes.ts';
import { claimCalls, countCalls, listCalls, nextCall, noteCall } from './calls.ts';
import { claimTasks, nextWake } from './claim.ts';
import type { SqliteContext } from './context.ts';
import { type Connection, getNumber } from './database/connection.ts';
import { type Driver, loadDriver } from './database/driver.ts';
import { RESULT, toMissingError, toStoreError, troubleOf } from './database/failure.ts';
import { GroupCommit } from './database/group-commit.ts';
import type { SyncFile } from './database/log-sync.ts';
import { closeFile, type OpenFile, openFile } from './database/open.ts';
import { dropDeadLetter, keepDeadLetters, readDeadLetters } from './dead-letters.ts';
import { readPage, recordRows } from './list.ts';
import { currentBoot } from './migrate.ts';
import { Nodes } from './nodes.ts';
import { claimPushes, nextPush, notePush, resumePush } from './outbox.ts';
import { readPushConfigs } from './push-configs.ts';
import { dropOldRequests, dropRequestsOf, findRequest, KeysUnderWay } from './request-key.ts';
import { allTasks, forgetEvents, idleTasksOf, outlived, unfinishedTasksOf, unreplayable } from './retention.ts';
import { TaskCounts } from './task-counts.ts';
import { readEvents } from './task-events.ts';
import { readJournal, readParts } from './task-log.ts';
import { findTask, type FoundTask } from './task-row.ts';
import { readTaskTexts, textRows, textsOf, type TextRow } from './task-texts.ts';
import { Tasks } from './tasks.ts';
import { SqliteUnitOfWork, type Written } from './unit-of-work.ts';

/** The options of `sqlite()`. */
export interface SqliteStoreOptions {
  /** Receives a warning if the file has several hard links, and an error if it is deleted or replaced. The console if not set. */
  readonly log?: Log;
  /** Replaces the system clock, for tests. */
  readonly clock?: Clock;
  /** @internal Replaces the SQLite library, for tests. */
  readonly driver?: Driver;
  /** @internal Replaces the sync, for tests. */
  readonly syncFile?: SyncFile;
  /** @internal How long a sync may take before the disk counts as stalled. */
  readonly stallMs?: number;
}

/** The hint that watchers get about a write. */
interface Hint {
  readonly taskId: string;
  readonly by?: string | undefined;
}

/** The maximum number of request keys that one write removes. */
const REQUEST_KEYS_PER_WRITE = 1000;

/**
 * Opens a store in a local SQLite file and creates the file if it does not exist. Every acknowledged write survives a crash of the
 * process and a power failure. Only one process can have the file open at a time.
 *
 * @param path The path of the database file. Must be on a local disk.
 * @example
 * await serve(translator, { store: sqlite('tasks.db') });
 *
 * @throws Error if another process has the file open, the file cannot be opened or belongs to another program, or no SQLite
 * library is installed (Node before 22.13 needs `@photostructure/sqlite`).
 */
export function sqlite(path: string, options: SqliteStoreOptions = {}): port.Store {
  const { clock = steadyClock, driver = loadDriver(), log: given = consoleLog, syncFile, stallMs } = options;
  const log = safeLog(given);
  return withNameChecks(new SqliteStore(openFile(driver, path, log, syncFile), clock, log, stallMs));
}

/** `GroupCommit` batches the writes. Reads run at once on committed data, and return when that data is on the disk. */
class SqliteStore implements port.Store {
  readonly #file: OpenFile;
  readonly #connection: Connection;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #space = new SpaceCheck(() => this.#probe());
  readonly #commits: GroupCommit;
  readonly #nodes: Nodes;
  readonly #context: SqliteContext;
  readonly #unit: SqliteUnitOfWork;
  readonly #counts: TaskCounts;
  readonly #keys = new KeysUnderWay();
  readonly #watchers = new Set<port.WatchListener>();
  readonly #count = ({ before, after }: Written<unknown>): void => this.#counts.apply(before, after);
  #closing: Promise<void> | undefined;
  #isLost = false;
  /** The `data_version` of the file, which changes when another connection writes to it. */
  #version: number | undefined;

  constructor(file: OpenFile, clock: Clock, log: Log, stallMs: number | undefined) {
    this.#file = file;
    this.#connection = file.connection;
    this.#clock = clock;
    this.#log = log;
    this.#nodes = new Nodes(clock, file.nodes);
    const tasks = new Tasks(file.connection, clock);
    this.#context = { connection: file.connection, tasks, nodes: this.#nodes, clock, positions: new Map() };
    this.#unit = new SqliteUnitOfWork(this.#context);
    this.#commits = new GroupCommit(file.connection, {
      check: () => this.#assertOurs(),
      finish: () => this.#context.tasks.save(),
      onRollback: () => this.#context.tasks.forget(),
      failed: (error) => {
        if (troubleOf(error) === RESULT.FULL) this.#space.noteFull();
      },
      sync: file.log.sync,
      stallMs,
    });
    this.#counts = new TaskCounts(file.connection);
  }

  async create(task: port.NewTask, accepted?: (record: port.TaskRecord) => void): Promise<port.Created> {
    this.#assertOpen();
    const record = newRecord(task);
    const isNew = accepted !== undefined && this.#isNew(task);
    const created = this.#write(
      { taskId: task.id, by: task.node },
      (unit) => {
        const result = writes.createTask(unit, task, record);
        // Only this process writes to the file, so this cannot happen. If it did, a run would have no task.
        if (isNew && result.kind !== 'created')
          throw new A2AError('UNAVAILABLE', 'The same request is already being processed');
        return result;
      },
      task.idempotency,
    );
    if (isNew) accepted(record);
    return created;
  }

  append(write: port.TaskWrite): Promise<port.Appended> {
    return this.#write(write, (unit) => writes.appendToTask(unit, write), write.idempotency);
  }

  dropForReply(taskId: string, lease: port.Lease, reply: Message): Promise<boolean> {
    return this.#write({ taskId, by: lease.node }, (unit) => writes.dropTaskForReply(unit, taskId, lease, reply));
  }

  async read(scope: port.Scope, taskId: string, parts: port.ReadParts = {}): Promise<port.StoredTask | undefined> {
    return this.#read(({ connection }) => {
      const task = findTask(connection, taskId);
      return task && writes.isOwnedBy(scope, task.record) ? readParts(connection, task, parts) : undefined;
    });
  }

  async readTexts(
    scope: port.Scope,
    taskId: string,
    parts: port.ReadParts = {},
  ): Promise<port.TaskTexts | port.StoredTask | undefined> {
    return this.#read(({ connection }) => readTaskTexts(connection, scope, taskId, parts));
  }

  async resolveAlias(scope: port.Scope, alias: string): Promise<string | undefined> {
    return this.#read(() => this.#unit.findAlias(scope, alias));
  }

  async list(scope: port.Scope, query: port.TaskQuery): Promise<port.TaskPage> {
    const read = (task: FoundTask): port.StoredTask => readParts(this.#connection, task, query);
    return this.#read(({ connection }) => readPage(connection, this.#counts, scope, query, recordRows(query), read));
  }

  async listTexts(scope: port.Scope, query: port.TaskQuery): Promise<port.TaskPage<port.TaskTexts | port.StoredTask>> {
    const read = (row: TextRow) => textsOf(this.#connection, row, query);
    return this.#read(({ connection }) => readPage(connection, this.#counts, scope, query, textRows(query), read));
  }

  readonly events = this.#reading(readEvents);
  readonly journal = this.#reading(readJournal);

  putPushConfig(
    scope: port.Scope,
    taskId: string,
    config: port.PushConfigRecord,
    max: number,
  ): Promise<port.PushConfigPut | undefined> {
    return this.#submit(() => writes.putPushConfig(this.#unit, scope, taskId, config, max));
  }

  async pushConfigs(
    scope: port.Scope,
    taskId: string,
    query: port.PushConfigQuery,
  ): Promise<readonly port.PushConfigRecord[] | undefined> {
    return this.#read(({ connection }) => {
      const task = writes.visibleTo(scope, findTask(connection, taskId));
      return task && readPushConfigs(connection, task, query);
    });
  }

  deletePushConfig(scope: port.Scope, taskId: string, id: string): Promise<boolean | undefined> {
    return this.#submit(() => writes.deletePushConfig(this.#unit, scope, taskId, id));
  }

  readonly claimPushes = this.#submitting(claimPushes);
  readonly nextPush = this.#reading(nextPush);
  readonly notePush = this.#submitting(notePush);
  readonly resumePush = this.#submitting(resumePush);
  readonly deadLetters = this.#reading(readDeadLetters);
  readonly dropDeadLetter = this.#submitting(dropDeadLetter);
  readonly claimCalls = this.#submitting(claimCalls);
  readonly nextCall = this.#reading(nextCall);
  readonly noteCall = this.#submitting(noteCall);
  readonly listCalls = this.#reading(listCalls);
  readonly countCalls = this.#reading(countCalls);
  readonly claim = this.#submitting(claimTasks);
  readonly nextWake = this.#reading(nextWake);
  readonly unfinished = this.#submitting(unfinishedTasksOf);
  readonly allTasks = this.#submitting(allTasks);

  async heartbeat(node: string, ttlMs: number): Promise<void> {
    this.#checkFiles();
    this.#assertHeld();
    this.#nodes.heartbeat(node, ttlMs);
  }

  async ready(): Promise<void> {
    this.#checkFiles();
    await this.#read(({ connection }) => findTask(connection, ''));
    await this.#space.assertRoom();
  }

  async retire(node: string): Promise<void> {
    this.#assertOpen();
    this.#nodes.retire(node);
  }

  /** Each task is a separate write, so that removing many does not block the event loop. */
  async prune(policy: port.RetentionPolicy): Promise<number> {
    const old = this.#query(({ connection }) => outlived(connection, this.#counts, policy));
    const removals = old.map((id) => this.#write(undefined, (unit) => writes.removeEnded(unit, id)));
    const removed = (await Promise.all(removals)).filter(Boolean);
    await this.#forgetEvents(policy);
    await this.#forgetRequests();
    const { keepDeadLetters: kept = Infinity } = policy;
    if (kept < Infinity) await this.#submit(() => keepDeadLetters(this.#context, kept));
    return removed.length;
  }

  async purge(scope: port.Scope, limit: number): Promise<port.Purged> {
    const idle = await this.#submit(() => idleTasksOf(this.#context, scope, limit));
    const removals = idle.map((taskId) => this.#write({ taskId }, (unit) => writes.removeOwned(unit, taskId)));
    const removed = (await Promise.all(removals)).filter(Boolean).length;
    if (idle.length < limit)
      while (
        (await this.#submit(() => dropRequestsOf(this.#connection, scope, REQUEST_KEYS_PER_WRITE))) ===
        REQUEST_KEYS_PER_WRITE
      );
    return { found: idle.length, removed };
  }

  /** Removes all expired events, page by page, so that no backlog builds up between two calls. */
  async #forgetEvents(policy: port.RetentionPolicy): Promise<void> {
    for (;;) {
      const silent = this.#query(({ connection }) => unreplayable(connection, policy));
      if (silent.length === 0) return;
      await Promise.all(silent.map((id) => this.#submit(() => forgetEvents(this.#connection, id))));
    }
  }

  async #forgetRequests(): Promise<void> {
    const now = this.#clock.now();
    while (
      (await this.#submit(() => dropOldRequests(this.#connection, now, REQUEST_KEYS_PER_WRITE))) ===
      REQUEST_KEYS_PER_WRITE
    );
  }

  watch(listener: port.WatchListener): () => void {
    this.#watchers.add(listener);
    return () => this.#watchers.delete(listener);
  }

  /** Commits pending writes, moves the log into the database file, and releases the file. */
  close(): Promise<void> {
    return (this.#closing ??= this.#shutDown());
  }

  async #shutDown(): Promise<void> {
    try {
      await this.#commits.drain();
      this.#watchers.clear();
      // Not needed for safety, but one file is easier to move than three.
      this.#connection.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // A full or missing disk must not prevent closing: data in the log is stored.
    }
    closeFile(this.#file);
  }

  async #write<T>(hint: Hint | undefined, work: (unit: SqliteUnitOfWork) => T, request?: port.Idempotency): Promise<T> {
    this.#assertOpen();
    if (request !== undefined) this.#keys.enter(request);
    try {
      const { result, before, after, callsDue } = await this.#commits.submit(() => this.#unit.run(work), this.#count);
      if (hint !== undefined && before !== after) this.#tell(hint, callsDue);
      return result;
    } finally {
      if (request !== undefined) this.#keys.leave(request);
    }
  }

  /** For writes that watchers are not notified about. They query the tables, so cached rows are saved first. */
  async #submit<T>(work: () => T): Promise<T> {
    this.#assertOpen();
    return this.#commits.submit(() => {
      this.#context.tasks.save();
      return work();
    });
  }

  /** A method that submits a function. */
  #submitting<A extends readonly unknown[], T>(work: (context: SqliteContext, ...args: A) => T) {
    return (...args: A): Promise<T> => this.#submit(() => work(this.#context, ...args));
  }

  /** A method that reads with a function. */
  #reading<A extends readonly unknown[], T>(query: (context: SqliteContext, ...args: A) => T) {
    return async (...args: A): Promise<T> => this.#read((context) => query(context, ...args));
  }

  /** Whether only an error can prevent the creation of a task. */
  #isNew(task: port.NewTask): boolean {
    const { alias, idempotency } = task;
    if (alias !== undefined) return false;
    if (idempotency === undefined) return true;
    return (
      !this.#keys.has(idempotency) &&
      this.#query(({ connection }) => findRequest(connection, task, idempotency.key)) === undefined
    );
  }

  /** Waits until the data is on the disk, because a power failure must not revert data that a caller has seen. */
  #read<T>(query: (context: SqliteContext) => T): T | Promise<T> {
    const result = this.#query(query);
    const synced = this.#commits.disk.synced();
    return synced === undefined ? result : synced.then(() => result);
  }

  #query<T>(query: (context: SqliteContext) => T): T {
    this.#assertOpen();
    try {
      return query(this.#context);
    } catch (error) {
      throw toStoreError(error);
    }
  }

  #tell({ taskId, by }: Hint, callsDue: boolean): void {
    notifyWatchers(this.#watchers, taskId, by, undefined, undefined, callsDue);
  }

  #assertOpen(): void {
    this.#assertHeld();
    const { stall } = this.#commits.disk;
    if (stall !== undefined) throw stall;
  }

  /** Ignores a stall: a slow disk must not make the node count as dead, because it would claim its own tasks. */
  #assertHeld(): void {
    if (this.#closing !== undefined) throw new A2AError('UNAVAILABLE', 'The task store is closed');
    if (this.#isLost) throw new A2AError('UNAVAILABLE', 'Another process has taken over the task store');
    const { failure } = this.#commits.disk;
    if (failure !== undefined) throw failure;
  }

  /** Called with each heartbeat and health check. Calling it with each write would slow down writes. */
  #checkFiles(): void {
    const { disk } = this.#commits;
    if (this.#closing !== undefined || disk.failure !== undefined) return;
    const file = this.#file.files.missing();
    if (file === undefined) return;
    disk.fail(toMissingError());
    this.#log.error('A file of the SQLite store was deleted or replaced. Restore it and restart the process', { file });
  }

  /** Writes a row that needs new pages and deletes it again. No task has the pk 0. */
  async #probe(): Promise<void> {
    const write = 'INSERT OR REPLACE INTO artifact (task_pk, up_to, snapshot) VALUES (0, 0, ?)';
    await this.#submit(() => this.#connection.run(write, ' '.repeat(PROBE_CHARACTERS)));
    await this.#submit(() => this.#connection.run('DELETE FROM artifact WHERE task_pk = 0'));
  }

  /** The lock should prevent other writers. But the lock file can be deleted, and some network drives do not really lock. */
  #assertOurs(): void {
    const version = getNumber(this.#connection, 'PRAGMA data_version');
    if (version !== this.#version) {
      this.#context.tasks.forget();
      this.#isLost ||= currentBoot(this.#connection) !== this.#file.boot;
      this.#version = version;
    }
    if (this.#isLost || this.#commits.disk.failure !== undefined) this.#assertHeld();
  }
}
