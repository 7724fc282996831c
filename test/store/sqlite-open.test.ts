/** Which files a SQLite store takes, and what it says of those it does not. */
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

import { afterAll, expect, test } from 'vitest';

import { loadDriver } from '../../src/store/sqlite/database/driver.ts';
import { MIGRATIONS } from '../../src/store/sqlite/migrate.ts';
import { sqlite } from '../../src/store/sqlite/store.ts';
import { verifies } from '../helpers/verifies.ts';
import { ALICE, newTask, scratchFolder, spyDriver } from './sqlite-driver.ts';

const scratch = scratchFolder();

afterAll(() => scratch.remove());

/** Opens a file that must be refused, and checks that it stays as it is. */
function refusalOf(path: string): string {
  const before = readFileSync(path);
  let message = 'It was opened';
  try {
    sqlite(path);
  } catch (error) {
    message = (error as Error).message;
  }
  expect(readFileSync(path).equals(before)).toBe(true);
  expect(existsSync(`${path}-wal`) ? statSync(`${path}-wal`).size : 0).toBe(0);
  return message;
}

async function filled(tasks = 0): Promise<string> {
  const path = scratch.file();
  const store = sqlite(path);
  await Promise.all(Array.from({ length: tasks }, (_, i) => store.create(newTask(`t-${i}`))));
  await store.close();
  return path;
}

/** Writes past SQLite, into the bytes of the file. */
function overwrite(path: string, position: number, bytes: Uint8Array): void {
  const file = openSync(path, 'r+');
  writeSync(file, bytes, 0, bytes.length, position);
  closeSync(file);
}

test('a file that is open in this process is refused by name, also through a link', async () => {
  const path = scratch.file();
  const store = sqlite(path);
  symlinkSync(path, `${path}.link`);

  expect(() => sqlite(path)).toThrow(`${path} is already open in this process`);
  expect(() => sqlite(`${path}.link`)).toThrow(`${path} is already open in this process`);
  await store.close();
  await sqlite(path).close();
});

test('two files are two stores', async () => {
  const one = sqlite(scratch.file());
  const two = sqlite(scratch.file());
  await one.create(newTask('a'));

  expect(await two.read(ALICE, 'a')).toBeUndefined();
  await Promise.all([one.close(), two.close()]);
});

test.each(['', ':memory:'])('%o is no file', (path) => {
  expect(() => sqlite(path)).toThrow('needs a file');
});

test('a folder that does not exist is named', () => {
  const path = join(dirname(scratch.file()), 'nowhere', 'tasks.db');

  expect(() => sqlite(path)).toThrow(`${path} cannot be opened: check that its directory exists`);
});

test('a folder is no file', () => {
  const path = scratch.file();
  mkdirSync(path);

  expect(() => sqlite(path)).toThrow(`${path} cannot be opened`);
});

test('a file that is no database is refused and left as it is', () => {
  const path = scratch.file();
  writeFileSync(path, 'Dear diary, '.repeat(1000));

  expect(refusalOf(path)).toBe(`${path} is not a SQLite database: use another file. This file was not changed`);
});

test('the database of another program is refused and left as it is', () => {
  const path = scratch.file();
  const database = loadDriver()(path);
  database.exec('CREATE TABLE diary (entry TEXT)');
  database.close();

  expect(refusalOf(path)).toBe(`${path} belongs to another program: use another file. This file was not changed`);
});

test('the file of a pre-release is refused and left as it is', async () => {
  const path = await filled();
  const database = loadDriver()(path);
  database.exec('PRAGMA application_id = 1413566020; PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();

  expect(refusalOf(path)).toBe(`${path} was written by a pre-release of tandem-a2a: delete it, or use another file`);
});

test('a file with a newer schema is refused and left as it is', async () => {
  const path = await filled();
  const database = loadDriver()(path);
  database.exec("UPDATE meta SET value = 99 WHERE name = 'schema'; PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();

  expect(refusalOf(path)).toContain(`${path} was written by a newer version of tandem-a2a (schema version 99, `);
});

test('a file with a damaged schema is refused and left as it is', async () => {
  const path = await filled();
  overwrite(path, 100, new Uint8Array(3000).fill(0xff));

  expect(refusalOf(path)).toBe(`${path} is damaged: restore it from a backup, or use another file`);
});

test('a file that was refused is not locked', async () => {
  const path = scratch.file();
  writeFileSync(path, 'Dear diary, '.repeat(1000));
  expect(() => sqlite(path)).toThrow('is not a SQLite database');
  writeFileSync(path, '');

  await sqlite(path).close();
});

test('an empty file becomes a store', async () => {
  const path = scratch.file();
  writeFileSync(path, '');
  const store = sqlite(path);

  expect(await store.list(ALICE, { limit: 10 })).toEqual({ tasks: [], total: 0 });
  await store.close();
});

const rightsOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

test(verifies('P-13', 'a new file, with all beside it, is for its owner alone'), async () => {
  const path = scratch.file();
  const store = sqlite(path);
  await store.create(newTask('a'));

  const files = ['', '-wal', '-shm', '.lock'].map((end) => rightsOf(path + end));
  await store.close();
  expect(files).toEqual(['600', '600', '600', '600']);
});

test('a file keeps the rights that it was given', async () => {
  const path = scratch.file();
  writeFileSync(path, '');
  chmodSync(path, 0o640);
  await sqlite(path).close();

  expect(rightsOf(path)).toBe('640');
});

test('an upgrade is on the disk when it is done, then checkpoints are, and the log is written ahead', async () => {
  const spy = spyDriver();
  const store = sqlite(scratch.file(), { driver: spy.driver });
  const pragma = (name: string): unknown => spy.database().prepare(`PRAGMA ${name}`).get()?.[0];

  expect(pragma('journal_mode')).toBe('wal');
  const setting = spy.executed.findIndex((sql) => sql.includes('synchronous = FULL'));
  expect(setting).toBeGreaterThan(-1);
  expect(setting).toBeLessThan(spy.executed.findIndex((sql) => sql.includes('CREATE TABLE')));
  // Commits are put there by the store, see sqlite-sync.test.ts.
  expect(pragma('synchronous')).toBe(1);
  expect(pragma('trusted_schema')).toBe(0);
  await store.close();
});

test('every migration is applied once, in the order of its number', async () => {
  const path = scratch.file();
  const first = spyDriver();
  await sqlite(path, { driver: first.driver }).close();
  const second = spyDriver();
  await sqlite(path, { driver: second.driver }).close();

  expect(first.executed.filter((sql) => /CREATE |ALTER /.test(sql))).toHaveLength(MIGRATIONS.length);
  expect(second.executed.filter((sql) => /CREATE |ALTER /.test(sql))).toEqual([]);
});

test('the list of migrations is the folder of migrations', () => {
  const names = readdirSync(new URL('../../src/store/sqlite/migrations', import.meta.url)).sort();

  expect(MIGRATIONS).toEqual(names);
  expect(names.map((name) => Number(name.slice(0, 4)))).toEqual(names.map((_, i) => i + 1));
});

test('a migration that fails leaves the file empty, and the next try succeeds', async () => {
  const path = scratch.file();
  const spy = spyDriver();
  spy.failure = (sql) => (sql === 'COMMIT' ? new Error('no') : undefined);
  expect(() => sqlite(path, { driver: spy.driver })).toThrow('no');

  await sqlite(path).close();
});
