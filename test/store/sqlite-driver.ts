/** A SQLite driver that records the statements of a store, and can make them fail. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Database, Driver } from '../../src/store/sqlite/database/driver.ts';
import { loadDriver } from '../../src/store/sqlite/database/driver.ts';
import type { NewTask, PushConfigRecord, TaskWrite } from '../../src/store/store.ts';

export interface SpyDriver {
  readonly driver: Driver;
  /** The statements that were executed with `exec`, in order. */
  readonly executed: string[];
  /** The statements that were prepared. */
  readonly prepared: Set<string>;
  /** The handle that the store uses. */
  database(): Database;
  /** Returns an error to throw instead of executing a statement. None by default. */
  failure: (sql: string) => Error | undefined;
}

export function spyDriver(real: Driver = loadDriver()): SpyDriver {
  let main: Database | undefined;
  const spy: SpyDriver = {
    executed: [],
    prepared: new Set(),
    failure: () => undefined,
    database: () => main ?? fail('The store has not been opened'),
    driver(path) {
      const database = real(path);
      if (path.endsWith('.lock')) return database;
      main = database;
      return {
        exec(sql) {
          const error = spy.failure(sql);
          if (error !== undefined) throw error;
          spy.executed.push(sql);
          database.exec(sql);
        },
        prepare(sql) {
          spy.prepared.add(sql);
          return database.prepare(sql);
        },
        close: () => database.close(),
      };
    },
  };
  return spy;
}

/** An error as `node:sqlite` throws it. */
export function sqliteError(errcode: number, message: string): Error {
  return Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR', errcode });
}

/**
 * A folder for one test file, in memory if the system has a file system in memory: these tests do not test the disk, and
 * creating a file costs ten fsyncs.
 */
export function scratchFolder(): { readonly file: () => string; readonly remove: () => void } {
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'tandem-sqlite-'));
  let files = 0;
  return {
    file: () => join(folder, `${(files += 1)}.db`),
    remove: () => rmSync(folder, { recursive: true }),
  };
}

export const ALICE = { tenant: 'acme', owner: 'alice' };

export function newTask(id: string, changes: Partial<NewTask> = {}): NewTask {
  return {
    ...ALICE,
    id,
    contextId: 'c',
    agent: 'translator',
    status: { state: 'TASK_STATE_SUBMITTED', timestamp: '2026-03-12T10:00:00.000Z' },
    origin: {},
    message: { messageId: `m-${id}`, role: 'ROLE_USER', parts: [{ text: 'hello' }] },
    event: { kind: 'task', body: '{}' },
    createdAt: 1,
    wakeAt: 1,
    ...changes,
  };
}

export function pushConfig(id: string): PushConfigRecord {
  return { id, config: { id, url: 'https://example.com/hook' }, dialect: '1.0', createdAt: 1 };
}

/** A write with one more event for a task. */
export function chunk(taskId: string, body = '{}'): TaskWrite {
  return { taskId, guard: {}, events: [{ kind: 'artifact', body }] };
}

function fail(message: string): never {
  throw new Error(message);
}
