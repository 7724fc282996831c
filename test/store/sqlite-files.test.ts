/** Files that are deleted, replaced or linked while a SQLite store is open, and disks that are full. */
import { copyFileSync, linkSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { afterAll, expect, onTestFinished, test } from 'vitest';

import type { SyncFile } from '../../src/store/sqlite/database/log-sync.ts';
import { sqlite } from '../../src/store/sqlite/store.ts';
import { agent } from '../../src/agent/agent.ts';
import { createHandler } from '../../src/server/handler.ts';
import type { Store } from '../../src/store/store.ts';
import { deferred } from '../../src/support/deferred.ts';
import { recordingLog } from '../helpers/recording-log.ts';
import { ALICE, chunk, newTask, scratchFolder, spyDriver } from './sqlite-driver.ts';

const scratch = scratchFolder();

afterAll(() => scratch.remove());

const MISSING = { code: 'UNAVAILABLE', message: expect.stringContaining('was deleted or replaced') };

const FILE_CHANGES: readonly (readonly [string, (path: string) => void])[] = [
  ['the database was deleted', (path) => rmSync(path)],
  ['the write-ahead log was deleted', (path) => rmSync(`${path}-wal`)],
  [
    'a copy has taken the place of the database',
    (path) => {
      copyFileSync(path, `${path}.copy`);
      renameSync(`${path}.copy`, path);
    },
  ],
  [
    'its folder was moved away',
    (path) => {
      renameSync(dirname(path), `${dirname(path)}.moved`);
    },
  ],
];

/** A file in a folder of its own. */
function fileInFolder(): string {
  const folder = `${scratch.file()}.d`;
  mkdirSync(folder);
  return join(folder, 'tasks.db');
}

test.each(FILE_CHANGES)('a store whose heartbeat finds that %s rejects all calls', async (_, damage) => {
  const log = recordingLog();
  const path = fileInFolder();
  const store = sqlite(path, { log });
  await store.create(newTask('a'));
  await store.heartbeat('n', 1000);
  damage(path);

  await expect(store.heartbeat('n', 1000)).rejects.toMatchObject(MISSING);
  await expect(store.append(chunk('a'))).rejects.toMatchObject(MISSING);
  await expect(store.create(newTask('b'))).rejects.toMatchObject(MISSING);
  await expect(store.read(ALICE, 'a')).rejects.toMatchObject(MISSING);
  await expect(store.heartbeat('n', 1000)).rejects.toMatchObject(MISSING);
  expect(log.lines.map(({ message }) => message)).toEqual([
    'A file of the SQLite store was deleted or replaced. Restore it and restart the process',
  ]);
  await store.close();
});

test.each(FILE_CHANGES)('a store is not ready when %s', async (_, damage) => {
  const path = fileInFolder();
  const store = sqlite(path, { log: recordingLog() });
  await store.ready?.();
  damage(path);

  await expect(store.ready?.()).rejects.toMatchObject(MISSING);
  await expect(store.create(newTask('b'))).rejects.toMatchObject(MISSING);
  await store.close();
});

test('a write that is on its way to the disk of a deleted file is not acknowledged', async () => {
  const path = scratch.file();
  const syncing = deferred<() => void>();
  const syncFile: SyncFile = (_descriptor, _isUrgent, done) => syncing.resolve(() => done(null));
  const store = sqlite(path, { log: recordingLog(), syncFile });
  const outcome = Promise.allSettled([store.create(newTask('a'))]);
  const finish = await syncing.promise;
  rmSync(path);
  await expect(store.heartbeat('n', 1000)).rejects.toMatchObject(MISSING);
  finish();

  expect(await outcome).toMatchObject([{ status: 'rejected', reason: MISSING }]);
  await store.close();
});

test('a file cannot be opened by another hard link while it is open, and later with a warning', async () => {
  const path = scratch.file();
  const link = `${path}.link`;
  const log = recordingLog();
  const store = sqlite(path, { log });
  await store.create(newTask('a'));
  linkSync(path, link);

  expect(() => sqlite(link, { log })).toThrow(`${link} is already open in this process`);
  expect(log.lines).toEqual([]);
  await store.close();

  const again = sqlite(link, { log });
  expect((await again.read(ALICE, 'a'))?.record.id).toBe('a');
  expect(log.lines).toMatchObject([{ level: 'warn', fields: { file: link, links: 2 } }]);
  await again.close();
});

/** Writes until the disk is full, simulated by a maximum of pages. */
async function fill(store: Store): Promise<void> {
  for (;;) {
    try {
      await store.append(chunk('a', 'x'.repeat(10_000)));
    } catch {
      return;
    }
  }
}

test('a store on a full disk is not ready until there is room, without any traffic', async () => {
  const spy = spyDriver();
  const store = sqlite(scratch.file(), { driver: spy.driver });
  onTestFinished(() => store.close());
  await store.create(newTask('a'));
  const pages = Number(spy.database().prepare('PRAGMA page_count').get()?.[0]);
  spy.database().exec(`PRAGMA max_page_count = ${pages + 20}`);
  await store.ready?.();
  await fill(store);

  const full = { code: 'UNAVAILABLE', message: expect.stringContaining('is full') };
  await expect(store.ready?.()).rejects.toMatchObject(full);
  spy.database().exec('PRAGMA max_page_count = 1000000');
  const readiness = async (): Promise<string> => {
    try {
      await store.ready?.();
      return 'ready';
    } catch {
      return 'full';
    }
  };
  await expect.poll(readiness).toBe('ready');
  expect(spy.database().prepare('SELECT count(*) FROM artifact').get()).toEqual([0]);
});

test('/readyz is 503 while the disk of the store is full', async () => {
  const spy = spyDriver();
  const store = sqlite(scratch.file(), { driver: spy.driver });
  const echo = agent({ name: 'Echo', description: 'Repeats the message.', run: ({ text }) => Promise.resolve(text) });
  const handler = createHandler(echo, { store, log: recordingLog() });
  onTestFinished(async () => {
    await handler.close();
    await store.close();
  });
  const readyz = async (): Promise<number> => (await handler.fetch(new Request('http://localhost/readyz'))).status;
  await handler.start();
  await store.create(newTask('a'));
  expect(await readyz()).toBe(200);
  const pages = Number(spy.database().prepare('PRAGMA page_count').get()?.[0]);
  spy.database().exec(`PRAGMA max_page_count = ${pages + 20}`);
  await fill(store);

  expect(await readyz()).toBe(503);
  spy.database().exec('PRAGMA max_page_count = 1000000');
  await expect.poll(readyz).toBe(200);
});
