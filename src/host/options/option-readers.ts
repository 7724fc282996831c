import { trimEndOf } from '../../support/trim-end.ts';
import { type Check, kindOf, quoted } from '../../support/check.ts';

/** Rejects an empty array: it would disable the server, and is most likely a lost value. */
export function rejectEmpty(check: Check, value: unknown, path: string): void {
  if (Array.isArray(value) && value.length === 0)
    check.fault(path, 'must not be empty; leave it out to use the default');
}

/** Returns the path without a trailing slash; the root is the empty string. */
export function readPath(check: Check, value: unknown, path: string): string {
  if (value === undefined) return '';
  if (typeof value === 'string' && /^\/[^?#\s]*$/.test(value)) return trimEndOf(value, '/');
  check.fault(path, `expected a path such as "/a2a", got ${quoted(value)}`);
  return '';
}

/** Checks an object of another library by its methods. */
export function readObject(
  check: Check,
  given: Readonly<Record<string, unknown>>,
  key: string,
  methods: readonly string[],
  like: string,
): unknown {
  const value = given[key];
  if (value === undefined) return undefined;
  const can = (method: string): boolean => typeof (value as Record<string, unknown>)[method] === 'function';
  if (typeof value !== 'object' || value === null) check.fault(key, `expected ${like}, got ${kindOf(value)}`);
  else if (!methods.every(can)) check.fault(key, `expected ${like}, with the methods ${methods.join(', ')}`);
  return value;
}

export function readFlag(
  check: Check,
  given: Readonly<Record<string, unknown>>,
  key: string,
  byDefault: boolean,
): boolean {
  const value = given[key];
  if (value === undefined) return byDefault;
  check.flag(value, key);
  return value === true;
}

export function readCount(
  check: Check,
  given: Readonly<Record<string, unknown>>,
  key: string,
  most?: number,
): number | undefined {
  const value = given[key];
  check.count(value, key, 1, most);
  return value === undefined ? undefined : Number(value);
}

export function readWord<T extends string, K extends string | number>(
  check: Check,
  given: Readonly<Record<K, unknown>>,
  key: K,
  words: readonly T[],
  path = String(key),
): T | undefined {
  const value = given[key];
  const known = words.find((word) => word === value);
  if (value !== undefined && known === undefined) {
    check.fault(path, `expected ${words.map((word) => JSON.stringify(word)).join(' or ')}, got ${quoted(value)}`);
  }
  return known;
}
