/** Syncs to the disk: nothing is acknowledged or read before it is on the disk, and the event loop is not blocked. */
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

/** A disk whose syncs complete on command. */
class SlowDisk {
  readonly #waiting: Done[] = [];
  #onSync: (() => void) | undefined;
  #isReady = false;

  readonly syncFile: SyncFile = (_descriptor, _isUrgent, done) => {
    if (this.#isReady) {
      setImmediate(done, null);
      return;
    }
    this.#waiting.push(done);
    this.#onSync?.();
  };

  /** Resolves when the store waits for a sync. */
  async syncing(): Promise<void> {
    if (this.#waiting.length === 0) await new Promise<void>((resolve) => (this.#onSync = resolve));
  }

  /** Completes pending and later syncs. */
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

/** Waits for one turn of the event loop. */
async function turn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

function outcomeOf(promise: Promise<unknown>): { isSettled: boolean } {
  const outcome = { isSettled: false };
  const settled = (): void => void (outcome.isSettled = true);
  promise.then(settled, settled);
  return outcome;
}

test('a write is acknowledged when it is on the disk, and not when it is committed', async () => {
  const disk = new SlowDisk();
  const { store, spy } = openOn(disk);
  const created = store.create(newTask('t'));
  const outcome = outcomeOf(created);
  await disk.syncing();
  await turn();

  expect(spy.executed).toContain('COMMIT');
  expect(outcome.isSettled).toBe(false);
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

test.each(READS)('a read of %s waits until the last write is on the disk', async (_, read) => {
  const disk = new SlowDisk();
  const { store } = openOn(disk);
  const created = store.create(newTask('t'));
  await disk.syncing();
  const outcome = outcomeOf(read(store));
  await turn();

  expect(outcome.isSettled).toBe(false);
  disk.finish();
  await created;
  await turn();
  expect(outcome.isSettled).toBe(true);
});

test('a write that its guard rejects waits until the write before it is on the disk', async () => {
  const disk = new SlowDisk();
  const { store } = openOn(disk);
  const created = store.create(newTask('t'));
  const rejected = store.append({ ...chunk('t'), guard: { lease: { node: 'nobody', fence: 9 } } });
  const outcome = outcomeOf(rejected);
  await disk.syncing();
  await turn();

  expect(outcome.isSettled).toBe(false);
  disk.finish();
  await created;
  expect(await rejected).toMatchObject({ kind: 'rejected', record: { id: 't' } });
});

test('writes that arrive during a sync share the next transaction', async () => {
  const disk = new SlowDisk();
  const { store, spy } = openOn(disk);
  const first = store.create(newTask('first'));
  await disk.syncing();
  const second = store.create(newTask('second'));
  await turn();
  const third = store.create(newTask('third'));
  await turn();

  expect(spy.executed.filter((sql) => sql === 'COMMIT')).toHaveLength(1);
  disk.finish();
  const created = { kind: 'created' };
  expect(await Promise.all([first, second, third])).toMatchObject([created, created, created]);
});

test('close waits until pending writes are on the disk', async () => {
  const disk = new SlowDisk();
  const { store } = openOn(disk);
  const created = store.create(newTask('t'));
  await disk.syncing();
  const closed = store.close();
  const outcome = outcomeOf(closed);
  await turn();

  expect(outcome.isSettled).toBe(false);
  disk.finish();
  expect(await created).toMatchObject({ kind: 'created' });
  await closed;
});

test('after a failed sync every read and write fails until the file is opened again', async () => {
  const disk = new SlowDisk();
  const { store } = openOn(disk);
  const failed = { code: 'UNAVAILABLE', message: expect.stringContaining('disk of the task store has failed') };
  const created = store.create(newTask('t'));
  await disk.syncing();
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

test('each write syncs the write-ahead log of SQLite, also after a checkpoint', async () => {
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

test('a single write syncs urgently, and concurrent writes do not', async () => {
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

test('watchers are notified of a write when it is on the disk', async () => {
  const disk = new SlowDisk();
  const { store } = openOn(disk);
  const notified: string[] = [];
  store.watch((taskId) => notified.push(taskId));
  const created = store.create(newTask('t'));
  await disk.syncing();
  await turn();

  expect(notified).toEqual([]);
  disk.finish();
  await created;
  expect(notified).toEqual(['t']);
});

test('repeats, rejected writes and empty claims need no sync', async () => {
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
  const rejected = store.append({ ...chunk('t'), guard: { lease: { node: 'nobody', fence: 9 } } });
  expect(await rejected).toMatchObject({ kind: 'rejected' });
  expect(await store.claim({ node: 'n', agents: ['nobody'], limit: 9 })).toEqual([]);
  expect(syncs).toBe(1);
  expect(await store.append(chunk('t'))).toMatchObject({ kind: 'appended' });
  expect(syncs).toBe(2);
});

test('a heartbeat succeeds while the disk does not respond', async () => {
  const syncs: (() => void)[] = [];
  const store = sqlite(path, { stallMs: 1, syncFile: (_descriptor, _isUrgent, done) => syncs.push(() => done(null)) });
  onTestFinished(() => store.close());
  const writes = [store.create(newTask('a')), store.create(newTask('b'))];
  await vi.waitFor(() => expect(store.read(ALICE, 'a')).rejects.toMatchObject({ code: 'UNAVAILABLE' }));

  await store.heartbeat('n', 1000);
  for (const done of syncs.splice(0)) done();
  await Promise.all(writes);
  expect(await store.read(ALICE, 'a')).toMatchObject({ record: { id: 'a' } });
});
