import { randomBytes, randomInt } from 'node:crypto';
import type { Pool } from 'pg';
import { A2AError } from '../../errors.ts';
import type { Message } from '../../model/message.ts';
import { type Deferred, deferred } from '../../support/deferred.ts';
import type { Clock } from '../../support/time/clock.ts';
import { withTimeout } from '../../support/time/with-timeout.ts';
import { newRecord } from '../guard.ts';
import { withNameChecks } from '../name-checks.ts';
import { PROBE_CHARACTERS, SpaceCheck } from '../space-check.ts';
import type * as port from '../store.ts';
import { notifyWatchers } from '../watchers.ts';
import * as writes from '../writes.ts';
import { claimCalls, countCalls, listCalls, nextCall, noteCall } from './calls.ts';
import { claimTasks, heartbeat, nextWake, retire } from './claim.ts';
import { Database } from './database.ts';
import { dropDeadLetter, keepDeadLetters, readDeadLetters } from './dead-letters.ts';
import { isDiskFull, isRefused, tooSlow, toStoreError } from './failure.ts';
import { channelOf, Hints } from './hints/hints.ts';
import { migrate, UnusableDatabaseError } from './migrate.ts';
import { claimPushes, nextPush, notePush, resumePush } from './outbox.ts';
import { assertSchema, DEFAULT_SCHEMA, onConnection, openPool, tend } from './pool.ts';
import { deletePushConfig, putPushConfig, readPushConfigs } from './push-configs.ts';
import { listTasks } from './read/list.ts';
import { findAlias, readEvents, readJournal, readTask } from './read/reads.ts';
import {
  allTasks,
  forgetEvents,
  forgetNodes,
  forgetRequests,
  forgetRequestsOf,
  idleTasksOf,
  outlived,
  unfinishedTasksOf,
} from './retention.ts';
import { Commits } from './write/commits.ts';
import { assertFitsIndexes } from './write/index-row.ts';
import type { NewJob } from './write/jobs.ts';

/** The options of `postgres()`. */
export interface PostgresStoreOptions {
  /** The schema of the tables, `tandem` if not set. Created if it does not exist. A name of 1 to 63 bytes. */
  readonly schema?: string;
  /** The maximum number of connections: 10 if not set, at least 2, because one only listens. Ignored with your own pool. */
  readonly connections?: number;
  /** How many milliseconds a call waits for a connection before it fails: 5000 if not set. Ignored with your own pool. */
  readonly connectTimeoutMs?: number;
  /** @internal Replaces the clock of the database, for tests. */
  readonly clock?: Clock;
  /** @internal The lock timeout of writes, for tests. */
  readonly lockMs?: number;
  /** @internal How long a write waits in the queue, for tests. */
  readonly queueMs?: number;
}

/**
 * Creates a store in a PostgreSQL database (14 or newer) that any number of processes can share. It connects with the first call.
 * The first process creates the tables and upgrades them. Needs the package `pg`.
 *
 * @param source The connection string of the database, or a pool of the package `pg`, which the store does not close.
 * @throws RangeError if `schema` or `connections` is invalid.
 * @example
 * await serve(translator, { store: postgres('postgres://localhost/agents') });
 */
export function postgres(source: string | Pool, options: PostgresStoreOptions = {}): port.Store {
  assertSchema(options.schema);
  const { connections = 2 } = options;
  if (!Number.isInteger(connections) || connections < 2)
    throw new RangeError(
      `connections: expected an integer of at least 2, because one connection only listens; got ${connections}`,
    );
  return withNameChecks(new PostgresStore(source, options));
}

/** Longer than the timeouts of statements and connections, whose errors are more specific. */
const PATIENCE_MS = 5500;

/** The resources that the first call opens. */
interface Opened {
  readonly database: Database;
  readonly commits: Commits;
  readonly hints: Hints;
  /** Removes our listeners from the pool. */
  readonly leave: () => void;
}

class PostgresStore implements port.Store {
  readonly #source: string | Pool;
  readonly #options: PostgresStoreOptions;
  readonly #watchers = new Set<port.WatchListener>();
  readonly #space = new SpaceCheck(() => this.#askInTime(probeSpace));
  #opening: Promise<Opened> | undefined;
  /** The number of reads in progress. */
  #questions = 0;
  #answered: Deferred<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(source: string | Pool, options: PostgresStoreOptions) {
    this.#source = source;
    this.#options = options;
  }

  async create(task: port.NewTask, accepted?: (record: port.TaskRecord) => void): Promise<port.Created> {
    assertFitsIndexes(task);
    const created = this.#write({
      taskId: task.id,
      isNew: true,
      key: task.idempotency?.key,
      alias: task.alias,
      by: task.node,
      // The message is about as long as its event.
      size: 2 * (task.event?.body.length ?? 0),
      run: (unit) => writes.createTask(unit, task),
    });
    // Ids are new, so only a key or an alias can already exist.
    if (task.idempotency === undefined && task.alias === undefined) accepted?.(newRecord(task));
    return created;
  }

  append(write: port.TaskWrite): Promise<port.Appended> {
    return this.#write({
      taskId: write.taskId,
      key: write.idempotency?.key,
      isLeaseHolder: write.guard.lease !== undefined,
      isBackground: write.guard.lease !== undefined,
      nodes: write.guard.idle,
      isPushed: write.pushConfig !== undefined,
      callIds: callIdsOf(write),
      by: write.by,
      size: sizeOf(write),
      run: (unit) => writes.appendToTask(unit, write),
    });
  }

  dropForReply(taskId: string, lease: port.Lease, reply: Message): Promise<boolean> {
    return this.#write({
      taskId,
      isBackground: true,
      by: lease.node,
      size: 0,
      run: (unit) => writes.dropTaskForReply(unit, taskId, lease, reply),
    });
  }

  readonly read = this.#askingInTime(readTask);
  readonly resolveAlias = this.#askingInTime(findAlias);
  readonly list = this.#askingInTime(listTasks);
  readonly events = this.#askingInTime(readEvents);
  readonly journal = this.#asking(readJournal);
  readonly putPushConfig = this.#askingInTime(putPushConfig);
  readonly pushConfigs = this.#askingInTime(readPushConfigs);
  readonly deletePushConfig = this.#askingInTime(deletePushConfig);
  readonly claimPushes = this.#asking(claimPushes);
  readonly nextPush = this.#asking(nextPush);
  readonly notePush = this.#asking(notePush);
  readonly resumePush = this.#asking(resumePush);
  readonly deadLetters = this.#asking(readDeadLetters);
  readonly dropDeadLetter = this.#asking(dropDeadLetter);
  readonly takeTokens = this.#askingInTime(takeTokens);
  readonly claimCalls = this.#asking(claimCalls);
  readonly nextCall = this.#asking(nextCall);
  readonly noteCall = this.#asking(noteCall);
  readonly listCalls = this.#asking(listCalls);
  readonly countCalls = this.#askingInTime(countCalls);
  readonly claim = this.#asking(claimTasks);
  readonly nextWake = this.#asking(nextWake);
  readonly heartbeat = this.#asking(heartbeat);
  readonly retire = this.#asking(retire);
  readonly unfinished = this.#asking(unfinishedTasksOf);
  readonly allTasks = this.#asking(allTasks);

  async ready(): Promise<void> {
    await this.#askInTime((database) => readTask(database, { tenant: '', owner: '' }, 'readiness', { history: 0 }));
    await this.#space.assertRoom();
  }

  async now(): Promise<number> {
    return this.#ask(async (database) => Number((await database.rows(`SELECT ${database.now}`))[0]?.[0]));
  }

  async prune(policy: port.RetentionPolicy): Promise<number> {
    const old = await this.#ask((database) => outlived(database, policy));
    const removals = old.map(({ taskId, callId }) =>
      this.#write({
        taskId,
        isBackground: true,
        isSilent: true,
        callIds: callId === undefined ? undefined : [callId],
        size: 0,
        run: (unit) => writes.removeEnded(unit, taskId),
      }),
    );
    const removed = (await Promise.all(removals)).filter(Boolean);
    await this.#ask((database) => forgetEvents(database, policy));
    await this.#ask((database) => forgetRequests(database));
    const { keepDeadLetters: kept = Infinity } = policy;
    if (kept < Infinity) await this.#ask((database) => keepDeadLetters(database, kept));
    await this.#ask((database) => dropFullBuckets(database));
    await this.#ask((database) => forgetNodes(database));
    return removed.length;
  }

  async purge(scope: port.Scope, limit: number): Promise<port.Purged> {
    const idle = await this.#ask((database) => idleTasksOf(database, scope, limit));
    const removals = idle.map((taskId) =>
      this.#write({ taskId, isBackground: true, size: 0, run: (unit) => writes.removeOwned(unit, taskId) }),
    );
    const removed = (await Promise.all(removals)).filter(Boolean).length;
    if (idle.length < limit) await this.#ask((database) => forgetRequestsOf(database, scope));
    return { found: idle.length, removed };
  }

  watch(listener: port.WatchListener): () => void {
    if (this.#closing !== undefined) return () => {};
    this.#watchers.add(listener);
    // If the database is not available, the next call connects. Until then there are no commits to report.
    void this.#listen().catch(() => {});
    return () => this.#watchers.delete(listener);
  }

  /** Stores pending writes and closes all connections, except those of a pool of the user. */
  close(): Promise<void> {
    return (this.#closing ??= this.#shutDown());
  }

  async #shutDown(): Promise<void> {
    this.#watchers.clear();
    const opened = await this.#opening?.catch(() => undefined);
    if (opened === undefined) return;
    const { commits, hints, database, leave } = opened;
    await commits.drain();
    // Ending a pool drops calls that wait for a connection.
    if (this.#questions > 0) await (this.#answered = deferred<void>()).promise;
    await hints.close();
    // The connections of our own pool end a little later and may still be lost, so our listeners stay.
    if (typeof this.#source === 'string') await database.pool.end();
    else leave();
  }

  async #listen(): Promise<void> {
    const { hints } = await this.#open();
    hints.listen();
  }

  readonly #tell: port.WatchListener = (...hint) => {
    notifyWatchers(this.#watchers, ...hint);
  };

  async #write<T>(job: NewJob<T>): Promise<T> {
    const { commits } = await this.#opened();
    return commits.submit(job);
  }

  /** For reads that a caller waits for. The timeout includes connecting and migrating. */
  #askInTime<T>(question: (database: Database) => Promise<T>): Promise<T> {
    return withTimeout(this.#ask(question), PATIENCE_MS, () => {
      throw tooSlow();
    });
  }

  /** A method that asks the database with a function. */
  #asking<A extends readonly unknown[], T>(question: (database: Database, ...args: A) => Promise<T>) {
    return (...args: A): Promise<T> => this.#ask((database) => question(database, ...args));
  }

  #askingInTime<A extends readonly unknown[], T>(question: (database: Database, ...args: A) => Promise<T>) {
    return (...args: A): Promise<T> => this.#askInTime((database) => question(database, ...args));
  }

  async #ask<T>(question: (database: Database) => Promise<T>): Promise<T> {
    const { database } = await this.#opened();
    this.#questions++;
    try {
      return await question(database);
    } catch (error) {
      if (isDiskFull(error)) this.#space.noteFull();
      throw toStoreError(error);
    } finally {
      if (--this.#questions === 0) this.#answered?.resolve();
    }
  }

  #opened(): Promise<Opened> {
    if (this.#closing !== undefined) throw new A2AError('UNAVAILABLE', 'The task store is closed');
    return this.#open();
  }

  /** A failed attempt is repeated with the next call, because the database may start later. */
  #open(): Promise<Opened> {
    if (this.#opening !== undefined) return this.#opening;
    const opening = this.#connect();
    this.#opening = opening;
    opening.catch(() => {
      if (this.#opening === opening) this.#opening = undefined;
    });
    return opening;
  }

  async #connect(): Promise<Opened> {
    const { schema = DEFAULT_SCHEMA } = this.#options;
    const pool = typeof this.#source === 'string' ? await openPool(this.#source, this.#options) : this.#source;
    const leave = tend(pool);
    let channel: string;
    try {
      channel = await onConnection(pool, async (client) => {
        await migrate(client, schema);
        return channelOf(client, schema);
      });
    } catch (error) {
      if (typeof this.#source === 'string') await pool.end();
      else leave();
      // Not `UNAVAILABLE`, because rejected credentials do not become valid by themselves.
      if (isRefused(error))
        throw new Error('The database of the task store rejects the credentials of this process', { cause: error });
      throw error instanceof UnusableDatabaseError ? error : toStoreError(error);
    }
    const isOwnPool = typeof this.#source === 'string';
    const database = new Database(pool, schema, { ...this.#options, isOwnPool });
    const hints = new Hints(pool, channel, this.#tell);
    if (this.#watchers.size > 0) hints.listen();
    return { database, commits: new Commits(database, hints, () => this.#space.noteFull()), hints, leave };
  }
}

/** Stores a row that needs new pages, and removes it again. No task has an empty id. */
async function probeSpace(database: Database): Promise<void> {
  const { schema } = database;
  const number = randomInt(2 ** 31);
  // Random bytes cannot be compressed.
  const body = randomBytes((PROBE_CHARACTERS * 3) / 4).toString('base64');
  await database.transaction(async (client) => {
    const insert = `INSERT INTO ${schema}.event (task_id, number, kind, body) VALUES ('', $1, 0, $2)`;
    await client.query(insert, [number, body]);
    await client.query(`DELETE FROM ${schema}.event WHERE task_id = '' AND number = $1`, [number]);
  });
}

/** The calls that a write needs to know. */
function callIdsOf({ guard, endsCall }: port.TaskWrite): readonly string[] | undefined {
  if (guard.call === undefined && endsCall === undefined) return undefined;
  return [guard.call, endsCall].filter((id) => id !== undefined);
}

/** The approximate size of a write: its events and artifacts are its large parts. */
function sizeOf({ events = [], artifacts = '' }: port.TaskWrite): number {
  return events.reduce((sum, { body }) => sum + body.length, artifacts.length);
}

/** Takes a token from a bucket that all nodes share, in one statement, which locks the row. */
async function takeTokens(database: Database, take: port.TokenTake): Promise<port.TokenTaken> {
  const { schema, now } = database;
  const [row] = await database.read(
    `INSERT INTO ${schema}.token_bucket AS b (name, tokens, taken, at, full_at)
     SELECT $1, $2::float8 - 1, true, n.now, n.now + ceil(60000 / $3::float8) FROM (SELECT ${now} AS now) AS n
     ON CONFLICT (name) DO UPDATE SET (tokens, taken, at, full_at) = (
       SELECT a.tokens - (a.tokens >= 1)::int, a.tokens >= 1, excluded.at,
         excluded.at + ceil(($2::float8 - a.tokens + (a.tokens >= 1)::int) * 60000 / $3::float8)
       FROM (SELECT least($2::float8, b.tokens + greatest(0, excluded.at - b.at) * $3::float8 / 60000) AS tokens) AS a)
     RETURNING b.taken, b.tokens`,
    [take.bucket, take.burst, take.perMinute],
  );
  return { isTaken: row?.[0] === true, left: Number(row?.[1]) };
}

/** A full bucket is equivalent to no bucket. */
async function dropFullBuckets({ schema, now, pool }: Database): Promise<void> {
  await pool.query(`DELETE FROM ${schema}.token_bucket WHERE full_at < ${now}`);
}
