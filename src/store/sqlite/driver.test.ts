import { expect, test } from 'vitest';

import { loadDriver } from './driver.ts';

/** A library in its outer shape: what it opens says which one it is. */
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

/** Loads only the libraries that are installed, each in its own shape. */
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
])('the first library that can be loaded is taken: %s', (name, modules) => {
  expect(loadDriver(installed(modules))('tasks.db').exec('')).toBe(`tasks.db by ${name}`);
});

test.each([
  ['only has objects', OBJECTS],
  ['can be told to', { ...ARRAYS, setReturnArrays: () => {} }],
  ['has another statement for it', { ...OBJECTS, reader: true, raw: () => ARRAYS }],
])('rows are arrays, though the library %s', (_, statement) => {
  const modules = { 'node:sqlite': { DatabaseSync: library('Node', statement) } };
  const prepared = loadDriver(installed(modules))('tasks.db').prepare('');

  expect(prepared.get()).toEqual([1, 2]);
  expect(prepared.all()).toEqual([[1, 2]]);
  expect(prepared.run()).toBe('done');
});

test('a statement without rows is left alone by a library that would refuse to make arrays of them', () => {
  const refuse = (): never => {
    throw new Error('This statement does not return data');
  };
  const modules = { 'better-sqlite3': library('another', { ...OBJECTS, reader: false, raw: refuse }) };

  expect(loadDriver(installed(modules))('tasks.db').prepare('').run()).toBe('done');
});

test('without any library the reader is told what to install, and why each was not taken', () => {
  const load = (): unknown => loadDriver(installed({}));

  expect(load).toThrow(/^SQLite on Node \d+ needs a driver: npm i @photostructure\/sqlite$/);
  expect(load).toThrow(expect.objectContaining({ cause: expect.objectContaining({ errors: expect.any(Array) }) }));
});

test('this Node has a library, and it works', () => {
  const database = loadDriver()(':memory:');
  const row = database.prepare('SELECT ? AS a, ? AS b').get(1, 'two');
  database.close();

  expect(row).toEqual([1, 'two']);
});
