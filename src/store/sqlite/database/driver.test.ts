import { expect, test } from 'vitest';

import { loadDriver } from './driver.ts';

/** A fake library. Its databases report which library opened them. */
function library(name: string, statement: object): new (path: string) => object {
  return class {
    readonly opened: string;
    constructor(path: string) {
      this.opened = `${path} by ${name}`;
    }
    exec(): string {
      return this.opened;
    }
    prepare(): object {
      return statement;
    }
  };
}

const OBJECTS = { get: () => ({ a: 1, b: 2 }), all: () => [{ a: 1, b: 2 }], run: () => 'done' };
const ARRAYS = { get: () => [1, 2], all: () => [[1, 2]], run: () => 'done' };

/** Loads only the given libraries. */
function installed(modules: Readonly<Record<string, unknown>>): (name: string) => unknown {
  return (name) => {
    if (!(name in modules)) throw new Error(`Cannot find module '${name}'`);
    return modules[name];
  };
}

const MODULES = {
  'node:sqlite': { DatabaseSync: library('Node', OBJECTS) },
  '@photostructure/sqlite': { DatabaseSync: library('its double', OBJECTS) },
  'better-sqlite3': library('another', OBJECTS),
};

test.each([
  ['Node', MODULES],
  ['its double', { ...MODULES, 'node:sqlite': undefined }],
  ['another', { 'better-sqlite3': MODULES['better-sqlite3'] }],
])('loadDriver uses the first available library: %s', (name, modules) => {
  expect(loadDriver(installed(modules))('tasks.db').exec('')).toBe(`tasks.db by ${name}`);
});

test.each([
  ['only returns objects', OBJECTS],
  ['has setReturnArrays', { ...ARRAYS, setReturnArrays: () => {} }],
  ['has raw statements', { ...OBJECTS, reader: true, raw: () => ARRAYS }],
])('rows are arrays if the library %s', (_, statement) => {
  const modules = { 'node:sqlite': { DatabaseSync: library('Node', statement) } };
  const prepared = loadDriver(installed(modules))('tasks.db').prepare('');

  expect(prepared.get()).toEqual([1, 2]);
  expect(prepared.all()).toEqual([[1, 2]]);
});

test('a library with setReturnArrays writes without counting changes', () => {
  const ran: unknown[] = [];
  const statement = { ...ARRAYS, setReturnArrays: () => {}, get: (...values: unknown[]) => void ran.push(values) };
  const modules = { 'node:sqlite': { DatabaseSync: library('Node', statement) } };
  loadDriver(installed(modules))('tasks.db').prepare('').run(1, 'two');

  expect(ran).toEqual([[1, 'two']]);
});

test('raw() is not called on a statement without rows, because better-sqlite3 would throw', () => {
  const refuse = (): never => {
    throw new Error('This statement does not return data');
  };
  const modules = { 'better-sqlite3': library('another', { ...OBJECTS, reader: false, raw: refuse }) };

  expect(loadDriver(installed(modules))('tasks.db').prepare('').run()).toBe('done');
});

test('without a library, the error names a package to install and why each library failed', () => {
  const load = (): unknown => loadDriver(installed({}));

  expect(load).toThrow(/^SQLite on Node \d+ needs a driver: npm i @photostructure\/sqlite$/);
  expect(load).toThrow(expect.objectContaining({ cause: expect.objectContaining({ errors: expect.any(Array) }) }));
});

test('the SQLite library of this installation works', () => {
  const database = loadDriver()(':memory:');
  database.exec('CREATE TABLE pair (a, b)');
  const insert = database.prepare('INSERT INTO pair VALUES (?, ?)');
  insert.run(1, 'two');
  insert.run(2, 'three');
  database.prepare('DELETE FROM pair WHERE a = ?').run(2);
  const rows = database.prepare('SELECT a, b FROM pair').all();
  database.close();

  expect(rows).toEqual([[1, 'two']]);
});
