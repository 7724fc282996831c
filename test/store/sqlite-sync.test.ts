/** Nobody hears of anything before it is on the disk, and nobody's turn is taken while it gets there. */
import { fdatasync, fstatSync, statSync } from 'node:fs';
import { afterAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';

import type { SyncFile } from '../../src/store/sqlite/database/log-sync.ts';
import { sqlite } from '../../src/store/sqlite/store.ts';
import type { Store } from '../../src/store/store.ts';
import type { SpyDriver } from './sqlite-driver.ts';
import { ALICE, chunk, newTask, scratchFolder, spyDriver } from './sqlite-driver.ts';

const scratch = scratchFolder();
let path: string;

beforeEach(() => {
  path = scratch.file();
});

afterAll(() => scratch.remove());

type Done = Parameters<SyncFile>[2];

/** A disk that is ready when a test says so. */
class SlowDisk {
  readonly #waiting: Done[] = [];
  #onAsked: (() => void) | undefined;
  #isReady = false;

  readonly syncFile: SyncFile = (_descriptor, _isUrgent, done) => {
    if (this.#isReady) {
      setImmediate(done, null);
      return;
    }
    this.#waiting.push(done);
    this.#onAsked?.();
  };

  /** Resolves when the store waits for it. */
  async asked(): Promise<void> {
    if (this.#waiting.length === 0) await new Promise<void>((resolve) => (this.#onAsked = resolve));
  }

  /** It has written, and is quick from now on. */
  finish(): void {
    this.#isReady = true;
    for (const done of this.#waiting.splice(0)) done(null);
  }

  fail(error: Error): void {
    for (const done of this.#waiting.splice(0)) done(error);
  }
}

function openOn(disk: SlowDisk): { readonly store: Store; readonly spy: SpyDriver } {
  const spy = spyDriver();
  const store = sqlite(path, { driver: spy.driver, syncFile: disk.syncFile });
  spy.executed.length = 0;
  onTestFinished(async () => {
    disk.finish();
    await store.close();
  });
  return { store, spy };
}

/** A turn of the loop, and what follows from it. */
async function turn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

function heardOf(promise: Promise<unknown>): { isSettled: boolean } {
  const heard = { isSettled: false };
  const settled = (): void => void (heard.isSettled = true);
  promise.then(settled, settled);
  return heard;
}

test('a write is acknowledged when it is on the disk, and not when it is committed', async () => {
  const disk = new SlowDisk();
  const { store, spy } = openOn(disk);
  const created = store.create(newTask('t'));
  const heard = heardOf(created);
  await disk.asked();
  await turn();

  expect(spy.executed).toContain('COMMIT');
  expect(heard.isSettled).toBe(false);
  disk.finish();
  expect(await created).toMatchObject({ kind: 'created' });
});

const READS: readonly [name: string, read: (store: Store) => Promise<unknown>][] = [
  ['a task', (store) => store.read(ALICE, 't')],
  ['a list', (store) => store.list(ALICE, { limit: 10 })],
  ['events', (store) => store.events('t', 0, 10)],
  ['a journal', (store) => store.journal('t')],
  ['an alias', (store) => store.resolveAlias(ALICE, 'a')],
  ['the next wake-up', (store) => store.nextWake(['translator'])],
];

test.each(READS)('%s that a power cut could take back is not told', async (_, read) => {
  const disk = new SlowDisk();
  const { store } = openOn(disk);
  const created = store.create(newTask('t'));
  await disk.asked();
  const heard = heardOf(read(store));
  await turn();

  expect(heard.isSettled).toBe(false);
  disk.finish();
  await created;
  await turn();
  expect(heard.isSettled).toBe(true);
});

test('a refusal waits for what it is founded on', async () => {
  const disk = new SlowDisk();
  const { store } = openOn(disk);
  const created = store.create(newTask('t'));
  const refused = store.append({ ...chunk('t'), guard: { lease: { node: 'nobody', fence: 9 } } });
  const heard = heardOf(refused);
  await disk.asked();
  await turn();

  expect(heard.isSettled).toBe(false);
  disk.finish();
  await created;
  expect(await refused).toMatchObject({ kind: 'rejected', record: { id: 't' } });
});

test('what comes while the disk writes waits for the next transaction', async () => {
  const disk = new SlowDisk();
  const { store, spy } = openOn(disk);
  const first = store.create(newTask('first'));
  await disk.asked();
  const second = store.create(newTask('second'));
  await turn();
  const third = store.create(newTask('third'));
  await turn();

  expect(spy.executed.filter((sql) => sql === 'COMMIT')).toHaveLength(1);
  disk.finish();
  const created = { kind: 'created' };
  expect(await Promise.all([first, second, third])).toMatchObject([created, created, created]);
});

test('closing waits for the disk', async () => {
  const disk = new SlowDisk();
  const { store } = openOn(disk);
  const created = store.create(newTask('t'));
  await disk.asked();
  const closed = store.close();
  const heard = heardOf(closed);
  await turn();

  expect(heard.isSettled).toBe(false);
  disk.finish();
  expect(await created).toMatchObject({ kind: 'created' });
  await closed;
});

test('a disk that fails is believed: nothing more is stored or told until the file is opened again', async () => {
  const disk = new SlowDisk();
  const { store } = openOn(disk);
  const failed = { code: 'UNAVAILABLE', message: expect.stringContaining('disk of the task store has failed') };
  const created = store.create(newTask('t'));
  await disk.asked();
  const outcomes = [created, store.read(ALICE, 't'), store.create(newTask('waits'))];
  disk.fail(new Error('EIO'));

  for (const outcome of outcomes) await expect(outcome).rejects.toMatchObject(failed);
  await expect(store.read(ALICE, 't')).rejects.toMatchObject(failed);
  await expect(store.create(newTask('later'))).rejects.toMatchObject(failed);
  await store.close();
  const again = sqlite(path);
  onTestFinished(() => again.close());
  expect(await again.create(newTask('later'))).toMatchObject({ kind: 'created' });
  expect(await again.read(ALICE, 'waits')).toBeUndefined();
});

test('what is put on the disk is the log that SQLite writes, also after that was taken in', async () => {
  const synced: bigint[] = [];
  const spy = spyDriver();
  const store = sqlite(path, {
    driver: spy.driver,
    syncFile(descriptor, _isUrgent, done) {
      synced.push(fstatSync(descriptor, { bigint: true }).ino);
      fdatasync(descriptor, done);
    },
  });
  onTestFinished(() => store.close());
  await store.create(newTask('before'));
  spy.database().exec('PRAGMA wal_checkpoint(TRUNCATE)');
  await store.create(newTask('after'));

  const { ino, size } = statSync(`${path}-wal`, { bigint: true });
  expect(synced).toEqual([ino, ino]);
  expect(size).toBeGreaterThan(0n);
});

test('a write alone is put on the disk in its own turn, several at once are not', async () => {
  const urgent: boolean[] = [];
  const store = sqlite(path, {
    syncFile(_, isUrgent, done) {
      urgent.push(isUrgent);
      done(null);
    },
  });
  onTestFinished(() => store.close());
  await store.create(newTask('alone'));
  expect(urgent).toEqual([true]);

  // On a busy machine a transaction may have room for one write only.
  for (let i = 0; i < 50 && urgent.every(Boolean); i += 1) {
    await Promise.all([store.create(newTask(`a-${i}`)), store.create(newTask(`b-${i}`))]);
  }
  expect(urgent).toContain(false);
});

test('who watches hears of a write when it is on the disk', async () => {
  const disk = new SlowDisk();
  const { store } = openOn(disk);
  const heard: string[] = [];
  store.watch((taskId) => heard.push(taskId));
  const created = store.create(newTask('t'));
  await disk.asked();
  await turn();

  expect(heard).toEqual([]);
  disk.finish();
  await created;
  expect(heard).toEqual(['t']);
});

test('what changes nothing asks nothing of the disk', async () => {
  let syncs = 0;
  const store = sqlite(path, {
    syncFile(_descriptor, _isUrgent, done) {
      syncs += 1;
      done(null);
    },
  });
  onTestFinished(() => store.close());
  const idempotency = { key: 'k', digest: 'd', keepUntil: Number.MAX_SAFE_INTEGER };
  await store.create({ ...newTask('t'), idempotency });
  expect(syncs).toBe(1);

  expect(await store.create({ ...newTask('again'), idempotency })).toMatchObject({ kind: 'repeated' });
  const refused = store.append({ ...chunk('t'), guard: { lease: { node: 'nobody', fence: 9 } } });
  expect(await refused).toMatchObject({ kind: 'rejected' });
  expect(await store.claim({ node: 'n', agents: ['nobody'], limit: 9 })).toEqual([]);
  expect(syncs).toBe(1);
  expect(await store.append(chunk('t'))).toMatchObject({ kind: 'appended' });
  expect(syncs).toBe(2);
});

test('a node is not dead because the disk does not answer', async () => {
  const asked: (() => void)[] = [];
  const store = sqlite(path, { stallMs: 1, syncFile: (_descriptor, _isUrgent, done) => asked.push(() => done(null)) });
  onTestFinished(() => store.close());
  const writes = [store.create(newTask('a')), store.create(newTask('b'))];
  await vi.waitFor(() => expect(store.read(ALICE, 'a')).rejects.toMatchObject({ code: 'UNAVAILABLE' }));

  await store.heartbeat('n', 1000);
  for (const done of asked.splice(0)) done();
  await Promise.all(writes);
  expect(await store.read(ALICE, 'a')).toMatchObject({ record: { id: 'a' } });
});
