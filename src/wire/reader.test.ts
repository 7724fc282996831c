import { expect, test } from 'vitest';
import { A2AError, type FieldViolation } from '../errors.ts';
import { DEFAULT_LIMITS, Reader, type ReadOptions, type Repair } from './reader.ts';

function errorOf(r: Reader): A2AError | undefined {
  try {
    r.finish();
    return undefined;
  } catch (error) {
    if (A2AError.is(error)) return error;
    throw error;
  }
}

function violationsOf(r: Reader): readonly FieldViolation[] {
  return errorOf(r)?.violations ?? [];
}

// Paths

test.each<[string, readonly (string | number)[], string | number | undefined, string]>([
  ['the value itself', [], undefined, ''],
  ['a member', [], 'id', 'id'],
  ['a member of a member', ['message'], 'role', 'message.role'],
  ['an item', ['message', 'parts', 2], 'text', 'message.parts[2].text'],
  ['an item of the value itself', [], 0, '[0]'],
  ['lists in lists', ['data', 0, 1], undefined, 'data[0][1]'],
])('the path of %s', (_case, path, key, field) => {
  const r = new Reader('request');
  const walk = (steps: readonly (string | number)[]): void => {
    const [step, ...rest] = steps;
    if (step === undefined) r.violate('x', key);
    else r.at(step, () => walk(rest));
  };
  walk(path);
  expect(violationsOf(r)).toEqual([{ field, description: 'expected x' }]);
  expect(r.depth).toBe(0);
});

test('a step down the path hands back what was read there', () => {
  expect(new Reader('request').at('a', () => 7)).toBe(7);
});

test('what deeper values left on the path does not show', () => {
  const r = new Reader('request');
  r.at('a', () => r.at('b', () => undefined));
  r.at('c', () => r.violate('x'));
  expect(violationsOf(r).map(({ field }) => field)).toEqual(['c']);
});

// The end of a pass

test('nothing wrong, nothing thrown', () => {
  expect(errorOf(new Reader('request'))).toBeUndefined();
});

test.each([
  ['request', 'INVALID_PARAMS'],
  ['response', 'INVALID_AGENT_RESPONSE'],
] as const)('what is wrong in a %s is %s', (role, code) => {
  const r = new Reader(role);
  r.violate('an object');
  expect(errorOf(r)).toMatchObject({ code, message: 'expected an object' });
});

test('one error names every violation', () => {
  const r = new Reader('request');
  r.violate('a string', 'id');
  r.violate('an object', 'message');
  r.violate('an array', 'parts');
  expect(errorOf(r)).toMatchObject({
    message: 'id: expected a string (and 2 more)',
    violations: [
      { field: 'id', description: 'expected a string' },
      { field: 'message', description: 'expected an object' },
      { field: 'parts', description: 'expected an array' },
    ],
  });
});

test('no more than 20 violations and 100 warnings are kept', () => {
  const r = new Reader('request');
  for (let i = 0; i < 1000; i++) {
    r.violate('x', i);
    r.warn('code', 'x', i);
  }
  expect(violationsOf(r)).toHaveLength(20);
  expect(r.warnings).toHaveLength(100);
});

// Kindness

test('kindness leaves a warning with code, place and description', () => {
  const r = new Reader('request');
  r.at('status', () => r.tolerate('zone-missing', 'a time zone', 'timestamp'));
  expect(r.warnings).toEqual([
    { code: 'zone-missing', field: 'status.timestamp', description: 'expected a time zone' },
  ]);
  expect(errorOf(r)).toBeUndefined();
});

test('strict reading knows no kindness', () => {
  const r = new Reader('response', { strict: true });
  r.at('status', () => r.tolerate('zone-missing', 'a time zone', 'timestamp'));
  expect(r.warnings).toEqual([]);
  expect(violationsOf(r)).toEqual([{ field: 'status.timestamp', description: 'expected a time zone' }]);
});

test('limits can be given one by one', () => {
  expect(new Reader('request').limits).toEqual({ maxDepth: 64, maxItems: 10_000, maxString: 16_777_216 });
  expect(new Reader('request', { limits: { maxItems: 3 } }).limits).toEqual({ ...DEFAULT_LIMITS, maxItems: 3 });
  const unset = { maxItems: undefined } as unknown as Partial<typeof DEFAULT_LIMITS>;
  expect(new Reader('request', { limits: unset }).limits).toEqual(DEFAULT_LIMITS);
});

test('generated ids come from where the options say', () => {
  expect(new Reader('request', { newId: () => 'id-1' }).newId()).toBe('id-1');
  expect(new Reader('request').newId()).toMatch(/^[0-9a-f-]{36}$/);
});

// Repairs, with a tiny profile: `colour` was once called `color`, and `size` was a word.

const rename: Repair = {
  code: 'old-name',
  seam: 'part',
  expected: 'colour',
  instead: 'read color instead',
  apply: ({ color, ...rest }) => (color === undefined ? undefined : { ...rest, colour: color }),
};
const resize: Repair = {
  code: 'size-word',
  seam: 'part',
  expected: 'a number',
  instead: 'read a word',
  apply: (json) => (json['size'] === 'big' ? { ...json, size: 3 } : undefined),
};

function repairing(options: ReadOptions = {}): Reader {
  return new Reader('request', { repairs: [rename, resize], ...options });
}

test('each repair that knows the deviation is applied, in order, and warns once', () => {
  const r = repairing();
  const official = r.at('parts', () => r.at(1, () => r.repair('part', { color: 'red', size: 'big' })));
  expect(official).toEqual({ colour: 'red', size: 3 });
  expect(r.warnings).toEqual([
    { code: 'old-name', field: 'parts[1]', description: 'expected colour; read color instead' },
    { code: 'size-word', field: 'parts[1]', description: 'expected a number; read a word' },
  ]);
});

test.each<[string, Reader, Parameters<Reader['repair']>[0]]>([
  ['no profile knows it', repairing({ repairs: [resize] }), 'part'],
  ['it lies at another seam', repairing(), 'message'],
  ['reading is strict', repairing({ strict: true }), 'part'],
  ['there are no profiles', new Reader('request'), 'part'],
])('an object is not repaired if %s', (_case, r, seam) => {
  r.violate('x');
  expect(r.repair(seam, { color: 'red' }, { violations: 0, warnings: 0, unknownRoom: 0 })).toBeUndefined();
  expect(r.warnings).toEqual([]);
  expect(violationsOf(r)).toHaveLength(1);
});

test('a repair makes forget what was noted since the mark, and only that', () => {
  const r = repairing();
  r.violate('x', 'before');
  r.warn('before', '');
  const mark = r.mark();
  r.violate('x', 'since');
  r.warn('since', '');
  expect(r.failedSince(mark)).toBe(true);
  r.repair('part', { color: 'red' }, mark);
  expect(r.failedSince(mark)).toBe(false);
  expect(violationsOf(r).map(({ field }) => field)).toEqual(['before']);
  expect(r.warnings.map(({ code }) => code)).toEqual(['before', 'old-name']);
});

test('without a mark a repair forgets nothing', () => {
  const r = repairing();
  r.violate('x', 'before');
  r.repair('part', { color: 'red' });
  expect(violationsOf(r).map(({ field }) => field)).toEqual(['before']);
});

test('strict reading refuses what a profile would act upon, lenient reading does not', () => {
  const strict = repairing({ strict: true });
  strict.at('parts', () => strict.refuse('part', { color: 'red', size: 'big' }));
  strict.refuse('message', { color: 'red' });
  strict.refuse('part', { colour: 'red' });
  expect(violationsOf(strict)).toEqual([
    { field: 'parts', description: 'expected colour' },
    { field: 'parts', description: 'expected a number' },
  ]);
  const lenient = repairing();
  lenient.refuse('part', { color: 'red' });
  expect(errorOf(lenient)).toBeUndefined();
});

test('a name as long as a novel is cut in the path', () => {
  const r = new Reader('request');
  r.at('x'.repeat(1_000_000), () => r.violate('a string'));
  expect(() => r.finish()).toThrow(`${'x'.repeat(64)}…: expected a string`);
});
