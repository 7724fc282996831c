/** Closing a SQLite store: pending writes are stored, the file is released, and later calls fail with the reason. */
import { existsSync, statSync } from 'node:fs';

import { afterAll, expect, test } from 'vitest';

import { sqlite } from '../../src/store/sqlite/store.ts';
import { ALICE, chunk, newTask, pushConfig, scratchFolder, spyDriver, sqliteError } from './sqlite-driver.ts';

const scratch = scratchFolder();

afterAll(() => scratch.remove());

test('close stores pending writes before it closes the file', async () => {
  const path = scratch.file();
  const store = sqlite(path);
  await store.create(newTask('a'));
  const writes = Promise.all(Array.from({ length: 600 }, () => store.append(chunk('a'))));
  await store.close();
  await writes;
  const again = sqlite(path);

  expect((await again.read(ALICE, 'a'))?.record.lastEvent).toBe(601);
  await again.close();
});

test('close moves everything from the write-ahead log into the database file', async () => {
  const path = scratch.file();
  const store = sqlite(path);
  await store.create(newTask('a'));
  expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);
  await store.close();

  expect(existsSync(`${path}-wal`) ? statSync(`${path}-wal`).size : 0).toBe(0);
});

test('close can be called several times', async () => {
  const path = scratch.file();
  const store = sqlite(path);
  await Promise.all([store.close(), store.close()]);
  await store.close();

  await sqlite(path).close();
});

test('every call to a closed store fails with the reason', async () => {
  const store = sqlite(scratch.file());
  const closing = store.close();
  const closed = { name: 'A2AError', code: 'UNAVAILABLE', message: 'The task store is closed' };
  const lease = { node: 'n', fence: 1 };
  const policy = { endedBefore: 0, keepEnded: 0, eventsEndedBefore: 0, limit: 1 };

  const calls = [
    store.create(newTask('a')),
    store.append(chunk('a')),
    store.dropForReply('a', lease, newTask('a').message),
    store.read(ALICE, 'a'),
    store.resolveAlias(ALICE, 'a'),
    store.list(ALICE, { limit: 1 }),
    store.events('a', 0, 1),
    store.journal('a'),
    store.putPushConfig(ALICE, 'a', pushConfig('c'), 1),
    store.pushConfigs(ALICE, 'a', { limit: 1 }),
    store.deletePushConfig(ALICE, 'a', 'c'),
    store.claim({ node: 'n', agents: [], limit: 1 }),
    store.nextWake(['translator']),
    store.heartbeat('n', 1),
    store.retire('n'),
    store.prune(policy),
  ];
  for (const call of calls) await expect(call).rejects.toMatchObject(closed);
  await closing;
});

test('close succeeds on a full disk', async () => {
  const path = scratch.file();
  const spy = spyDriver();
  const store = sqlite(path, { driver: spy.driver });
  await store.create(newTask('a'));
  spy.failure = (sql) => (sql.includes('checkpoint') ? sqliteError(13, 'database or disk is full') : undefined);
  await store.close();
  const again = sqlite(path);

  expect((await again.read(ALICE, 'a'))?.record.id).toBe('a');
  await again.close();
});
