import { createRequire } from 'node:module';

/** What a column can hold here. */
export type SqlValue = null | number | string;

export type Row = readonly SqlValue[];

/** A prepared statement. A row is an array of its columns: half the price of an object with their names. */
export interface Statement {
  get(...values: Row): Row | undefined;
  all(...values: Row): Row[];
  run(...values: Row): unknown;
}

/** All that we ask of a SQLite library. Everything is synchronous. */
export interface Database {
  exec(sql: string): unknown;
  prepare(sql: string): Statement;
  close(): unknown;
}

/** Opens a database file, creating it if there is none. */
export type Driver = (path: string) => Database;

/** What the libraries have in common, and the ways in which they give arrays. */
interface LibraryStatement {
  get(...values: Row): object | undefined;
  all(...values: Row): object[];
  run(...values: Row): unknown;
  /** `node:sqlite` since 22.16, and its double. */
  setReturnArrays?(enabled: boolean): void;
  /** `better-sqlite3`, for statements that give rows. */
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

/** In the order of preference. The first two have the same API; of the third we only use what is alike. */
const LIBRARIES: readonly Library[] = [
  { name: 'node:sqlite', classOf: databaseSync },
  { name: '@photostructure/sqlite', classOf: databaseSync },
  { name: 'better-sqlite3', classOf: (module) => module as LibraryDatabase },
];

const require = createRequire(import.meta.url);

/**
 * Finds a SQLite library. Node has one from 22.13 on; before that it is an optional dependency, whose absence is told
 * here and not when this file is loaded.
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

/** Either the library's own statement, or one that takes its rows apart. */
function inArrays(statement: LibraryStatement): Statement {
  if (statement.raw !== undefined) return statement.reader === true ? statement.raw() : (statement as Statement);
  if (statement.setReturnArrays !== undefined) {
    statement.setReturnArrays(true);
    const rows = statement as Statement;
    // Asking for a row that there is none of does the same, without counting what has changed: a third of a write.
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
