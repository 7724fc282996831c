import type { JsonObject, JsonValue } from '../model/json.ts';
import { normalizeBase64 } from '../support/base64.ts';
import { isName } from '../support/name.ts';
import { normalizeTimestamp } from '../support/timestamp.ts';
import { type Codec, isObject, isSet, snakeCase } from './codec.ts';
import type { Reader } from './reader.ts';

const INT32_MIN = -(2 ** 31);
const INT32_MAX = 2 ** 31 - 1;

/** Leaves `encode` out of codecs whose model and wire form are the same. */
function verbatim<T>(decode: (r: Reader, json: unknown) => T): Codec<T> {
  return { decode, encode: (value) => value };
}

export const string: Codec<string> = verbatim((r, json) => {
  if (typeof json !== 'string') {
    r.violate('a string');
    return '';
  }
  if (json.length > r.limits.maxString) r.violate(`at most ${r.limits.maxString} characters`);
  return json;
});

/** An id that may be left out, or empty for the same. A peer may call its own things as it likes: we do not store them. */
export const idOrEmpty: Codec<string> = verbatim((r, json) => {
  const text = string.decode(r, json);
  if (r.role === 'request' && !isName(text)) r.violate('a string without NUL and without halves of characters');
  return text;
});

/** An id: with something in it. */
export const id: Codec<string> = nonEmpty(idOrEmpty);

/** A text with something in it. */
export const someText: Codec<string> = nonEmpty(string);

function nonEmpty(codec: Codec<string>): Codec<string> {
  return verbatim((r, json) => {
    const text = codec.decode(r, json);
    if (text === '' && json === '') r.violate('a non-empty string');
    return text;
  });
}

export const boolean: Codec<boolean> = verbatim((r, json) => {
  if (typeof json === 'boolean') return json;
  r.violate('true or false');
  return false;
});

/** A 32-bit integer; ProtoJSON also writes it as a decimal string. */
export const int32: Codec<number> = verbatim((r, json) => {
  const number = typeof json === 'string' && /^-?\d{1,10}$/.test(json) ? Number(json) : json;
  if (isInteger(number) && number >= INT32_MIN && number <= INT32_MAX) return number;
  r.violate('a 32-bit integer');
  return 0;
});

function isInteger(value: unknown): value is number {
  return Number.isInteger(value);
}

/** How many: an integer that is not negative. */
export const count: Codec<number> = verbatim((r, json) => {
  const number = int32.decode(r, json);
  if (number >= 0) return number;
  r.violate('an integer of 0 or more');
  return 0;
});

export function within(min: number, max: number): Codec<number> {
  return verbatim((r, json) => {
    const mark = r.mark();
    const number = int32.decode(r, json);
    if (number >= min && number <= max) return number;
    // One mistake is told once.
    if (!r.failedSince(mark)) r.violate(`an integer from ${min} to ${max}`);
    return min;
  });
}

export const bytes: Codec<string> = verbatim((r, json) => {
  const text = string.decode(r, json);
  const standard = normalizeBase64(text);
  if (standard === undefined) r.violate('base64');
  return standard ?? '';
});

export const timestamp: Codec<string> = verbatim((r, json) => {
  const instant = typeof json === 'string' ? normalizeTimestamp(json) : undefined;
  if (instant === undefined) {
    r.violate('a time such as 2026-03-12T10:00:00.000Z');
    return '';
  }
  if (instant.zoneMissing) r.tolerate('timestamp-zone-missing', 'a time zone such as Z');
  return instant.text;
});

/** Any JSON, kept value for value, within the limits. */
export const json: Codec<JsonValue> = verbatim((r, value) => {
  checkLimits(r, value);
  return value as JsonValue;
});

/** The answer that says nothing but "done"; peers send null, {} or an empty body. */
export const nothing: Codec<null> = { decode: () => null, encode: () => null };

/** Params that have no members, whatever a peer puts into them. */
export const noParams: Codec<object> = { decode: () => ({}), encode: () => ({}) };

/** A JSON object, kept value for value, within the limits. */
export const struct: Codec<JsonObject> = verbatim((r, value) => {
  if (!isObject(value)) {
    r.violate('an object');
    return {};
  }
  checkLimits(r, value);
  return value;
});

function checkLimits(r: Reader, value: unknown): void {
  if (typeof value === 'string') {
    if (value.length > r.limits.maxString) r.violate(`at most ${r.limits.maxString} characters`);
    return;
  }
  // 1e400 is valid JSON, but no number that could be written again.
  if (typeof value === 'number' && !Number.isFinite(value)) r.violate('a finite number');
  if (typeof value !== 'object' || value === null) return;
  if (r.depth >= r.limits.maxDepth) {
    r.violate(`at most ${r.limits.maxDepth} levels of nesting`);
    return;
  }
  if (Array.isArray(value) && value.length > r.limits.maxItems) {
    r.violate(`at most ${r.limits.maxItems} items`);
    return;
  }
  const depth = r.depth++;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) checkMember(r, depth, i, value[i]);
  } else {
    checkMembers(r, depth, value as JsonObject);
  }
  r.depth = depth;
}

function checkMembers(r: Reader, depth: number, value: JsonObject): void {
  let members = 0;
  for (const key in value) {
    if (++members > r.limits.maxItems || key.length > r.limits.maxString) {
      r.depth = depth;
      r.violate(`at most ${r.limits.maxItems} members, with names of at most ${r.limits.maxString} characters`);
      return;
    }
    checkMember(r, depth, key, value[key]);
  }
}

function checkMember(r: Reader, depth: number, key: string | number, value: unknown): void {
  if (typeof value === 'boolean' || value === null) return;
  r.path[depth] = key;
  checkLimits(r, value);
}

/** A list; with `min` 1 an empty one is refused (1.0 §5.7). */
export function list<T>(item: Codec<T>, min: 0 | 1 = 0): Codec<readonly T[]> {
  return {
    decode(r, value) {
      if (!Array.isArray(value)) {
        r.violate('an array');
        return [];
      }
      if (value.length < min) {
        if (r.role === 'request') r.violate('at least one item');
        else r.tolerate('list-empty', 'at least one item');
      }
      if (value.length > r.limits.maxItems) {
        r.violate(`at most ${r.limits.maxItems} items`);
        return [];
      }
      // The received list itself, as long as nothing in it has to change.
      let out: T[] | undefined;
      const depth = r.depth++;
      for (let i = 0; i < value.length; i++) {
        r.path[depth] = i;
        const received: unknown = value[i];
        const decoded = item.decode(r, received);
        if (out === undefined && decoded !== received) out = value.slice(0, i) as T[];
        out?.push(decoded);
      }
      r.depth = depth;
      return out ?? (value as readonly T[]);
    },
    encode: (items) => items.map((value) => item.encode(value)),
  };
}

export const strings: Codec<readonly string[]> = { ...list(string), encode: (value) => value };

/** An object used as a dictionary: any key, one type of value. */
export function map<T>(item: Codec<T>): Codec<Readonly<Record<string, T>>> {
  return {
    decode(r, value) {
      if (!isObject(value)) {
        r.violate('an object');
        return {};
      }
      const entries: [string, T][] = [];
      const depth = r.depth++;
      let tooMany = false;
      for (const key in value) {
        if (value[key] === null) continue;
        tooMany = entries.length >= r.limits.maxItems || key.length > r.limits.maxString;
        if (tooMany) break;
        r.path[depth] = key;
        entries.push([key, item.decode(r, value[key])]);
      }
      r.depth = depth;
      if (tooMany) r.violate(`at most ${r.limits.maxItems} members`);
      // fromEntries defines members, so a key named __proto__ stays a key.
      return Object.fromEntries(entries);
    },
    encode: (value) => Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, item.encode(entry)])),
  };
}

/**
 * Words of the wire ⇄ words of the model. `aliases` are read only. An unknown word is refused in requests and read as
 * `unknown` in responses, so that a newer peer does not break an older client. A word of the model without one on the
 * wire is written as `unknown`, or, if that has none either, as the last of the list.
 */
export function words<T extends string>(
  wireToModel: Readonly<Record<string, T>>,
  unknown: T,
  aliases: Iterable<readonly [unknown, T]> = [],
): Codec<T> {
  const toModel = new Map<unknown, T>([...aliases, ...Object.entries(wireToModel)]);
  const toWire = new Map<T, string>(Object.entries(wireToModel).map(([wire, model]) => [model, wire]));
  const choices = Object.keys(wireToModel).join(', ');
  const other = toWire.get(unknown) ?? Object.keys(wireToModel).at(-1);
  return {
    decode(r, word) {
      const value = toModel.get(word);
      if (value !== undefined) return value;
      if (r.role === 'request') r.violate(`one of ${choices}`);
      else r.tolerate('unknown-word', `one of ${choices}`);
      return unknown;
    },
    encode: (value) => toWire.get(value) ?? other,
  };
}

/** An enum of the protocol definition: written by name, read by name or number. The first value is the unspecified one. */
export function protoEnum<T extends string>(
  names: readonly [T, ...T[]],
  aliases: Iterable<readonly [string, T]> = [],
): Codec<T> {
  const numbers = names.map((name, number) => [number, name] as const);
  return words(Object.fromEntries(names.map((name) => [name, name])) as Record<string, T>, names[0], [
    ...numbers,
    ...aliases,
  ]);
}

/** An object of which exactly one member is set: a `oneof` of the protocol definition. Other members are ignored. */
export function oneOf<T extends object>(cases: { readonly [K in KeysOfUnion<T>]: Codec<MemberOf<T, K>> }): Codec<T> {
  const codecs = Object.entries<Codec<unknown>>(cases as Record<string, Codec<unknown>>);
  const choices = codecs.map(([key]) => key).join(', ');
  const members = codecs.map(([key, codec]) => ({ key, alias: snakeCase(key), codec }));
  return {
    decode(r, value) {
      if (!isObject(value)) {
        r.violate('an object');
        return {} as T;
      }
      const present = members.filter(({ key, alias }) => isSet(value[key]) || isSet(value[alias]));
      const chosen = present[0];
      if (chosen === undefined || present.length > 1) {
        r.violate(`exactly one of ${choices}`);
        return {} as T;
      }
      const { key, alias, codec } = chosen;
      const out: Record<string, unknown> = {};
      out[key] = r.at(key, () => codec.decode(r, value[key] ?? value[alias]));
      return out as T;
    },
    encode(value) {
      for (const [key, codec] of codecs) {
        const content = (value as Record<string, unknown>)[key];
        if (content !== undefined) return { [key]: codec.encode(content) };
      }
      return {};
    },
  };
}

type KeysOfUnion<T> = T extends unknown ? keyof T : never;
type MemberOf<T, K extends PropertyKey> = T extends { readonly [P in K]: infer V } ? V : never;
