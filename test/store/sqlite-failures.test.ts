/** Failures of an open SQLite store: a full disk, and a file that is locked, read-only, damaged or taken over. */
import { closeSync, openSync, writeSync } from 'node:fs';

import { afterAll, expect, test } from 'vitest';

import type { Database } from '../../src/store/sqlite/database/driver.ts';
import { loadDriver } from '../../src/store/sqlite/database/driver.ts';
import { sqlite } from '../../src/store/sqlite/store.ts';
import type { Store } from '../../src/store/store.ts';
import { ALICE, chunk, newTask, scratchFolder, spyDriver } from './sqlite-driver.ts';

const scratch = scratchFolder();

afterAll(() => scratch.remove());

function unavailable(sentence: string): Record<string, unknown> {
  return { name: 'A2AError', code: 'UNAVAILABLE', message: expect.stringContaining(sentence), retryAfterMs: 1000 };
}

/** Appends until it fails; returns the number of acknowledged events, and the error. */
async function appendUntilFailure(store: Store, taskId: string): Promise<{ acknowledged: number; error: unknown }> {
  for (let acknowledged = 1; acknowledged < 10_000;) {
    const writes = Array.from({ length: 8 }, () => store.append(chunk(taskId, 'x'.repeat(1000))));
    for (const result of await Promise.allSettled(writes)) {
      if (result.status === 'rejected') return { acknowledged, error: result.reason };
      acknowledged += 1;
    }
  }
  throw new Error('No append failed');
}

async function storedEvents(store: Store, taskId: string): Promise<readonly number[]> {
  return (await store.events(taskId, 0, Infinity)).map(({ number }) => number);
}

function pageCount(database: Database): number {
  return Number(database.prepare('PRAGMA page_count').get()?.[0]);
}

test('a store with a full disk keeps acknowledged writes, rejects new ones, and accepts them when there is room', async () => {
  const path = scratch.file();
  const spy = spyDriver();
  const store = sqlite(path, { driver: spy.driver });
  await store.create(newTask('a'));
  spy.database().exec(`PRAGMA max_page_count = ${pageCount(spy.database()) + 20}`);
  const { acknowledged, error } = await appendUntilFailure(store, 'a');

  expect(error).toMatchObject(unavailable('The disk of the task store is full: nothing was stored'));
  expect(acknowledged).toBeGreaterThan(8);
  const events = Array.from({ length: acknowledged }, (_, i) => i + 1);
  expect(await storedEvents(store, 'a')).toEqual(events);
  spy.database().exec('PRAGMA max_page_count = 1000000');
  expect(await store.append(chunk('a'))).toMatchObject({ kind: 'appended', firstEvent: acknowledged + 1 });
  await store.close();

  const again = sqlite(path);
  expect(await storedEvents(again, 'a')).toEqual([...events, acknowledged + 1]);
  await again.close();
});

test('prune removes old tasks on a full disk, which makes room', async () => {
  const spy = spyDriver();
  const store = sqlite(scratch.file(), { driver: spy.driver });
  await store.create(newTask('old'));
  await Promise.all(Array.from({ length: 50 }, () => store.append(chunk('old', 'x'.repeat(1000)))));
  await store.append({ taskId: 'old', guard: {}, status: { state: 'TASK_STATE_COMPLETED' }, endedAt: 1 });
  await store.create(newTask('new'));
  spy.database().exec(`PRAGMA max_page_count = ${pageCount(spy.database())}`);
  await appendUntilFailure(store, 'new');

  expect(await store.prune({ endedBefore: 2, keepEnded: 10, eventsEndedBefore: 0, limit: 10 })).toBe(1);
  expect(await store.append(chunk('new', 'x'.repeat(1000)))).toMatchObject({ kind: 'appended' });
  await store.close();
});

test('a store with a read-only file still reads, and rejects writes until the file is writable', async () => {
  const spy = spyDriver();
  const store = sqlite(scratch.file(), { driver: spy.driver });
  await store.create(newTask('a'));
  spy.database().exec('PRAGMA query_only = ON');

  await expect(store.append(chunk('a'))).rejects.toMatchObject(unavailable('The task store is read-only'));
  expect(await storedEvents(store, 'a')).toEqual([1]);
  spy.database().exec('PRAGMA query_only = OFF');
  expect(await store.append(chunk('a'))).toMatchObject({ kind: 'appended', firstEvent: 2 });
  await store.close();
});

test('a write waits for a file that another program has locked, without blocking the event loop', async () => {
  const path = scratch.file();
  const spy = spyDriver();
  const store = sqlite(path, { driver: spy.driver });
  await store.create(newTask('a'));
  const other = loadDriver()(path);
  other.exec('BEGIN IMMEDIATE');
  let tries = 0;
  const isBlocked = new Promise<void>((resolve) => {
    spy.failure = (sql) => {
      if (sql === 'BEGIN IMMEDIATE' && (tries += 1) === 2) resolve();
      return undefined;
    };
  });
  const write = store.append(chunk('a'));
  await isBlocked;
  expect(await storedEvents(store, 'a')).toEqual([1]);
  other.exec('COMMIT');
  other.close();

  expect(await write).toMatchObject({ kind: 'appended', firstEvent: 2 });
  await store.close();
});

test('a read of damaged data fails with the reason, and reads of other tasks succeed', async () => {
  const path = scratch.file();
  const store = sqlite(path);
  await store.create(newTask('small'));
  await store.create(newTask('large'));
  await store.append({ taskId: 'large', guard: {}, artifacts: 'x'.repeat(500_000) });
  await store.close();
  const file = openSync(path, 'r+');
  writeSync(file, new Uint8Array(40_960).fill(0xff), 0, 40_960, 200_704);
  closeSync(file);
  const again = sqlite(path);

  await expect(again.read(ALICE, 'large', { artifacts: true })).rejects.toMatchObject(
    unavailable('The file of the task store is damaged'),
  );
  expect((await again.read(ALICE, 'small'))?.record.id).toBe('small');
  await again.close();
});

test('a write sees changes of another program in the file', async () => {
  const path = scratch.file();
  const store = sqlite(path);
  await store.create(newTask('a'));
  await store.append({ ...chunk('a'), question: 'q-1' });
  const other = loadDriver()(path);
  other.exec('UPDATE task SET question = \'"q-2"\'');
  other.close();

  const write = { ...chunk('a'), guard: { question: 'q-1' } };
  expect(await store.append(write)).toMatchObject({ kind: 'rejected', record: { question: 'q-2' } });
  await store.close();
});

test('a store whose file another process has opened stops reading and writing', async () => {
  const path = scratch.file();
  const store = sqlite(path);
  await store.create(newTask('a'));
  const other = loadDriver()(path);
  other.exec("UPDATE meta SET value = value + 1 WHERE name = 'boot'");
  other.close();

  const rejection = { code: 'UNAVAILABLE', message: 'Another process has taken over the task store' };
  // More writes than fit into one transaction.
  for (const result of await Promise.allSettled(Array.from({ length: 600 }, () => store.append(chunk('a'))))) {
    expect(result).toMatchObject({ status: 'rejected', reason: rejection });
  }
  await expect(store.append(chunk('a'))).rejects.toMatchObject(rejection);
  await expect(store.read(ALICE, 'a')).rejects.toMatchObject(rejection);
  await store.close();
  const again = sqlite(path);
  expect(await storedEvents(again, 'a')).toEqual([1]);
  await again.close();
});
