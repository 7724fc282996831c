/** The files that a SQLite store opens, and the errors for others. */
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

/** The error for a file that cannot be opened, which must not change. */
function errorOf(path: string): string {
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

test('a file that is open in this process cannot be opened again, also not through a symbolic link', async () => {
  const path = scratch.file();
  const store = sqlite(path);
  symlinkSync(path, `${path}.link`);

  expect(() => sqlite(path)).toThrow(`${path} is already open in this process`);
  expect(() => sqlite(`${path}.link`)).toThrow(`${path} is already open in this process`);
  await store.close();
  await sqlite(path).close();
});

test('two stores with different files do not share tasks', async () => {
  const one = sqlite(scratch.file());
  const two = sqlite(scratch.file());
  await one.create(newTask('a'));

  expect(await two.read(ALICE, 'a')).toBeUndefined();
  await Promise.all([one.close(), two.close()]);
});

test.each(['', ':memory:'])('sqlite rejects %o instead of a file', (path) => {
  expect(() => sqlite(path)).toThrow('needs a file');
});

test('the error for a file in a missing folder names its path', () => {
  const path = join(dirname(scratch.file()), 'nowhere', 'tasks.db');

  expect(() => sqlite(path)).toThrow(`${path} cannot be opened: check that its directory exists`);
});

test('sqlite rejects a folder instead of a file', () => {
  const path = scratch.file();
  mkdirSync(path);

  expect(() => sqlite(path)).toThrow(`${path} cannot be opened`);
});

test('sqlite rejects a file that is not a database, and does not change it', () => {
  const path = scratch.file();
  writeFileSync(path, 'Not a database. '.repeat(1000));

  expect(errorOf(path)).toBe(`${path} is not a SQLite database: use another file. This file was not changed`);
});

test('sqlite rejects the database of another program, and does not change it', () => {
  const path = scratch.file();
  const database = loadDriver()(path);
  database.exec('CREATE TABLE note (text TEXT)');
  database.close();

  expect(errorOf(path)).toBe(`${path} belongs to another program: use another file. This file was not changed`);
});

test('sqlite rejects a file of a pre-release, and does not change it', async () => {
  const path = await filled();
  const database = loadDriver()(path);
  database.exec('PRAGMA application_id = 1413566020; PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();

  expect(errorOf(path)).toBe(`${path} was written by a pre-release of tandem-a2a: delete it, or use another file`);
});

test('sqlite rejects a file with a newer schema, and does not change it', async () => {
  const path = await filled();
  const database = loadDriver()(path);
  database.exec("UPDATE meta SET value = 99 WHERE name = 'schema'; PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();

  expect(errorOf(path)).toContain(`${path} was written by a newer version of tandem-a2a (schema version 99, `);
});

test('sqlite rejects a file with a damaged schema, and does not change it', async () => {
  const path = await filled();
  overwrite(path, 100, new Uint8Array(3000).fill(0xff));

  expect(errorOf(path)).toBe(`${path} is damaged: restore it from a backup, or use another file`);
});

test('sqlite does not lock a file that it rejects', async () => {
  const path = scratch.file();
  writeFileSync(path, 'Not a database. '.repeat(1000));
  expect(() => sqlite(path)).toThrow('is not a SQLite database');
  writeFileSync(path, '');

  await sqlite(path).close();
});

test('sqlite opens an empty file as a new store', async () => {
  const path = scratch.file();
  writeFileSync(path, '');
  const store = sqlite(path);

  expect(await store.list(ALICE, { limit: 10 })).toEqual({ tasks: [], total: 0 });
  await store.close();
});

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

test(verifies('P-13', 'only the owner can read and write a new database and the files beside it'), async () => {
  const path = scratch.file();
  const store = sqlite(path);
  await store.create(newTask('a'));

  const files = ['', '-wal', '-shm', '.lock'].map((end) => modeOf(path + end));
  await store.close();
  expect(files).toEqual(['600', '600', '600', '600']);
});

test('sqlite keeps the permissions of an existing file', async () => {
  const path = scratch.file();
  writeFileSync(path, '');
  chmodSync(path, 0o640);
  await sqlite(path).close();

  expect(modeOf(path)).toBe('640');
});

test('sqlite opens files in WAL mode, with synchronous = FULL during upgrades and NORMAL afterwards', async () => {
  const spy = spyDriver();
  const store = sqlite(scratch.file(), { driver: spy.driver });
  const pragma = (name: string): unknown => spy.database().prepare(`PRAGMA ${name}`).get()?.[0];

  expect(pragma('journal_mode')).toBe('wal');
  const setting = spy.executed.findIndex((sql) => sql.includes('synchronous = FULL'));
  expect(setting).toBeGreaterThan(-1);
  expect(setting).toBeLessThan(spy.executed.findIndex((sql) => sql.includes('CREATE TABLE')));
  // The store itself syncs commits, see sqlite-sync.test.ts.
  expect(pragma('synchronous')).toBe(1);
  expect(pragma('trusted_schema')).toBe(0);
  await store.close();
});

test('every migration is applied once', async () => {
  const path = scratch.file();
  const first = spyDriver();
  await sqlite(path, { driver: first.driver }).close();
  const second = spyDriver();
  await sqlite(path, { driver: second.driver }).close();

  expect(first.executed.filter((sql) => /CREATE |ALTER /.test(sql))).toHaveLength(MIGRATIONS.length);
  expect(second.executed.filter((sql) => /CREATE |ALTER /.test(sql))).toEqual([]);
});

test('the list of migrations equals the files in their folder, which are numbered in order', () => {
  const names = readdirSync(new URL('../../src/store/sqlite/migrations', import.meta.url)).sort();

  expect(MIGRATIONS).toEqual(names);
  expect(names.map((name) => Number(name.slice(0, 4)))).toEqual(names.map((_, i) => i + 1));
});

test('a migration that fails leaves the file empty, and the next attempt succeeds', async () => {
  const path = scratch.file();
  const spy = spyDriver();
  spy.failure = (sql) => (sql === 'COMMIT' ? new Error('no') : undefined);
  expect(() => sqlite(path, { driver: spy.driver })).toThrow('no');

  await sqlite(path).close();
});
