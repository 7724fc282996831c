import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../../src/wire/codec.ts';
import { isAt, type Member, membersOf, placeOf, type Shape, type Spec, type Step } from './shape.ts';
import type { Subject } from './subjects.ts';

/** A member that is known not to survive. */
export interface KnownLoss {
  readonly members: readonly string[];
  /** Only these values are lost; `undefined` is absence. */
  readonly values?: readonly unknown[];
  /** Only values in which this member is set are lost. */
  readonly holding?: string;
  /** The loss happens only under this condition. */
  readonly when?: string;
}

/** The result of a round trip of one value. */
export interface Comparison<L extends KnownLoss> {
  /** Differences that no known loss explains, by path. */
  readonly unlisted: readonly string[];
  /** Members that should be lost by a known loss, but came back unchanged. */
  readonly unexpectedlyKept: readonly string[];
  /** The known losses that happened, each with the pattern of its position. */
  readonly happened: readonly (readonly [loss: L, pattern: string])[];
  /** `Type.member` of each member that came back, as far as its own members did. */
  readonly kept: ReadonlySet<string>;
  /** `Type.member` of each member of the original value. */
  readonly met: ReadonlySet<string>;
}

/** Compares a value with the result of its round trip, guided by the specification of its type. */
export function compare<L extends KnownLoss>(
  { spec, shape, root }: Subject,
  before: unknown,
  after: unknown,
  losses: readonly L[],
): Comparison<L> {
  const walk = new Walk(spec, losses);
  walk.value(shape, before, after, [root], '');
  return walk;
}

class Walk<L extends KnownLoss> implements Comparison<L> {
  readonly unlisted: string[] = [];
  readonly unexpectedlyKept: string[] = [];
  readonly happened: (readonly [loss: L, pattern: string])[] = [];
  readonly kept = new Set<string>();
  readonly met = new Set<string>();
  readonly #spec: Spec;
  readonly #losses: readonly L[];

  constructor(spec: Spec, losses: readonly L[]) {
    this.#spec = spec;
    this.#losses = losses;
  }

  value(shape: Shape, before: unknown, after: unknown, steps: readonly Step[], path: string): void {
    if (shape.kind === 'type') this.#object(shape.name, before, after, steps, path);
    else if (shape.kind === 'union') this.value(chosen(this.#spec, shape.options, before), before, after, steps, path);
    else if (shape.kind === 'list' && Array.isArray(before)) this.#list(shape.item, before, after, steps, path);
    else if (shape.kind === 'map' && isObject(before)) this.#map(shape.item, before, after, steps, path);
    else if (!isDeepStrictEqual(before, after)) this.unlisted.push(`${path}: ${show(before)} became ${show(after)}`);
  }

  #object(type: string, before: unknown, after: unknown, steps: readonly Step[], path: string): void {
    if (!isObject(before)) throw new Error(`${path} is no ${type}: ${show(before)}`);
    // A missing object counts as a loss of its members, so that a loss can be listed by type.
    const rest: Readonly<Record<string, unknown>> = isObject(after) ? after : {};
    const members = membersOf(this.#spec, type);
    const lost = members.filter(
      ({ name, oneOf }) =>
        oneOf !== undefined && this.#known([...steps, { type, member: name }], before[name]) !== undefined,
    );
    for (const member of members) {
      // If the set member of a oneof is a known loss, another member may replace it.
      const stepsIn = before[member.name] === undefined && lost.some(({ oneOf }) => oneOf === member.oneOf);
      if (!stepsIn)
        this.#member(member, before[member.name], rest[member.name], [...steps, { type, member: member.name }], path);
    }
    for (const key of Object.keys(rest)) {
      if (members.every(({ name }) => name !== key)) this.unlisted.push(`${path}.${key}: came from nowhere`);
      else if (rest[key] === undefined) this.unlisted.push(`${path}.${key}: is undefined instead of absent`);
    }
    if (after === undefined && Object.keys(before).length === 0) this.unlisted.push(`${path}: is gone`);
  }

  #member(member: Member, before: unknown, after: unknown, steps: readonly Step[], path: string): void {
    if (before === undefined && after === undefined) return;
    const at = path === '' ? member.name : `${path}.${member.name}`;
    const isAbsent = member.presence === 'defaulted' && isEmpty(member, before) && isEmpty(member, after);
    if (before !== undefined) this.met.add(placeOf(steps));
    const [loss, pattern] = this.#known(steps, before) ?? [];
    if (loss !== undefined && pattern !== undefined) {
      if (!isAbsent && !isDeepStrictEqual(before, after)) this.happened.push([loss, pattern]);
      else if (loss.when === undefined) this.unexpectedlyKept.push(at);
    } else if (before === undefined) {
      if (!isAbsent) this.unlisted.push(`${at}: came from nowhere as ${show(after)}`);
    } else if (!isAbsent) {
      if (after !== undefined) this.kept.add(placeOf(steps));
      this.value(member.shape, before, after, steps, at);
    }
  }

  #known(steps: readonly Step[], value: unknown): readonly [loss: L, pattern: string] | undefined {
    for (const loss of this.#losses) {
      const pattern = loss.members.find((each) => isAt(steps, each));
      if (pattern !== undefined && isLost(loss, value)) return [loss, pattern];
    }
    return undefined;
  }

  #list(item: Shape, before: readonly unknown[], after: unknown, steps: readonly Step[], path: string): void {
    const rest: readonly unknown[] = Array.isArray(after) ? after : [];
    before.forEach((value, i) => this.value(item, value, rest[i], steps, `${path}[${i}]`));
    if (rest.length > before.length || (before.length === 0 && !Array.isArray(after))) {
      this.unlisted.push(`${path}: ${before.length} items became ${show(after)}`);
    }
  }

  #map(item: Shape, before: object, after: unknown, steps: readonly Step[], path: string): void {
    const rest: Readonly<Record<string, unknown>> = isObject(after) ? after : {};
    for (const [key, value] of Object.entries(before)) {
      this.value(item, value, Object.hasOwn(rest, key) ? rest[key] : undefined, steps, `${path}.${key}`);
    }
    for (const key of Object.keys(rest)) {
      if (!Object.hasOwn(before, key)) this.unlisted.push(`${path}.${key}: came from nowhere`);
    }
    if (Object.keys(before).length === 0 && !isObject(after)) this.unlisted.push(`${path}: is gone`);
  }
}

function isLost({ values, holding }: KnownLoss, value: unknown): boolean {
  const isOne = values === undefined ? value !== undefined : values.some((one) => isDeepStrictEqual(one, value));
  return isOne && (holding === undefined || inside(value, holding.split('.')) !== undefined);
}

function inside(value: unknown, keys: readonly string[]): unknown {
  return keys.reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), value);
}

/** The option of a union that a value matches: it has all required members, no others, and the right tag. */
export function chosen(spec: Spec, options: readonly Shape[], value: unknown): Shape {
  const found = options.find((option) => option.kind !== 'type' || isOf(spec, option.name, value));
  if (found === undefined) throw new Error(`none of the types in question: ${show(value)}`);
  return found;
}

function isOf(spec: Spec, type: string, value: unknown): boolean {
  if (!isObject(value)) return false;
  const members = membersOf(spec, type);
  return (
    Object.keys(value).every((key) => members.some(({ name }) => name === key)) &&
    members.every(({ name, shape, presence }) => {
      const content = value[name];
      if (content === undefined) return presence !== 'required';
      return shape.kind === 'const' ? content === shape.value : Array.isArray(content) === (shape.kind === 'list');
    })
  );
}

/** The values that proto3 does not distinguish from absence; for an enum, the first one. */
function isEmpty({ shape }: Member, value: unknown): boolean {
  if (shape.kind === 'word' && value === shape.stringEnum[0]) return true;
  if (value === undefined || value === '' || value === false || value === 0) return true;
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

function show(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 120);
}
