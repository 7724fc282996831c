import { expect, test } from 'vitest';
import { A2AError, type FieldViolation } from '../errors.ts';
import { DEFAULT_LIMITS, Decoder, type DecodeOptions, type Repair } from './decoder.ts';

function errorOf(d: Decoder): A2AError | undefined {
  try {
    d.finish();
    return undefined;
  } catch (error) {
    if (A2AError.is(error)) return error;
    throw error;
  }
}

function violationsOf(d: Decoder): readonly FieldViolation[] {
  return errorOf(d)?.violations ?? [];
}

// Paths

test.each<[string, readonly (string | number)[], string | number | undefined, string]>([
  ['the value itself', [], undefined, ''],
  ['a member', [], 'id', 'id'],
  ['a member of a member', ['message'], 'role', 'message.role'],
  ['an item', ['message', 'parts', 2], 'text', 'message.parts[2].text'],
  ['an item of the value itself', [], 0, '[0]'],
  ['lists in lists', ['data', 0, 1], undefined, 'data[0][1]'],
])('the decoder formats the path of %s', (_case, path, key, field) => {
  const d = new Decoder('request');
  const walk = (steps: readonly (string | number)[]): void => {
    const [step, ...rest] = steps;
    if (step === undefined) d.violate('x', key);
    else d.at(step, () => walk(rest));
  };
  walk(path);
  expect(violationsOf(d)).toEqual([{ field, description: 'expected x' }]);
  expect(d.depth).toBe(0);
});

test('a nested decode returns the decoded value', () => {
  expect(new Decoder('request').at('a', () => 7)).toBe(7);
});

test('a path does not contain remains of deeper values', () => {
  const d = new Decoder('request');
  d.at('a', () => d.at('b', () => undefined));
  d.at('c', () => d.violate('x'));
  expect(violationsOf(d).map(({ field }) => field)).toEqual(['c']);
});

// Throwing violations

test('a pass without violations does not throw', () => {
  expect(errorOf(new Decoder('request'))).toBeUndefined();
});

test.each([
  ['request', 'INVALID_PARAMS'],
  ['response', 'INVALID_AGENT_RESPONSE'],
] as const)('violations in a %s are thrown as %s', (role, code) => {
  const d = new Decoder(role);
  d.violate('an object');
  expect(errorOf(d)).toMatchObject({ code, message: 'expected an object' });
});

test('one error names every violation', () => {
  const d = new Decoder('request');
  d.violate('a string', 'id');
  d.violate('an object', 'message');
  d.violate('an array', 'parts');
  expect(errorOf(d)).toMatchObject({
    message: 'id: expected a string (and 2 more)',
    violations: [
      { field: 'id', description: 'expected a string' },
      { field: 'message', description: 'expected an object' },
      { field: 'parts', description: 'expected an array' },
    ],
  });
});

test('at most 20 violations and 100 warnings are kept', () => {
  const d = new Decoder('request');
  for (let i = 0; i < 1000; i++) {
    d.violate('x', i);
    d.warn('code', 'x', i);
  }
  expect(violationsOf(d)).toHaveLength(20);
  expect(d.warnings).toHaveLength(100);
});

// Accepted deviations

test('an accepted deviation leaves a warning with code, path and description', () => {
  const d = new Decoder('request');
  d.at('status', () => d.tolerate('zone-missing', 'a time zone', 'timestamp'));
  expect(d.warnings).toEqual([
    { code: 'zone-missing', field: 'status.timestamp', description: 'expected a time zone' },
  ]);
  expect(errorOf(d)).toBeUndefined();
});

test('strict decoding accepts no deviation', () => {
  const d = new Decoder('response', { strict: true });
  d.at('status', () => d.tolerate('zone-missing', 'a time zone', 'timestamp'));
  expect(d.warnings).toEqual([]);
  expect(violationsOf(d)).toEqual([{ field: 'status.timestamp', description: 'expected a time zone' }]);
});

test('limits can be set separately', () => {
  expect(new Decoder('request').limits).toEqual({ maxDepth: 64, maxItems: 10_000, maxString: 16_777_216 });
  expect(new Decoder('request', { limits: { maxItems: 3 } }).limits).toEqual({ ...DEFAULT_LIMITS, maxItems: 3 });
  const unset = { maxItems: undefined } as unknown as Partial<typeof DEFAULT_LIMITS>;
  expect(new Decoder('request', { limits: unset }).limits).toEqual(DEFAULT_LIMITS);
});

test('generated ids come from the function in the options', () => {
  expect(new Decoder('request', { newId: () => 'id-1' }).newId()).toBe('id-1');
  expect(new Decoder('request').newId()).toMatch(/^[0-9a-f-]{36}$/);
});

// Repairs of a small profile: `colour` was once called `color`, and `size` was a string.

const rename: Repair = {
  code: 'old-name',
  point: 'part',
  expected: 'colour',
  instead: 'read color instead',
  apply: ({ color, ...rest }) => (color === undefined ? undefined : { ...rest, colour: color }),
};
const resize: Repair = {
  code: 'size-word',
  point: 'part',
  expected: 'a number',
  instead: 'read a word',
  apply: (json) => (json['size'] === 'big' ? { ...json, size: 3 } : undefined),
};

function repairing(options: DecodeOptions = {}): Decoder {
  return new Decoder('request', { repairs: [rename, resize], ...options });
}

test('every matching repair is applied in order and warns once', () => {
  const d = repairing();
  const official = d.at('parts', () => d.at(1, () => d.repair('part', { color: 'red', size: 'big' })));
  expect(official).toEqual({ colour: 'red', size: 3 });
  expect(d.warnings).toEqual([
    { code: 'old-name', field: 'parts[1]', description: 'expected colour; read color instead' },
    { code: 'size-word', field: 'parts[1]', description: 'expected a number; read a word' },
  ]);
});

test.each<[string, Decoder, Parameters<Decoder['repair']>[0]]>([
  ['no profile knows it', repairing({ repairs: [resize] }), 'part'],
  ['it is at another repair point', repairing(), 'message'],
  ['decoding is strict', repairing({ strict: true }), 'part'],
  ['there are no profiles', new Decoder('request'), 'part'],
])('an object is not repaired if %s', (_case, d, point) => {
  d.violate('x');
  expect(d.repair(point, { color: 'red' }, { violations: 0, warnings: 0, unknownRoom: 0 })).toBeUndefined();
  expect(d.warnings).toEqual([]);
  expect(violationsOf(d)).toHaveLength(1);
});

test('a repair discards only the violations and warnings since the mark', () => {
  const d = repairing();
  d.violate('x', 'before');
  d.warn('before', '');
  const mark = d.mark();
  d.violate('x', 'since');
  d.warn('since', '');
  expect(d.failedSince(mark)).toBe(true);
  d.repair('part', { color: 'red' }, mark);
  expect(d.failedSince(mark)).toBe(false);
  expect(violationsOf(d).map(({ field }) => field)).toEqual(['before']);
  expect(d.warnings.map(({ code }) => code)).toEqual(['before', 'old-name']);
});

test('a repair without a mark discards nothing', () => {
  const d = repairing();
  d.violate('x', 'before');
  d.repair('part', { color: 'red' });
  expect(violationsOf(d).map(({ field }) => field)).toEqual(['before']);
});

test('strict decoding rejects members that a profile would interpret, lenient decoding accepts them', () => {
  const strict = repairing({ strict: true });
  strict.at('parts', () => strict.rejectRepairable('part', { color: 'red', size: 'big' }));
  strict.rejectRepairable('message', { color: 'red' });
  strict.rejectRepairable('part', { colour: 'red' });
  expect(violationsOf(strict)).toEqual([
    { field: 'parts', description: 'expected colour' },
    { field: 'parts', description: 'expected a number' },
  ]);
  const lenient = repairing();
  lenient.rejectRepairable('part', { color: 'red' });
  expect(errorOf(lenient)).toBeUndefined();
});

test('a very long member name is truncated in the path', () => {
  const d = new Decoder('request');
  d.at('x'.repeat(1_000_000), () => d.violate('a string'));
  expect(() => d.finish()).toThrow(`${'x'.repeat(64)}…: expected a string`);
});
