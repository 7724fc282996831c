import type { JsonValue } from '../../model/json.ts';
import { isRecord } from './to-json.ts';

export type JsonType = 'string' | 'number' | 'boolean' | 'object' | 'array' | 'null';

export function typeOf(value: JsonValue): JsonType {
  if (value === null) return 'null';
  if (isList(value)) return 'array';
  return typeof value as 'string' | 'number' | 'boolean' | 'object';
}

export function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** Whether two values are equal as JSON. Recurses no deeper than the shallower of the two. */
export function isSame(a: JsonValue, b: JsonValue): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (isList(a)) return isList(b) && a.length === b.length && a.every((item, i) => isSame(item, b[i] ?? null));
  if (isList(b)) return false;
  const entries = Object.entries(a);
  if (entries.length !== Object.keys(b).length) return false;
  return entries.every(([name, member]) => Object.hasOwn(b, name) && isSame(member, b[name] ?? null));
}

const ORDINARY = { enumerable: true, writable: true, configurable: true };

/** A deep copy, for JSON values. */
export function copyOf<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyOf) as T;
  const copy: Record<string, unknown> = {};
  // A list of the names would be created for every object of every message.
  for (const name in value) {
    if (!Object.hasOwn(value, name)) continue;
    const member: unknown = (value as Record<string, unknown>)[name];
    // Assigning this name would change the prototype.
    if (name === '__proto__') Object.defineProperty(copy, name, { value: copyOf(member), ...ORDINARY });
    else copy[name] = copyOf(member);
  }
  return copy as T;
}

/** Whether a value is JSON that is nested no deeper than `depth`. Cycles are too deep; undefined members are ignored. */
export function isPlain(value: unknown, depth: number): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (depth === 0) return false;
  if (Array.isArray(value)) return value.every((item) => isPlain(item, depth - 1));
  if (!isRecord(value)) return false;
  for (const name in value) {
    const member = Object.hasOwn(value, name) ? value[name] : undefined;
    if (member !== undefined && !isPlain(member, depth - 1)) return false;
  }
  return true;
}
