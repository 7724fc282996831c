import type { JsonObject, JsonValue } from '../model/json.ts';
import { normalizeBase64 } from '../support/base64.ts';
import { isName } from '../support/name.ts';
import { normalizeTimestamp } from '../support/time/timestamp.ts';
import { type Codec, isObject, isSet, snakeCase } from './codec.ts';
import type { Decoder } from './decoder.ts';

const INT32_MIN = -(2 ** 31);
const INT32_MAX = 2 ** 31 - 1;

/** A codec whose model and wire format are the same. */
function verbatim<T>(decode: (d: Decoder, json: unknown) => T): Codec<T> {
  return { decode, encode: (value) => value };
}

export const string: Codec<string> = verbatim((d, json) => {
  if (typeof json !== 'string') {
    d.violate('a string');
    return '';
  }
  if (json.length > d.limits.maxString) d.violate(`at most ${d.limits.maxString} characters`);
  return json;
});

/** An optional id; empty means absent. Ids in responses are not checked further, because we do not store them. */
export const idOrEmpty: Codec<string> = verbatim((d, json) => {
  const text = string.decode(d, json);
  if (d.role === 'request' && !isName(text)) d.violate('a string without NUL characters and unpaired surrogates');
  return text;
});

/** A non-empty id. */
export const id: Codec<string> = nonEmpty(idOrEmpty);

/** A non-empty string. */
export const nonEmptyString: Codec<string> = nonEmpty(string);

function nonEmpty(codec: Codec<string>): Codec<string> {
  return verbatim((d, json) => {
    const text = codec.decode(d, json);
    if (text === '' && json === '') d.violate('a non-empty string');
    return text;
  });
}

export const boolean: Codec<boolean> = verbatim((d, json) => {
  if (typeof json === 'boolean') return json;
  d.violate('true or false');
  return false;
});

/** A 32-bit integer. ProtoJSON also encodes it as a decimal string. */
export const int32: Codec<number> = verbatim((d, json) => {
  const number = typeof json === 'string' && /^-?\d{1,10}$/.test(json) ? Number(json) : json;
  if (isInteger(number) && number >= INT32_MIN && number <= INT32_MAX) return number;
  d.violate('a 32-bit integer');
  return 0;
});

function isInteger(value: unknown): value is number {
  return Number.isInteger(value);
}

/** A non-negative integer. */
export const count: Codec<number> = verbatim((d, json) => {
  const number = int32.decode(d, json);
  if (number >= 0) return number;
  d.violate('an integer of 0 or more');
  return 0;
});

export function within(min: number, max: number): Codec<number> {
  return verbatim((d, json) => {
    const mark = d.mark();
    const number = int32.decode(d, json);
    if (number >= min && number <= max) return number;
    // An invalid integer gets only one violation.
    if (!d.failedSince(mark)) d.violate(`an integer from ${min} to ${max}`);
    return min;
  });
}

export const bytes: Codec<string> = verbatim((d, json) => {
  const text = string.decode(d, json);
  const standard = normalizeBase64(text);
  if (standard === undefined) d.violate('base64');
  return standard ?? '';
});

export const timestamp: Codec<string> = verbatim((d, json) => {
  const instant = typeof json === 'string' ? normalizeTimestamp(json) : undefined;
  if (instant === undefined) {
    d.violate('a time such as 2026-03-12T10:00:00.000Z');
    return '';
  }
  if (instant.zoneMissing) d.tolerate('timestamp-zone-missing', 'a time zone such as Z');
  return instant.text;
});

/** Any JSON within the limits, unchanged. */
export const json: Codec<JsonValue> = verbatim((d, value) => {
  checkLimits(d, value);
  return value as JsonValue;
});

/** An empty result. Peers send null, {} or an empty body. */
export const nothing: Codec<null> = { decode: () => null, encode: () => null };

/** Params without members. Any content is ignored. */
export const noParams: Codec<object> = { decode: () => ({}), encode: () => ({}) };

/** A JSON object within the limits, unchanged. */
export const struct: Codec<JsonObject> = verbatim((d, value) => {
  if (!isObject(value)) {
    d.violate('an object');
    return {};
  }
  checkLimits(d, value);
  return value;
});

function checkLimits(d: Decoder, value: unknown): void {
  if (typeof value === 'string') {
    if (value.length > d.limits.maxString) d.violate(`at most ${d.limits.maxString} characters`);
    return;
  }
  // 1e400 is valid JSON, but parses to Infinity, which cannot be encoded again.
  if (typeof value === 'number' && !Number.isFinite(value)) d.violate('a finite number');
  if (typeof value !== 'object' || value === null) return;
  if (d.depth >= d.limits.maxDepth) {
    d.violate(`at most ${d.limits.maxDepth} levels of nesting`);
    return;
  }
  if (Array.isArray(value) && value.length > d.limits.maxItems) {
    d.violate(`at most ${d.limits.maxItems} items`);
    return;
  }
  const depth = d.depth++;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) checkMember(d, depth, i, value[i]);
  } else {
    checkMembers(d, depth, value as JsonObject);
  }
  d.depth = depth;
}

function checkMembers(d: Decoder, depth: number, value: JsonObject): void {
  let members = 0;
  for (const key in value) {
    if (++members > d.limits.maxItems || key.length > d.limits.maxString) {
      d.depth = depth;
      d.violate(`at most ${d.limits.maxItems} members, with names of at most ${d.limits.maxString} characters`);
      return;
    }
    checkMember(d, depth, key, value[key]);
  }
}

function checkMember(d: Decoder, depth: number, key: string | number, value: unknown): void {
  if (typeof value === 'boolean' || value === null) return;
  d.path[depth] = key;
  checkLimits(d, value);
}

/** A list. With `min` 1, an empty list is rejected (1.0 §5.7). */
export function list<T>(item: Codec<T>, min: 0 | 1 = 0): Codec<readonly T[]> {
  return {
    decode(d, value) {
      if (!Array.isArray(value)) {
        d.violate('an array');
        return [];
      }
      if (value.length < min) {
        if (d.role === 'request') d.violate('at least one item');
        else d.tolerate('list-empty', 'at least one item');
      }
      if (value.length > d.limits.maxItems) {
        d.violate(`at most ${d.limits.maxItems} items`);
        return [];
      }
      // Returns the received list itself, unless an item has to change.
      let out: T[] | undefined;
      const depth = d.depth++;
      for (let i = 0; i < value.length; i++) {
        d.path[depth] = i;
        const received: unknown = value[i];
        const decoded = item.decode(d, received);
        if (out === undefined && decoded !== received) out = value.slice(0, i) as T[];
        out?.push(decoded);
      }
      d.depth = depth;
      return out ?? (value as readonly T[]);
    },
    encode: (items) => items.map((value) => item.encode(value)),
  };
}

export const strings: Codec<readonly string[]> = { ...list(string), encode: (value) => value };

/** An object used as a dictionary: any key, one type of value. */
export function map<T>(item: Codec<T>): Codec<Readonly<Record<string, T>>> {
  return {
    decode(d, value) {
      if (!isObject(value)) {
        d.violate('an object');
        return {};
      }
      const entries: [string, T][] = [];
      const depth = d.depth++;
      let tooMany = false;
      for (const key in value) {
        if (value[key] === null) continue;
        tooMany = entries.length >= d.limits.maxItems || key.length > d.limits.maxString;
        if (tooMany) break;
        d.path[depth] = key;
        entries.push([key, item.decode(d, value[key])]);
      }
      d.depth = depth;
      if (tooMany) d.violate(`at most ${d.limits.maxItems} members`);
      // fromEntries defines members, so a key named __proto__ stays a key.
      return Object.fromEntries(entries);
    },
    encode: (value) => Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, item.encode(entry)])),
  };
}

/**
 * Maps names on the wire to names in the model. `aliases` are only decoded. An unknown name is rejected in requests and
 * decoded as `unknown` in responses, so that a newer peer does not break an older client. A name of the model without a
 * wire name is encoded as `unknown`, or, if that has none either, as the last of the list.
 */
export function stringEnum<T extends string>(
  wireToModel: Readonly<Record<string, T>>,
  unknown: T,
  aliases: Iterable<readonly [unknown, T]> = [],
): Codec<T> {
  const toModel = new Map<unknown, T>([...aliases, ...Object.entries(wireToModel)]);
  const toWire = new Map<T, string>(Object.entries(wireToModel).map(([wire, model]) => [model, wire]));
  const choices = Object.keys(wireToModel).join(', ');
  const other = toWire.get(unknown) ?? Object.keys(wireToModel).at(-1);
  return {
    decode(d, word) {
      const value = toModel.get(word);
      if (value !== undefined) return value;
      if (d.role === 'request') d.violate(`one of ${choices}`);
      else d.tolerate('unknown-word', `one of ${choices}`);
      return unknown;
    },
    encode: (value) => toWire.get(value) ?? other,
  };
}

/**
 * An enum of the protocol definition: encoded by name, decoded by name or number. The first value is the unspecified
 * one.
 */
export function protoEnum<T extends string>(
  names: readonly [T, ...T[]],
  aliases: Iterable<readonly [string, T]> = [],
): Codec<T> {
  const numbers = names.map((name, number) => [number, name] as const);
  return stringEnum(Object.fromEntries(names.map((name) => [name, name])) as Record<string, T>, names[0], [
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
    decode(d, value) {
      if (!isObject(value)) {
        d.violate('an object');
        return {} as T;
      }
      const present = members.filter(({ key, alias }) => isSet(value[key]) || isSet(value[alias]));
      const chosen = present[0];
      if (chosen === undefined || present.length > 1) {
        d.violate(`exactly one of ${choices}`);
        return {} as T;
      }
      const { key, alias, codec } = chosen;
      const out: Record<string, unknown> = {};
      out[key] = d.at(key, () => codec.decode(d, value[key] ?? value[alias]));
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
