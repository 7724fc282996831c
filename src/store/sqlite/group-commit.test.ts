import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeEach, expect, test } from 'vitest';

import { A2AError } from '../../errors.ts';
import { Connection } from './connection.ts';
import { loadDriver } from './driver.ts';
import { GroupCommit } from './group-commit.ts';

const folder = mkdtempSync(join(tmpdir(), 'tandem-group-'));
const path = join(folder, 'test.db');

beforeEach(() => rmSync(path, { force: true }));
afterAll(() => rmSync(folder, { recursive: true }));

/** A table of numbers, and the commits to it. */
function open(check = (): void => {}): { connection: Connection; commits: GroupCommit; numbers: () => unknown[] } {
  const connection = new Connection(loadDriver(), path);
  connection.exec('PRAGMA busy_timeout = 0; CREATE TABLE numbers (n INTEGER UNIQUE)');
  const numbers = (): unknown[] => connection.all('SELECT n FROM numbers ORDER BY n').flat();
  return { connection, commits: new GroupCommit(connection, { check, patienceMs: 0 }), numbers };
}

test('what the work returns is what the promise gives, after a word in private', async () => {
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

test('of many writes those that throw fail, alone, though all ran twice', async () => {
  const { connection, commits, numbers } = open();
  let runs = 0;
  const insert = (n: number): void => {
    runs += 1;
    connection.run('INSERT INTO numbers VALUES (?)', n);
  };
  const results = await Promise.allSettled([1, 2, 2, 3, 1].map((n) => commits.submit(() => insert(n))));

  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'rejected']);
  expect(numbers()).toEqual([1, 2, 3]);
  // Twice and a bit: up to the first failure, and all of them again.
  expect(runs).toBe(8);
  connection.close();
});

test('a check that throws fails the whole transaction with what it threw', async () => {
  const refusal = new A2AError('UNAVAILABLE', 'No');
  const { connection, commits, numbers } = open(() => {
    throw refusal;
  });
  const write = commits.submit(() => connection.run('INSERT INTO numbers VALUES (1)'));

  await expect(write).rejects.toBe(refusal);
  expect(numbers()).toEqual([]);
  connection.close();
});

test('a lock that outlasts our patience fails all that waits, and the next write may succeed', async () => {
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

test('drain waits for what is under way, and not for what is not', async () => {
  const { connection, commits, numbers } = open();
  await commits.drain();
  const insert = (n: number): void => connection.run('INSERT INTO numbers VALUES (?)', n);
  const writes = Array.from({ length: 700 }, (_, n) => commits.submit(() => insert(n)));
  await commits.drain();

  expect(numbers()).toHaveLength(700);
  await Promise.all(writes);
  connection.close();
});
