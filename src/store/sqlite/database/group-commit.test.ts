import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';

import { A2AError } from '../../../errors.ts';
import { Connection } from './connection.ts';
import { loadDriver } from './driver.ts';
import { GroupCommit, type GroupCommitOptions } from './group-commit.ts';
import type { Sync } from './log-sync.ts';

const folder = mkdtempSync(join(tmpdir(), 'tandem-group-'));
const path = join(folder, 'test.db');

beforeEach(() => rmSync(path, { force: true }));
afterAll(() => rmSync(folder, { recursive: true }));

/** A table of numbers and its GroupCommit. */
function open(
  check = (): void => {},
  options: Partial<GroupCommitOptions> = {},
): { connection: Connection; commits: GroupCommit; numbers: () => unknown[] } {
  const connection = new Connection(loadDriver(), path);
  connection.exec('PRAGMA busy_timeout = 0; CREATE TABLE numbers (n INTEGER UNIQUE)');
  const numbers = (): unknown[] => connection.all('SELECT n FROM numbers ORDER BY n').flat();
  return { connection, commits: new GroupCommit(connection, { check, busyTimeoutMs: 0, ...options }), numbers };
}

test('submit resolves with the result of the work, after committed() was called', async () => {
  const { connection, commits } = open();
  const heard: string[] = [];
  const write = commits.submit(
    () => 'result',
    (result) => heard.push(result),
  );

  expect(await write).toBe('result');
  expect(heard).toEqual(['result']);
  connection.close();
});

/** Lets no time pass, because a busy machine must not decide how many writes share a transaction. */
function stopTime(): void {
  const now = vi.spyOn(performance, 'now').mockReturnValue(0);
  onTestFinished(() => now.mockRestore());
}

test('only the writes that throw fail, although all run twice', async () => {
  stopTime();
  const { connection, commits, numbers } = open();
  let runs = 0;
  const insert = (n: number): void => {
    runs += 1;
    connection.run('INSERT INTO numbers VALUES (?)', n);
  };
  const results = await Promise.allSettled([1, 2, 2, 3, 1].map((n) => commits.submit(() => insert(n))));

  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'rejected']);
  expect(numbers()).toEqual([1, 2, 3]);
  // Up to the first failure, and then all of them again.
  expect(runs).toBe(8);
  connection.close();
});

test('a check that throws fails the whole transaction with its error', async () => {
  const refusal = new A2AError('UNAVAILABLE', 'No');
  const { connection, commits, numbers } = open(() => {
    throw refusal;
  });
  const write = commits.submit(() => connection.run('INSERT INTO numbers VALUES (1)'));

  await expect(write).rejects.toBe(refusal);
  expect(numbers()).toEqual([]);
  connection.close();
});

test('a lock that lasts longer than busyTimeoutMs fails all waiting writes, and later writes succeed', async () => {
  const { connection, commits, numbers } = open();
  const other = new Connection(loadDriver(), path);
  other.exec('BEGIN IMMEDIATE');
  const insert = (n: number): Promise<void> =>
    commits.submit(() => connection.run('INSERT INTO numbers VALUES (?)', n));
  const results = await Promise.allSettled([insert(1), insert(2)]);
  other.exec('COMMIT');
  other.close();

  const reason = expect.objectContaining({ code: 'UNAVAILABLE', message: expect.stringContaining('locked') });
  expect(results).toEqual([
    { status: 'rejected', reason },
    { status: 'rejected', reason },
  ]);
  await insert(3);
  expect(numbers()).toEqual([3]);
  connection.close();
});

test.each([
  ['many', 700, 0],
  ['slow', 3, 11],
])('writes that are too %s for one transaction take three', async (_, writes, workMs) => {
  let transactions = 0;
  const { connection, commits } = open(() => {
    transactions += 1;
  });
  const work = (): void => {
    for (const end = performance.now() + workMs; performance.now() < end;);
  };
  await Promise.all(Array.from({ length: writes }, () => commits.submit(work)));

  expect(transactions).toBeGreaterThanOrEqual(3);
  connection.close();
});

test('drain waits only for writes in progress', async () => {
  const { connection, commits, numbers } = open();
  await commits.drain();
  const insert = (n: number): void => connection.run('INSERT INTO numbers VALUES (?)', n);
  const writes = Array.from({ length: 700 }, (_, n) => commits.submit(() => insert(n)));
  await commits.drain();

  expect(numbers()).toHaveLength(700);
  await Promise.all(writes);
  connection.close();
});

/** A disk whose syncs complete on demand. */
function heldDisk(): { readonly sync: Sync; readonly asked: Promise<void>; readonly finish: () => void } {
  const waiting: Parameters<Sync>[1][] = [];
  let onAsked = (): void => {};
  const asked = new Promise<void>((resolve) => (onAsked = resolve));
  const sync: Sync = (_isUrgent, done) => {
    waiting.push(done);
    onAsked();
  };
  return { sync, asked, finish: () => waiting.splice(0).forEach((done) => done(null)) };
}

test('if the disk does not respond, all calls fail except the writes that are being synced', async () => {
  stopTime();
  const disk = heldDisk();
  // The first of two writes is not alone, so its sync does not block the event loop.
  const { connection, commits, numbers } = open(undefined, { sync: disk.sync, stallMs: 1 });
  const insert = (n: number) => commits.submit(() => connection.run('INSERT INTO numbers VALUES (?)', n));
  const first = [insert(1), insert(2)];
  await disk.asked;
  const stalled = { code: 'UNAVAILABLE', message: expect.stringContaining('does not respond'), retryAfterMs: 1000 };

  // Together: either may reject at once.
  await Promise.all([
    expect(commits.disk.synced()).rejects.toMatchObject(stalled),
    expect(insert(3)).rejects.toMatchObject(stalled),
  ]);
  expect(commits.disk.stall).toMatchObject(stalled);
  disk.finish();
  await Promise.all(first);
  expect(commits.disk.stall).toBeUndefined();
  expect(numbers()).toEqual([1, 2]);
  connection.close();
});

test('waiting for the disk does not count towards busyTimeoutMs', async () => {
  const disk = heldDisk();
  const { connection, commits, numbers } = open(undefined, { sync: disk.sync, busyTimeoutMs: 5000 });
  const insert = (n: number) => commits.submit(() => connection.run('INSERT INTO numbers VALUES (?)', n));
  const now = vi.spyOn(performance, 'now').mockReturnValue(0);
  const first = insert(1);
  await disk.asked;
  const second = insert(2);
  now.mockReturnValue(60_000);
  const other = new Connection(loadDriver(), path);
  other.exec('BEGIN IMMEDIATE');
  disk.finish();
  await first;
  // The next turn finds the file locked and retries later.
  await new Promise((resolve) => setImmediate(resolve));
  other.exec('ROLLBACK');
  await vi.waitFor(() => expect(numbers()).toEqual([1, 2]));
  disk.finish();
  await second;
  now.mockRestore();
  other.close();
  connection.close();
});
