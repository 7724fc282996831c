import { isObject } from '../../src/wire/codec.ts';
import { chosen } from './compare.ts';
import { membersOf, type Shape, type Spec } from './shape.ts';
import type { Subject } from './subjects.ts';

/** Simulates a codec that misses one member: removes `Type.member` everywhere. */
export function dropMember({ spec, shape }: Subject, value: unknown, place: string): unknown {
  return withoutMember(spec, shape, value, place);
}

function withoutMember(spec: Spec, shape: Shape, value: unknown, place: string): unknown {
  if (shape.kind === 'union') return withoutMember(spec, chosen(spec, shape.options, value), value, place);
  if (shape.kind === 'list' && Array.isArray(value))
    return value.map((item) => withoutMember(spec, shape.item, item, place));
  if (shape.kind === 'map' && isObject(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, withoutMember(spec, shape.item, item, place)]),
    );
  }
  if (shape.kind !== 'type' || !isObject(value)) return value;
  const members = new Map(membersOf(spec, shape.name).map((member) => [member.name, member.shape]));
  const kept = Object.entries(value).filter(([key]) => `${shape.name}.${key}` !== place);
  return Object.fromEntries(
    kept.map(([key, content]) => [key, withoutMember(spec, members.get(key) ?? { kind: 'any' }, content, place)]),
  );
}
