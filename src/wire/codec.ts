import type { JsonObject } from '../model/json.ts';
import type { UnknownMembers } from '../model/unknown-members.ts';
import type { Decoder, RepairPoint } from './decoder.ts';
import { keepUnknown, type UnknownMemberRule, encodeUnknown } from './unknown-members.ts';

/**
 * Decoder and encoder of one type in one dialect. `decode` checks and translates in a single pass and reports to the
 * `Decoder`. After a violation its result may be incomplete and only serves to find further violations. `encode` drops
 * values that the dialect cannot represent. Only cards can be rejected, because dropping a security requirement could make
 * an agent appear open.
 */
export interface Codec<T> {
  decode(d: Decoder, json: unknown): T;
  encode(value: T): unknown;
}

/** How a member of the model appears on the wire. */
interface Field<T> {
  readonly codec: Codec<T>;
  /** Its name on the wire, if it differs from the model's. */
  readonly wire?: string;
  /** Older or nonstandard names, decoded but never encoded. */
  readonly aliases?: readonly string[];
  /** `null` is a value, not absence. */
  readonly nullable?: true;
}

export interface RequiredField<T> extends Field<T> {
  readonly required: true;
  /** Default if a server omits the member. Without it, a missing member is an error in both roles. */
  readonly orElse?: (d: Decoder) => T;
}

export interface OptionalField<T> extends Field<T> {
  readonly required: false;
  /** Values that mean the same as absence. */
  readonly isAbsent?: (value: T) => boolean;
}

type FieldOptions = Omit<Field<unknown>, 'codec'>;

/** A required member. */
export function required<T>(codec: Codec<T>, options: FieldOptions = {}): RequiredField<T> {
  return { codec, required: true, ...options };
}

/** A member that is required in requests. A response without it is decoded with a warning and `orElse`. */
export function expected<T>(codec: Codec<T>, orElse: (d: Decoder) => T, options: FieldOptions = {}): RequiredField<T> {
  return { codec, required: true, orElse, ...options };
}

/** An optional member that counts even if it is empty. */
export function optional<T>(codec: Codec<T>, options: FieldOptions = {}): OptionalField<T> {
  return { codec, required: false, ...options };
}

/** An optional member for which '', false, 0, [] and {} mean absence, as in proto3. */
export function defaulted<T>(codec: Codec<T>, options: FieldOptions = {}): OptionalField<T> {
  return { codec, required: false, isAbsent: isZero, ...options };
}

/** Requires one field for each member of the model: a missing field is a compile error. */
export type Fields<T> = {
  readonly [K in keyof T]-?: object extends Pick<T, K> ? OptionalField<Exclude<T[K], undefined>> : RequiredField<T[K]>;
};

export interface ObjectOptions {
  /** A constant first member, as `kind` is in 0.2 and 0.3. Not required for decoding. */
  readonly tag?: readonly [member: string, value: string];
  /** The point at which profiles can repair unknown, missing or invalid members. */
  readonly point?: RepairPoint;
  /**
   * Model and wire format are the same: return the received object itself unless something in it has to change. Saves
   * a copy of nearly every object in 1.0.
   */
  readonly asReceived?: true;
  /** The model keeps members that are not in the table, as `unknownMembers`. */
  readonly unknown?: UnknownMemberRule;
}

interface WithUnknown {
  readonly unknownMembers?: UnknownMembers;
}

interface Member {
  readonly name: string;
  readonly wire: string;
  readonly codec: Codec<unknown>;
  /** One bit for each required member, 0 for the others. */
  readonly bit: number;
  readonly nullable: boolean;
  readonly isAbsent: ((value: unknown) => boolean) | undefined;
  readonly orElse: ((d: Decoder) => unknown) | undefined;
}

/**
 * An object whose members are listed in a table. Unknown members are ignored unless `unknown` keeps them, and `null` is
 * absence (1.0 §5.7).
 */
export function object<T extends object>(fields: Fields<T>, options: ObjectOptions = {}): Codec<T> {
  // Compiled at first use: most callers use one version, and compiling all takes a tenth of the import time.
  let compiled: Compiled | undefined;
  const { tag, point, asReceived, unknown } = options;

  function decode(d: Decoder, json: unknown, mayRepair: boolean): T {
    const { members, byWireName, needed } = (compiled ??= compile(fields));
    if (!isObject(json)) {
      d.violate('an object');
      return {} as T;
    }
    let out: Record<string, unknown> | undefined = asReceived === true ? undefined : {};
    const mark = mayRepair ? d.mark() : undefined;
    const depth = d.depth++;
    let seen = 0;
    let hasUnknown = false;
    // Iterates over the received members, not over the table: the cost follows the message, and unknown members show up
    // for free.
    for (const key in json) {
      const member = byWireName.get(key);
      if (member === undefined) {
        if (tag === undefined || key !== tag[0]) hasUnknown = true;
        out ??= membersBefore(json, key, byWireName);
        continue;
      }
      const value = json[key];
      const isPresent = value !== undefined && (value !== null || member.nullable);
      if (!isPresent || (key !== member.wire && isSet(json[member.wire]))) {
        out ??= membersBefore(json, key, byWireName);
        continue;
      }
      d.path[depth] = member.wire;
      const decoded = member.codec.decode(d, value);
      if (member.isAbsent !== undefined && member.isAbsent(decoded)) {
        out ??= membersBefore(json, key, byWireName);
        continue;
      }
      seen |= member.bit;
      if (out === undefined) {
        if (decoded === value && key === member.name) continue;
        out = membersBefore(json, key, byWireName);
      }
      out[member.name] = decoded;
    }
    d.depth = depth;
    const incomplete = (seen & needed) !== needed;
    if (point !== undefined && mark !== undefined && (hasUnknown || incomplete || d.failedSince(mark))) {
      const official = d.repair(point, json, mark);
      if (official !== undefined) return decode(d, official, false);
    }
    if (incomplete) fillMissing(d, members, seen, (out ??= { ...json }));
    else if (point !== undefined && hasUnknown) d.rejectRepairable(point, json);
    if (hasUnknown && unknown !== undefined) {
      const kept = keepUnknown(d, json, unknown);
      if (kept !== undefined) (out ??= {})['unknownMembers'] = kept;
    }
    return (out ?? json) as T;
  }

  function encode(value: T): unknown {
    const out: Record<string, unknown> = {};
    if (tag !== undefined) out[tag[0]] = tag[1];
    for (const member of (compiled ??= compile(fields)).members) {
      const content = (value as Record<string, unknown>)[member.name];
      if (content === undefined || member.isAbsent?.(content)) continue;
      out[member.wire] = member.codec.encode(content);
    }
    if (unknown !== undefined) encodeUnknown(out, (value as WithUnknown).unknownMembers, unknown);
    return out;
  }

  return { decode: (d, json) => decode(d, json, point !== undefined), encode };
}

/** Like `object`, for types with the same model and wire format: copies only if needed, and encoding is free. */
export function objectAsReceived<T extends object>(fields: Fields<T>, unknown?: UnknownMemberRule): Codec<T> {
  return encodedAsIs(object<T>(fields, { asReceived: true, ...(unknown && { unknown }) }));
}

/** Encodes by returning the value itself. */
function encodedAsIs<T>({ decode }: Pick<Codec<T>, 'decode'>): Codec<T> {
  return { decode, encode: (value) => value };
}

/** Copies the members that have been decoded without a change so far. */
function membersBefore(
  json: JsonObject,
  end: string,
  byWireName: ReadonlyMap<string, Member>,
): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const key in json) {
    if (key === end) break;
    if (byWireName.has(key)) out[key] = json[key];
  }
  return out;
}

type AnyField = RequiredField<unknown> | OptionalField<unknown>;

interface Compiled {
  readonly members: readonly Member[];
  readonly byWireName: ReadonlyMap<string, Member>;
  /** The bits of all required members. */
  readonly needed: number;
}

function compile(fields: object): Compiled {
  const members: Member[] = [];
  const byWireName = new Map<string, Member>();
  let bit = 1;
  for (const [name, field] of Object.entries(fields) as [string, AnyField][]) {
    const member: Member = {
      name,
      wire: field.wire ?? name,
      codec: field.codec,
      bit: field.required ? bit : 0,
      nullable: field.nullable ?? false,
      isAbsent: field.required ? undefined : field.isAbsent,
      orElse: field.required ? field.orElse : undefined,
    };
    if (field.required) bit <<= 1;
    members.push(member);
    for (const alias of [member.wire, snakeCase(member.wire), ...(field.aliases ?? [])]) byWireName.set(alias, member);
  }
  return { members, byWireName, needed: bit - 1 };
}

function fillMissing(d: Decoder, members: readonly Member[], seen: number, out: Record<string, unknown>): void {
  for (const member of members) {
    if (member.bit === 0 || (seen & member.bit) !== 0) continue;
    if (d.role === 'response' && member.orElse !== undefined) {
      d.tolerate('member-missing', `the member ${member.wire}`, member.wire);
      out[member.name] = member.orElse(d);
    } else {
      d.violate(`the member ${member.wire}`, member.wire);
    }
  }
}

export function isObject(json: unknown): json is JsonObject {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

/** `null` is absence everywhere except in free-form data (ProtoJSON). */
export function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function isZero(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value === '' || value === false || value === 0;
  return Array.isArray(value) ? value.length === 0 : Object.keys(value).length === 0;
}

/** ProtoJSON decoders also accept the original field name (1.0 §5.5). */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Decodes one member of an object in a hand-written codec. An absent member is decoded as `undefined`. */
export function member<T>(d: Decoder, json: JsonObject, key: string, codec: Codec<T>): T {
  d.path[d.depth++] = key;
  const value = codec.decode(d, json[key]);
  d.depth--;
  return value;
}
