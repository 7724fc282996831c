import { createRequire } from 'node:module';

/** The column types that we use. */
export type SqlValue = null | number | string;

export type Row = readonly SqlValue[];

/** A prepared statement. Rows are arrays, which cost half as much as objects with column names. */
export interface Statement {
  get(...values: Row): Row | undefined;
  all(...values: Row): Row[];
  run(...values: Row): unknown;
}

/** The part of a SQLite library that we use. Everything is synchronous. */
export interface Database {
  exec(sql: string): unknown;
  prepare(sql: string): Statement;
  close(): unknown;
}

/** Opens a database file and creates it if it does not exist. */
export type Driver = (path: string) => Database;

/** The common part of the libraries, and their ways to return arrays. */
interface LibraryStatement {
  get(...values: Row): object | undefined;
  all(...values: Row): object[];
  run(...values: Row): unknown;
  /** `node:sqlite` since Node 22.16, and `@photostructure/sqlite`. */
  setReturnArrays?(enabled: boolean): void;
  /** `better-sqlite3`, for statements that return rows. */
  raw?(): Statement;
  readonly reader?: boolean;
}

type LibraryDatabase = new (path: string) => {
  exec(sql: string): unknown;
  prepare(sql: string): LibraryStatement;
  close(): unknown;
};

interface Library {
  readonly name: string;
  classOf(module: unknown): LibraryDatabase;
}

const databaseSync = (module: unknown): LibraryDatabase => (module as { DatabaseSync: LibraryDatabase }).DatabaseSync;

/** In order of preference. The first two have the same API. Of the third we use only the common part. */
const LIBRARIES: readonly Library[] = [
  { name: 'node:sqlite', classOf: databaseSync },
  { name: '@photostructure/sqlite', classOf: databaseSync },
  { name: 'better-sqlite3', classOf: (module) => module as LibraryDatabase },
];

const require = createRequire(import.meta.url);

/**
 * Loads a SQLite library. Node has one since 22.13. For older versions it is an optional dependency, so the error comes from this
 * call and not from importing this file.
 */
export function loadDriver(load: (name: string) => unknown = require): Driver {
  const reasons: unknown[] = [];
  for (const { name, classOf } of LIBRARIES) {
    try {
      const Class = classOf(load(name));
      return (path) => openWith(Class, path);
    } catch (error) {
      reasons.push(error);
    }
  }
  const node = process.versions.node.split('.')[0];
  throw new Error(`SQLite on Node ${node} needs a driver: npm i @photostructure/sqlite`, {
    cause: new AggregateError(reasons, 'No SQLite library could be loaded'),
  });
}

function openWith(Class: LibraryDatabase, path: string): Database {
  const database = new Class(path);
  return {
    exec: (sql) => database.exec(sql),
    prepare: (sql) => inArrays(database.prepare(sql)),
    close: () => database.close(),
  };
}

/** The statement of the library if it returns arrays, otherwise a wrapper that converts its rows. */
function inArrays(statement: LibraryStatement): Statement {
  if (statement.raw !== undefined) return statement.reader === true ? statement.raw() : (statement as Statement);
  if (statement.setReturnArrays !== undefined) {
    statement.setReturnArrays(true);
    const rows = statement as Statement;
    // `get` runs the statement, too, and does not count the changed rows, which takes a third of a write.
    return { get: rows.get.bind(rows), all: rows.all.bind(rows), run: rows.get.bind(rows) };
  }
  return {
    get(...values) {
      const row = statement.get(...values);
      return row && (Object.values(row) as Row);
    },
    all: (...values) => statement.all(...values).map((row) => Object.values(row) as Row),
    run: (...values) => statement.run(...values),
  };
}
