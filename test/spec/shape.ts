/**
 * One description for the types of every version, independent of the language of its normative file: protocol
 * definition (proto), JSON schema, or our own notation.
 */
export type Shape =
  | {
      readonly kind: 'string' | 'bytes' | 'boolean' | 'integer' | 'timestamp' | 'object' | 'any' | 'null';
    }
  | { readonly kind: 'const'; readonly value: string }
  | { readonly kind: 'word'; readonly stringEnum: readonly string[] }
  | { readonly kind: 'list' | 'map'; readonly item: Shape }
  | { readonly kind: 'type'; readonly name: string }
  | { readonly kind: 'union'; readonly options: readonly Shape[] };

/**
 * `required`: must be set. `optional`: absence has a meaning. `defaulted`: absent means the empty value, as in proto3.
 */
export type Presence = 'required' | 'optional' | 'defaulted';

export interface Member {
  /** Its name in JSON. */
  readonly name: string;
  readonly shape: Shape;
  readonly presence: Presence;
  /** Exactly one of the members with the same value here is set. */
  readonly oneOf?: string;
}

/** Params and result of a method. */
export interface Call {
  /** The method of JSON-RPC, or the name of the gRPC method. */
  readonly method: string;
  readonly input: Shape;
  readonly output: Shape;
}

export interface Spec {
  readonly types: ReadonlyMap<string, readonly Member[]>;
  readonly calls: readonly Call[];
}

export function typeNamed(name: string): Shape {
  return { kind: 'type', name };
}

export function membersOf(spec: Spec, type: string): readonly Member[] {
  const members = spec.types.get(type);
  if (members === undefined) throw new Error(`the specification has no type ${type}`);
  return members;
}

/** The same specification with members that its normative file omits, or types that only a binding has. */
export function withMembers(spec: Spec, added: Readonly<Record<string, readonly Member[]>>): Spec {
  const types = new Map(spec.types);
  for (const [type, members] of Object.entries(added)) types.set(type, [...(types.get(type) ?? []), ...members]);
  return { ...spec, types };
}

/** The same specification with another presence for some members, identified by `Type.member`. */
export function withPresence(spec: Spec, presence: Presence, places: readonly string[]): Spec {
  const change = (type: string, member: Member): Member =>
    places.includes(`${type}.${member.name}`) ? { ...member, presence } : member;
  return {
    ...spec,
    types: new Map([...spec.types].map(([type, members]) => [type, members.map((one) => change(type, one))])),
  };
}

/** One step from a type to one of its members. Lists and maps in between do not count. */
export interface Step {
  readonly type: string;
  readonly member: string;
}

/**
 * Whether the last steps match a pattern: `Message.parts` is the member of any message at any position;
 * `SendMessageRequest.message.parts` only that of a sent message.
 */
export function isAt(steps: readonly Step[], pattern: string): boolean {
  const [type, ...members] = split(pattern);
  const first = steps.length - members.length;
  if (first < 0 || steps.at(-1)?.member !== members.at(-1) || steps[first]?.type !== type) return false;
  return members.every((member, i) => steps[first + i]?.member === member);
}

const PATTERNS = new Map<string, readonly string[]>();

/** Cached, because there are few patterns and each is tested at every member of every value. */
function split(pattern: string): readonly string[] {
  const known = PATTERNS.get(pattern);
  if (known !== undefined) return known;
  const names = pattern.split('.');
  PATTERNS.set(pattern, names);
  return names;
}

/** `Message.parts` for the last step. */
export function placeOf(steps: readonly Step[]): string {
  const last = steps.at(-1);
  return last === undefined ? '' : `${last.type}.${last.member}`;
}

/** Every `Type.member` that can be reached from a shape. */
export function placesIn(spec: Spec, shape: Shape, found: Set<string> = new Set()): ReadonlySet<string> {
  if (shape.kind === 'list' || shape.kind === 'map') placesIn(spec, shape.item, found);
  if (shape.kind === 'union') for (const option of shape.options) placesIn(spec, option, found);
  if (shape.kind !== 'type') return found;
  for (const member of membersOf(spec, shape.name)) {
    found.add(`${shape.name}.${member.name}`);
    placesIn(spec, member.shape, found);
  }
  return found;
}
