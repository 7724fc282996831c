import type { JsonObject } from '../model/json.ts';
import type { UnknownMembers } from '../model/unknown-members.ts';
import type { Reader, Seam } from './reader.ts';
import { keepUnknown, type UnknownMemberRule, writeUnknown } from './unknown-members.ts';

/**
 * Both directions of one type in one dialect. `decode` checks and translates in a single pass and reports to the reader.
 * Once it has noted a violation, what it returns may be incomplete: it only serves to look for further ones. `encode`
 * drops what the dialect cannot say; only a card can be refused, because what is dropped there could open a door.
 */
export interface Codec<T> {
  decode(r: Reader, json: unknown): T;
  encode(value: T): unknown;
}

/** How a member of the model appears on the wire. */
interface Field<T> {
  readonly codec: Codec<T>;
  /** Its name on the wire, where that differs from the model's. */
  readonly wire?: string;
  /** Older or foreign names, read but never written. */
  readonly aliases?: readonly string[];
  /** `null` is a value of its own here, not absence. */
  readonly nullable?: true;
}

export interface RequiredField<T> extends Field<T> {
  readonly required: true;
  /** What to go on with if a server left it out; without it, a missing member is an error in both roles. */
  readonly orElse?: (r: Reader) => T;
}

export interface OptionalField<T> extends Field<T> {
  readonly required: false;
  /** Values that mean the same as absence. */
  readonly isAbsent?: (value: T) => boolean;
}

type FieldOptions = Omit<Field<unknown>, 'codec'>;

/** Must be there. */
export function required<T>(codec: Codec<T>, options: FieldOptions = {}): RequiredField<T> {
  return { codec, required: true, ...options };
}

/** Must be there in requests; a response without it is read with a warning and `orElse`. */
export function expected<T>(codec: Codec<T>, orElse: (r: Reader) => T, options: FieldOptions = {}): RequiredField<T> {
  return { codec, required: true, orElse, ...options };
}

/** May be there, and then counts even if empty. */
export function optional<T>(codec: Codec<T>, options: FieldOptions = {}): OptionalField<T> {
  return { codec, required: false, ...options };
}

/** May be there; '', false, 0, [] and {} mean the same as absence, as in proto3. */
export function defaulted<T>(codec: Codec<T>, options: FieldOptions = {}): OptionalField<T> {
  return { codec, required: false, isAbsent: isZero, ...options };
}

/** One field for each member of the model: a forgotten one does not compile. */
export type Fields<T> = {
  readonly [K in keyof T]-?: object extends Pick<T, K> ? OptionalField<Exclude<T[K], undefined>> : RequiredField<T[K]>;
};

export interface ObjectOptions {
  /** A constant first member, as `kind` is in 0.2 and 0.3. Never required when reading. */
  readonly tag?: readonly [member: string, value: string];
  /** Where profiles may step in when members are unknown, missing or wrong. */
  readonly seam?: Seam;
  /**
   * The model has the form of the wire: hand on the received object itself as long as nothing in it has to change. Saves
   * a copy of nearly every object of 1.0.
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
  readonly orElse: ((r: Reader) => unknown) | undefined;
}

/**
 * An object whose members are listed in a table. Unknown members are ignored unless `unknown` keeps them, `null` is absence
 * (1.0 §5.7).
 */
export function object<T extends object>(fields: Fields<T>, options: ObjectOptions = {}): Codec<T> {
  // At the first use: most callers speak one version, and to compile all of them takes a tenth of the import.
  let compiled: Compiled | undefined;
  const { tag, seam, asReceived, unknown } = options;

  function decode(r: Reader, json: unknown, mayRepair: boolean): T {
    const { members, byWireName, needed } = (compiled ??= compile(fields));
    if (!isObject(json)) {
      r.violate('an object');
      return {} as T;
    }
    let out: Record<string, unknown> | undefined = asReceived === true ? undefined : {};
    const mark = mayRepair ? r.mark() : undefined;
    const depth = r.depth++;
    let seen = 0;
    let strangers = false;
    // Walking what is there, not what could be: the cost follows the message, and unknown members show up for free.
    for (const key in json) {
      const member = byWireName.get(key);
      if (member === undefined) {
        if (tag === undefined || key !== tag[0]) strangers = true;
        out ??= membersBefore(json, key, byWireName);
        continue;
      }
      const value = json[key];
      const isThere = value !== undefined && (value !== null || member.nullable);
      if (!isThere || (key !== member.wire && isSet(json[member.wire]))) {
        out ??= membersBefore(json, key, byWireName);
        continue;
      }
      r.path[depth] = member.wire;
      const decoded = member.codec.decode(r, value);
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
    r.depth = depth;
    const incomplete = (seen & needed) !== needed;
    if (seam !== undefined && mark !== undefined && (strangers || incomplete || r.failedSince(mark))) {
      const official = r.repair(seam, json, mark);
      if (official !== undefined) return decode(r, official, false);
    }
    if (incomplete) fillMissing(r, members, seen, (out ??= { ...json }));
    else if (seam !== undefined && strangers) r.refuse(seam, json);
    if (strangers && unknown !== undefined) {
      const kept = keepUnknown(r, json, unknown);
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
    if (unknown !== undefined) writeUnknown(out, (value as WithUnknown).unknownMembers, unknown);
    return out;
  }

  return { decode: (r, json) => decode(r, json, seam !== undefined), encode };
}

/** An object whose model has the form of the wire: `object` without a copy where none is needed, and no work to write. */
export function objectAsReceived<T extends object>(fields: Fields<T>, unknown?: UnknownMemberRule): Codec<T> {
  return writtenAsIs(object<T>(fields, { asReceived: true, ...(unknown && { unknown }) }));
}

/** For a dialect whose wire form is the model's: nothing has to be done to write it. */
function writtenAsIs<T>({ decode }: Pick<Codec<T>, 'decode'>): Codec<T> {
  return { decode, encode: (value) => value };
}

/** A copy of what has been read without a change so far. */
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
  /** The bits of all that are required. */
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

function fillMissing(r: Reader, members: readonly Member[], seen: number, out: Record<string, unknown>): void {
  for (const member of members) {
    if (member.bit === 0 || (seen & member.bit) !== 0) continue;
    if (r.role === 'response' && member.orElse !== undefined) {
      r.tolerate('member-missing', `the member ${member.wire}`, member.wire);
      out[member.name] = member.orElse(r);
    } else {
      r.violate(`the member ${member.wire}`, member.wire);
    }
  }
}

export function isObject(json: unknown): json is JsonObject {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

/** `null` is absence everywhere but in free data (ProtoJSON). */
export function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function isZero(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value === '' || value === false || value === 0;
  return Array.isArray(value) ? value.length === 0 : Object.keys(value).length === 0;
}

/** ProtoJSON readers accept the original field name too (1.0 §5.5). */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Reads one member of an object in a hand-written codec. Absence is whatever the codec makes of `undefined`. */
export function member<T>(r: Reader, json: JsonObject, key: string, codec: Codec<T>): T {
  r.path[r.depth++] = key;
  const value = codec.decode(r, json[key]);
  r.depth--;
  return value;
}
