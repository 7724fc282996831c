/**
 * A group of options is one table: the name of each option, its check and its default. The table gives the type of the settings, the
 * defaults, and the names for "did you mean". Users read the documentation in their editor, so it stays on the members of an
 * interface. The compiler compares the members of both (`satisfies OptionTable<…>`), `test/pins/options.test.ts` compares the
 * defaults in the table, in the documentation of the members, and on the pages.
 */
import { Check, kindOf, quoted } from './check.ts';

/** Returns the value as it is used; reports a wrong one. */
type Read<T> = (check: Check, value: unknown, path: string) => T;

/** An option that is read by itself. `D` is the type of its default. */
export interface Option<T, D = undefined> {
  readonly byDefault: D;
  readonly read: Read<T>;
  /** Whether `read` also gets a value that is not set, and reports it. */
  readonly isRequired?: boolean;
}

/** An option that its group reads together with others. */
export const WITH_OTHERS = {};

/** A table with each option of `T`, and no other. */
export type OptionTable<T> = { readonly [K in keyof T]-?: Option<T[K], T[K] | undefined> | typeof WITH_OTHERS };

export type AnyTable = Readonly<Record<string, Partial<Option<unknown, unknown>>>>;

type Defaulted<Table> = {
  [K in keyof Table]: Table[K] extends Option<unknown> ? never : Table[K] extends Option<unknown, unknown> ? K : never;
}[keyof Table];
type Undefaulted<Table> = { [K in keyof Table]: Table[K] extends Option<unknown> ? K : never }[keyof Table];
type Value<O> = O extends Option<infer T, infer D> ? T | D : never;

/** The defaults of a table. */
export type Defaults<Table> = { readonly [K in Defaulted<Table>]: Value<Table[K]> };

/** The options of a table with their defaults applied, without those that are read with others. */
export type Settings<Table> = {
  readonly [K in Defaulted<Table> | Undefaulted<Table>]: Value<Table[K]>;
};

/** Like `Settings`, without options that are not set. */
type SetOnes<Table> = Defaults<Table> & {
  readonly [K in Undefaulted<Table>]?: Exclude<Value<Table[K]>, undefined>;
};

/** Reports unknown options and wrong values. `at` is the prefix of the names in messages; `hints` are advice for unknown names. */
export function readTable<Table extends AnyTable>(
  check: Check,
  given: Readonly<Record<string, unknown>>,
  table: Table,
  at = '',
  hints?: Readonly<Record<string, string>>,
): Settings<Table> {
  check.keys(given, Object.keys(table), at, hints);
  const settings: Record<string, unknown> = {};
  for (const [key, option] of Object.entries(table)) {
    if (option.read === undefined) continue;
    const isSet = given[key] !== undefined || option.isRequired === true;
    settings[key] = isSet ? option.read(check, given[key], at + key) : option.byDefault;
  }
  return settings as Settings<Table>;
}

export function defaultsOf<Table extends AnyTable>(table: Table): Defaults<Table> {
  const set = Object.entries(table).filter(([, { byDefault }]) => byDefault !== undefined);
  return Object.freeze(Object.fromEntries(set.map(([key, { byDefault }]) => [key, byDefault]))) as Defaults<Table>;
}

/** The members of `settings` that a table has, as far as they are set. */
export function pickOptions<Table extends AnyTable>(settings: Settings<Table>, table: Table): SetOnes<Table> {
  const set = Object.entries(settings).filter(([key, value]) => Object.hasOwn(table, key) && value !== undefined);
  return Object.fromEntries(set) as SetOnes<Table>;
}

/** An option that is a group of its own. */
export function group<Table extends AnyTable>(table: Table, example: string): Option<Settings<Table>, Settings<Table>> {
  const read: Read<Settings<Table>> = (check, value, path) =>
    readTable(check, check.record(value, path, example) ?? {}, table, `${path}.`);
  return option(read, readTable(new Check(), {}, table));
}

export function option<T>(read: Read<T>): Option<T>;
export function option<T>(read: Read<T>, byDefault: T): Option<T, T>;
export function option<T>(read: Read<T>, byDefault?: T): Option<T, T | undefined> {
  return { byDefault, read };
}

interface Range {
  /** 1 if not set. */
  readonly least?: number;
  readonly most?: number;
  readonly byDefault?: number;
}

type WithDefault = Range & { readonly byDefault: number };

/** A whole number. */
export function count(range: WithDefault): Option<number, number>;
export function count(range?: Range): Option<number>;
export function count({ least = 1, most, byDefault }: Range = {}): Option<number, number | undefined> {
  const read: Read<number> = (check, value, path) => {
    check.count(value, path, least, most);
    return Number(value);
  };
  return { byDefault, read };
}

/** A time in milliseconds. It is rounded, because a calculated time may have a fraction. */
export function duration(range: WithDefault): Option<number, number>;
export function duration(range?: Range): Option<number>;
export function duration({ least = 1, byDefault }: Range = {}): Option<number, number | undefined> {
  const read: Read<number> = (check, value, path) => {
    const ms = typeof value === 'number' ? Math.round(value) : Number.NaN;
    if (Number.isSafeInteger(ms) && ms >= least) return ms;
    check.fault(path, `expected a number of milliseconds >= ${least}, got ${kindOf(value)}`);
    return least;
  };
  return { byDefault, read };
}

export function flag(byDefault: boolean): Option<boolean, boolean>;
export function flag(): Option<boolean>;
export function flag(byDefault?: boolean): Option<boolean, boolean | undefined> {
  const read: Read<boolean> = (check, value, path) => {
    check.flag(value, path);
    return value === true;
  };
  return { byDefault, read };
}

/** One of several words. */
export function word<W extends string>(...words: readonly [W, ...W[]]): Option<W, W> {
  const [byDefault] = words;
  return { byDefault, read: (check, value, path) => readWord(check, value, path, words) ?? byDefault };
}

export function readWord<W extends string>(
  check: Check,
  value: unknown,
  path: string,
  words: readonly W[],
): W | undefined {
  const known = words.find((each) => each === value);
  if (value !== undefined && known === undefined)
    check.fault(path, `expected ${words.map((each) => JSON.stringify(each)).join(' or ')}, got ${quoted(value)}`);
  return known;
}

export function callback<T>(of = 'a function'): Option<T> {
  return option((check, value, path) => {
    if (typeof value !== 'function') check.fault(path, `expected ${of}, got ${kindOf(value)}`);
    return value as T;
  });
}

/** An array. It is not checked whether it is empty. */
export function listOf<T>(of: string, read: Read<T>): Option<readonly T[]> {
  return option((check, value, path) => check.list(value, path, of, (item, at) => read(check, item, at)));
}

export function text(example?: string): Option<string> {
  return option((check, value, path) => check.text(value, path, example));
}

/** An option whose `read` also gets `undefined`, and reports it. */
export function required<T>(read: Read<T>): Option<T, T> {
  return { byDefault: undefined as T, read, isRequired: true };
}

export function requiredText(example: string): Option<string, string> {
  return required((check, value, path) => check.text(value, path, example));
}

/** An http(s) URL. */
export function webAddress(): Option<string> {
  return option((check, value, path) => check.webAddress(value, path));
}

/** An object of another library, recognized by its methods. */
export function objectWith<T>(methods: readonly string[], like: string): Option<T> {
  return option((check, value, path) => {
    const isOne = typeof value === 'object' && value !== null;
    if (!isOne) check.fault(path, `expected ${like}, got ${kindOf(value)}`);
    else if (!methods.every((method) => typeof (value as Record<string, unknown>)[method] === 'function'))
      check.fault(path, `expected ${like}, with the methods ${methods.join(', ')}`);
    return value as T;
  });
}
