import { afterEach, beforeEach, expect, test } from 'vitest';

import type { JsonObject } from '../../model/json.ts';
import { steadyClock } from '../../support/time/steady-clock.ts';
import { newRecord } from '../guard.ts';
import type { TaskRecord } from '../store.ts';
import { Connection } from './database/connection.ts';
import { loadDriver } from './database/driver.ts';
import { migrate } from './migrate.ts';
import { findTask } from './task-row.ts';
import { Tasks } from './tasks.ts';

let connection: Connection;
let tasks: Tasks;
let statements: number;
let writes: number;

beforeEach(() => {
  const open = loadDriver();
  connection = new Connection((path) => {
    const database = open(path);
    const counted = (sql: string): ReturnType<typeof database.prepare> => {
      const statement = database.prepare(sql);
      return {
        get(...values) {
          statements += 1;
          return statement.get(...values);
        },
        all: (...values) => statement.all(...values),
        run(...values) {
          writes += 1;
          return statement.run(...values);
        },
      };
    };
    return { exec: (sql) => database.exec(sql), prepare: counted, close: () => database.close() };
  }, ':memory:');
  migrate(connection, 0);
  tasks = new Tasks(connection, steadyClock);
  statements = 0;
});

afterEach(() => connection.close());

function insert(id: string, origin: JsonObject = {}): TaskRecord {
  const task = {
    id,
    tenant: 'acme',
    owner: 'alice',
    contextId: 'c',
    agent: 'translator',
    status: { state: 'TASK_STATE_WORKING' as const },
    origin,
    message: { messageId: 'm', role: 'ROLE_USER' as const, parts: [] },
    createdAt: 1,
    wakeAt: 1,
  };
  return tasks.insert(newRecord(task), JSON.stringify(task.message)).record;
}

function update(id: string, changes: Partial<TaskRecord>): void {
  const task = tasks.find(id);
  if (task === undefined) throw new Error(`There is no task ${id}`);
  tasks.update(task, { ...task.record, ...changes });
}

test('a task that was just written is cached and equals its row', () => {
  insert('a');
  update('a', { question: 'q', attempts: 3 });
  statements = 0;
  const found = tasks.find('a');

  expect(statements).toBe(0);
  tasks.save();
  expect(findTask(connection, 'a')).toMatchObject(found ?? {});
  expect(found?.record).toMatchObject({ question: 'q', attempts: 3 });
});

test('save writes each changed row once, in its latest state', () => {
  insert('a');
  insert('b');
  update('a', { question: 'q' });
  update('a', { question: 'r', attempts: 2 });
  expect(findTask(connection, 'a')).toBeUndefined();
  writes = 0;
  tasks.save();

  expect(writes).toBe(2);
  expect(findTask(connection, 'a')?.record).toMatchObject({ question: 'r', attempts: 2 });
  update('a', { attempts: 3 });
  update('a', { attempts: 0 });
  tasks.save();
  tasks.save();

  expect(writes).toBe(3);
  expect(findTask(connection, 'a')?.record).toMatchObject({ question: 'r', attempts: 0 });
});

test('a write that was rolled back is not cached', () => {
  insert('a');
  tasks.save();
  connection.exec('BEGIN');
  update('a', { question: 'q' });
  insert('b');
  tasks.save();
  connection.rollback();
  tasks.forget();

  expect(tasks.find('a')?.record.question).toBeUndefined();
  expect(tasks.find('b')).toBeUndefined();
});

test.each([false, true])('a removed task is not found, if it was saved: %s', (isSaved) => {
  insert('a');
  if (isSaved) tasks.save();
  const task = tasks.find('a');
  if (task !== undefined) tasks.remove(task);
  tasks.save();

  expect(tasks.find('a')).toBeUndefined();
});

test('the cache is limited in number, and all tasks are found', () => {
  const ids = Array.from({ length: 2500 }, (_, i) => `task-${i}`);
  for (const id of ids) insert(id);
  tasks.save();
  statements = 0;

  expect(ids.map((id) => tasks.find(id)?.record.id)).toEqual(ids);
  expect(statements).toBeGreaterThanOrEqual(1500);
});

const MEBIBYTE = 'x'.repeat(2 ** 20);

test.each<[string, (id: string) => void]>([
  ['created', (id) => insert(id, { big: MEBIBYTE })],
  [
    'written to',
    (id) => {
      insert(id);
      tasks.save();
      update(id, { metadata: { big: MEBIBYTE } });
    },
  ],
])('the cache is limited in size, for tasks that are large when they are %s', (_what, make) => {
  const ids = Array.from({ length: 60 }, (_, i) => `task-${i}`);
  for (const id of ids) {
    make(id);
    tasks.save();
  }
  statements = 0;
  expect(ids.map((id) => tasks.find(id)?.record.id)).toEqual(ids);
  expect(statements).toBeGreaterThanOrEqual(60 - 16);

  // Tasks that were read are not cached either.
  statements = 0;
  for (const id of ids) tasks.find(id);
  expect(statements).toBeGreaterThanOrEqual(60 - 16);
});

test('a large task that is written repeatedly stays cached', () => {
  insert('a', { big: MEBIBYTE });
  tasks.save();
  statements = 0;
  for (let i = 0; i < 100; i += 1) {
    update('a', { attempts: i });
    tasks.save();
  }
  expect(statements).toBe(0);
});

test('origin is parsed only on access', () => {
  insert('a', { from: 'the request' });
  tasks.save();
  connection.run("UPDATE task SET origin = 'no JSON'");
  const record = findTask(connection, 'a')?.record;

  expect(record?.id).toBe('a');
  expect(() => record?.origin).toThrow(SyntaxError);
});

test('an ended task is not cached', () => {
  insert('a');
  update('a', { status: { state: 'TASK_STATE_COMPLETED' }, endedAt: 5, lastEvent: 7 });
  tasks.save();
  statements = 0;

  expect(tasks.find('a')?.record).toMatchObject({ endedAt: 5, lastEvent: 7 });
  expect(statements).toBe(1);
});
