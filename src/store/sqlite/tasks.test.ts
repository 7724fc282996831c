import { afterEach, beforeEach, expect, test } from 'vitest';

import type { TaskRecord } from '../store.ts';
import { Connection } from './connection.ts';
import { loadDriver } from './driver.ts';
import { migrate } from './migrate.ts';
import { findTask } from './task-row.ts';
import { Tasks } from './tasks.ts';

let connection: Connection;
let tasks: Tasks;
let statements: number;

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
        run: (...values) => statement.run(...values),
      };
    };
    return { exec: (sql) => database.exec(sql), prepare: counted, close: () => database.close() };
  }, ':memory:');
  migrate(connection, 0);
  tasks = new Tasks(connection);
  statements = 0;
});

afterEach(() => connection.close());

function insert(id: string): TaskRecord {
  const { record } = tasks.insert({
    id,
    tenant: 'acme',
    owner: 'alice',
    contextId: 'c',
    agent: 'translator',
    status: { state: 'TASK_STATE_WORKING' },
    origin: {},
    message: { messageId: 'm', role: 'ROLE_USER', parts: [] },
    createdAt: 1,
    wakeAt: 1,
  });
  return record;
}

function update(id: string, changes: Partial<TaskRecord>): void {
  const task = tasks.find(id);
  if (task === undefined) throw new Error(`There is no task ${id}`);
  tasks.update(task, { ...task.record, ...changes });
}

test('a task that was just written is not asked for again, and is what the database has', () => {
  insert('a');
  update('a', { question: 'q', attempts: 3 });
  statements = 0;
  const found = tasks.find('a');

  expect(statements).toBe(0);
  expect(found).toEqual(findTask(connection, 'a'));
  expect(found?.record).toMatchObject({ question: 'q', attempts: 3 });
});

test('what was undone is not remembered', () => {
  insert('a');
  connection.exec('BEGIN');
  update('a', { question: 'q' });
  insert('b');
  connection.rollback();
  tasks.forget();

  expect(tasks.find('a')?.record.question).toBeUndefined();
  expect(tasks.find('b')).toBeUndefined();
});

test('a task that was removed is gone', () => {
  insert('a');
  const task = tasks.find('a');
  if (task !== undefined) tasks.remove(task);

  expect(tasks.find('a')).toBeUndefined();
});

test('of many tasks not all are kept, and all are found', () => {
  const ids = Array.from({ length: 2500 }, (_, i) => `task-${i}`);
  for (const id of ids) insert(id);
  statements = 0;

  expect(ids.map((id) => tasks.find(id)?.record.id)).toEqual(ids);
  expect(statements).toBeGreaterThanOrEqual(1500);
});

test('a task that has ended is not kept', () => {
  insert('a');
  update('a', { status: { state: 'TASK_STATE_COMPLETED' }, endedAt: 5, lastEvent: 7 });
  statements = 0;

  expect(tasks.find('a')?.record).toMatchObject({ endedAt: 5, lastEvent: 7 });
  expect(statements).toBe(1);
});
