import { normalizeBase64 } from '../../src/support/base64.ts';
import { isObject } from '../../src/wire/codec.ts';
import { membersOf, type Shape, type Spec } from './shape.ts';

/** The violations of a value against the normative file of its version; empty if it is valid. */
export function problemsOf(spec: Spec, shape: Shape, value: unknown, path = ''): readonly string[] {
  const check = (is: boolean, expected: string): readonly string[] =>
    is ? [] : [`${path}: expected ${expected}, found ${JSON.stringify(value)}`];
  switch (shape.kind) {
    case 'string':
      return check(typeof value === 'string', 'a string');
    case 'boolean':
      return check(typeof value === 'boolean', 'a boolean');
    case 'integer':
      return check(Number.isInteger(value), 'an integer');
    case 'null':
      return check(value === null, 'null');
    case 'bytes':
      return check(typeof value === 'string' && normalizeBase64(value) === value, 'base64');
    case 'timestamp':
      return check(typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value), 'a time');
    case 'object':
      return check(isObject(value), 'an object');
    case 'any':
      return check(value !== undefined, 'anything');
    case 'const':
      return check(value === shape.value, `'${shape.value}'`);
    case 'word':
      return check(
        typeof value === 'string' && shape.stringEnum.includes(value),
        `one of ${shape.stringEnum.join(', ')}`,
      );
    case 'list':
      if (!Array.isArray(value)) return check(false, 'a list');
      return value.flatMap((item, i) => problemsOf(spec, shape.item, item, `${path}[${i}]`));
    case 'map':
      if (!isObject(value)) return check(false, 'an object');
      return Object.entries(value).flatMap(([key, item]) => problemsOf(spec, shape.item, item, `${path}.${key}`));
    case 'union': {
      const all = shape.options.map((option) => problemsOf(spec, option, value, path));
      // The violations of the best matching option are the most helpful.
      return all.toSorted((a, b) => a.length - b.length)[0] ?? [];
    }
    case 'type':
      return isObject(value) ? problemsOfObject(spec, shape.name, value, path) : check(false, `a ${shape.name}`);
  }
}

function problemsOfObject(
  spec: Spec,
  type: string,
  value: Readonly<Record<string, unknown>>,
  path: string,
): readonly string[] {
  const members = membersOf(spec, type);
  const found: string[] = Object.keys(value)
    .filter((key) => members.every(({ name }) => name !== key))
    .map((key) => `${path}.${key}: ${type} has no such member`);
  const groups = new Map<string, number>();
  for (const { name, shape, presence, oneOf } of members) {
    const content = value[name];
    if (oneOf !== undefined) groups.set(oneOf, (groups.get(oneOf) ?? 0) + Number(content !== undefined));
    if (content !== undefined) found.push(...problemsOf(spec, shape, content, `${path}.${name}`));
    else if (presence === 'required') found.push(`${path}.${name}: is missing from ${type}`);
  }
  for (const [group, count] of groups) if (count !== 1) found.push(`${path}: has ${count} members of ${group}`);
  return found;
}
