import type { JsonObject, JsonValue } from '../../src/model/json.ts';
import { isAt, type Member, membersOf, type Shape, type Spec, type Step } from './shape.ts';

/**
 * How many members of a value are set.
 *
 * - `full`: every member, each with a different value; one value for each choice.
 * - `empty`: members whose absence has a meaning are set and empty.
 * - `bare`: only required members.
 */
export type Flavour = 'full' | 'empty' | 'bare';

/** Constraints on the values of a member beyond its type: a list of choices, created anew for each value. */
export type Samples = Readonly<Record<string, () => readonly JsonValue[]>>;

type Make = () => JsonValue;

/** Values of one specification in which all texts, numbers and times are different. */
export class Populator {
  readonly #spec: Spec;
  readonly #samples: readonly (readonly [pattern: string, () => readonly JsonValue[]])[];
  readonly #flavour: Flavour;
  #count = 0;

  constructor(spec: Spec, samples: Samples = {}, flavour: Flavour = 'full') {
    this.#spec = spec;
    // The longest matching pattern applies.
    this.#samples = Object.entries(samples).toSorted(([a], [b]) => b.length - a.length);
    this.#flavour = flavour;
  }

  /** At least one value of the shape, and as many as needed to use each choice in it once. */
  values(shape: Shape): readonly JsonValue[] {
    return this.#variants(shape, []).map((make) => make());
  }

  #variants(shape: Shape, steps: readonly Step[]): readonly Make[] {
    switch (shape.kind) {
      case 'string':
        return [() => `${steps.at(-1)?.member ?? 'text'}-${++this.#count}`];
      case 'bytes':
        return [() => Buffer.from(`bytes ${++this.#count}`).toString('base64')];
      case 'boolean':
        return [() => true];
      case 'integer':
        return [() => ++this.#count];
      case 'timestamp':
        return [() => new Date(Date.UTC(2026, 2, 12, 10, 0, ++this.#count, 789)).toISOString()];
      case 'object':
        return [() => this.#object()];
      case 'any':
        return [
          () => this.#object(),
          () => [++this.#count, null, {}],
          () => `any ${++this.#count}`,
          () => 0.5,
          () => false,
          () => null,
        ];
      case 'null':
        return [() => null];
      case 'const':
        return [() => shape.value];
      case 'word':
        return shape.stringEnum.map((word) => () => word);
      case 'list':
        return [() => this.#several(shape.item, steps)];
      case 'map':
        return [() => Object.fromEntries(this.#several(shape.item, steps).map((value, i) => [`key-${i}`, value]))];
      case 'union':
        return shape.options.flatMap((option) => this.#variants(option, steps));
      case 'type':
        return this.#typeVariants(shape.name, steps);
    }
  }

  /** All choices of an item, and at least two items, to detect a decoder that takes only the first. */
  #several(item: Shape, steps: readonly Step[]): readonly JsonValue[] {
    const choices = this.#variants(item, steps);
    return (choices.length === 1 ? [...choices, ...choices] : choices).map((make) => make());
  }

  #object(): JsonObject {
    const n = ++this.#count;
    return {
      text: `größe ${n}`,
      number: n + 0.25,
      yes: true,
      nothing: null,
      list: [n, null, { deep: [] }],
      inner: { nothing: null, none: {} },
    };
  }

  /** As many values as the member with the most choices has; the others repeat theirs. */
  #typeVariants(type: string, steps: readonly Step[]): readonly Make[] {
    const members = membersOf(this.#spec, type).map((member) => ({
      member,
      choices: this.#choices(member, [...steps, { type, member: member.name }]),
    }));
    const groups = new Map<string, (readonly [name: string, Make])[]>();
    for (const { member, choices } of members) {
      if (choices.length === 0) continue;
      const group = member.oneOf ?? `member ${member.name}`;
      groups.set(group, [...(groups.get(group) ?? []), ...choices.map((make) => [member.name, make] as const)]);
    }
    const sizes = [...groups.values()].map((choices) => choices.length);
    return Array.from({ length: Math.max(1, ...sizes) }, (_, i) => () => {
      const chosen = [...groups.values()].map((choices) => choices[i % choices.length]);
      return Object.fromEntries(chosen.flatMap((choice) => (choice === undefined ? [] : [[choice[0], choice[1]()]])));
    });
  }

  #choices(member: Member, steps: readonly Step[]): readonly Make[] {
    const isChoice = member.oneOf !== undefined;
    if (this.#flavour !== 'full' && !isChoice && member.presence === 'defaulted') return [];
    if (this.#flavour === 'bare' && !isChoice && member.presence === 'optional') return [];
    const sample = this.#samples.find(([pattern]) => isAt(steps, pattern))?.[1];
    if (sample !== undefined) return sample().map((_, i) => () => sample()[i] ?? null);
    if (this.#flavour === 'empty' && !isChoice && member.presence === 'optional')
      return this.#empty(member.shape, steps);
    return this.#variants(member.shape, steps);
  }

  #empty(shape: Shape, steps: readonly Step[]): readonly Make[] {
    switch (shape.kind) {
      case 'string':
        return [() => ''];
      case 'boolean':
        return [() => false];
      case 'integer':
        return [() => 0];
      case 'object':
      case 'map':
        return [() => ({})];
      case 'list':
        return [() => []];
      default:
        return this.#variants(shape, steps);
    }
  }
}
