import fc from 'fast-check';
import type { JsonValue } from '../../src/model/json.ts';
import {
  arbitraryId,
  arbitraryJson,
  arbitraryStruct,
  arbitraryText,
  arbitraryTimestamp,
} from '../helpers/arbitrary-model.ts';
import { isAt, type Member, membersOf, type Shape, type Spec, type Step } from './shape.ts';

/** Constraints on the values of a member beyond its type, by pattern. The longest matching pattern applies. */
export type Limits = Readonly<Record<string, fc.Arbitrary<JsonValue>>>;

const NAMES_AN_ID = /^(id|url|uri|protected|signature|scheme|tenant|pageToken)$|(Id|Ids)$/;

/**
 * Random values of a specification in canonical form: values that proto3 does not distinguish from absence are absent.
 */
export function arbitraryOf(spec: Spec, shape: Shape, limits: Limits): fc.Arbitrary<JsonValue> {
  const patterns = Object.entries(limits).toSorted(([a], [b]) => b.length - a.length);
  return ofShape(shape, [], 'required');

  function ofShape(of: Shape, steps: readonly Step[], presence: Member['presence']): fc.Arbitrary<JsonValue> {
    const limit = patterns.find(([pattern]) => isAt(steps, pattern));
    if (limit !== undefined) return limit[1];
    const min = presence === 'defaulted' ? 1 : 0;
    switch (of.kind) {
      case 'string':
        return NAMES_AN_ID.test(steps.at(-1)?.member ?? '')
          ? arbitraryId
          : arbitraryText.filter((text) => text.length >= min);
      case 'bytes':
        return fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString('base64'));
      case 'boolean':
        return min === 0 ? fc.boolean() : fc.constant(true);
      case 'integer':
        return fc.integer({ min, max: 2 ** 31 - 1 });
      case 'timestamp':
        return arbitraryTimestamp;
      case 'object':
        return arbitraryStruct;
      case 'any':
        return arbitraryJson;
      case 'null':
        return fc.constant(null);
      case 'const':
        return fc.constant(of.value);
      case 'word':
        return fc.constantFrom(...of.stringEnum.slice(min));
      case 'list':
        // Required lists must not be empty either: parts, interfaces.
        return fc.array(ofItem(of.item, steps), { minLength: presence === 'optional' ? 0 : 1, maxLength: 3 });
      case 'map':
        return fc.dictionary(fc.oneof(arbitraryText, fc.constant('__proto__')), ofItem(of.item, steps), {
          minKeys: min,
          maxKeys: 3,
        });
      case 'union':
        return fc.oneof(...of.options.map((option) => ofShape(option, [], 'required')));
      case 'type':
        return ofType(of.name, steps);
    }
  }

  function ofItem(item: Shape, steps: readonly Step[]): fc.Arbitrary<JsonValue> {
    return item.kind === 'type' ? ofType(item.name, steps) : ofShape(item, steps.slice(0, -1), 'required');
  }

  function ofType(type: string, steps: readonly Step[]): fc.Arbitrary<JsonValue> {
    const members = membersOf(spec, type);
    const content = (member: Member): fc.Arbitrary<JsonValue> =>
      ofShape(member.shape, [...steps, { type, member: member.name }], member.presence);
    const plain = members.filter(({ oneOf }) => oneOf === undefined);
    const record = fc.record(Object.fromEntries(plain.map((member) => [member.name, content(member)])), {
      requiredKeys: plain.filter(({ presence }) => presence === 'required').map(({ name }) => name),
    });
    const choices = members.filter(({ oneOf }) => oneOf !== undefined);
    if (choices.length === 0) return record;
    const choice = fc.oneof(...choices.map((member) => fc.record({ [member.name]: content(member) })));
    return fc.tuple(choice, record).map(([chosen, rest]) => ({ ...chosen, ...rest }));
  }
}
