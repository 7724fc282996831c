import fc from 'fast-check';
import { expect, test } from 'vitest';
import { A2AError } from '../errors.ts';
import type { Codec } from './codec.ts';
import { decode } from './dialect.ts';
import type { DecodeOptions, DecodeRole } from './decoder.ts';
import {
  boolean,
  bytes,
  count,
  id,
  idOrEmpty,
  int32,
  json,
  list,
  map,
  nothing,
  oneOf,
  protoEnum,
  string,
  strings,
  struct,
  timestamp,
  within,
  stringEnum,
} from './values.ts';

/** The violations as `field: description`. */
function mistakes(
  codec: Codec<unknown>,
  value: unknown,
  options?: DecodeOptions,
  role: DecodeRole = 'request',
): readonly string[] {
  try {
    decode(codec, value, role, options);
    return [];
  } catch (error) {
    if (!A2AError.is(error)) throw error;
    return error.violations.map(({ field, description }) => (field === '' ? description : `${field}: ${description}`));
  }
}

const TIME = '2026-03-12T10:00:00.000Z';

test.each<[string, Codec<unknown>, unknown, unknown]>([
  ['a text', string, 'é\u0000😀', 'é\u0000😀'],
  ['an empty text', string, '', ''],
  ['an id', id, ' ', ' '],
  ['an id with any Unicode characters', id, 'é世🔑\u0001', 'é世🔑\u0001'],
  ['an empty optional id', idOrEmpty, '', ''],
  ['a boolean', boolean, false, false],
  ['an integer', int32, -7, -7],
  ['an integer with a fraction of zero', int32, 7.0, 7],
  ['an integer as text', int32, '42', 42],
  ['the smallest integer', int32, -2147483648, -2147483648],
  ['the largest integer', int32, '2147483647', 2147483647],
  ['a count of zero', count, 0, 0],
  ['the bounds', list(within(1, 3)), [1, '3'], [1, 3]],
  ['bytes in a foreign form', bytes, '-_8', '+/8='],
  ['no bytes', bytes, '', ''],
  ['a time in a foreign form', timestamp, '2026-03-12T11:00:00+01:00', TIME],
  ['null as data', json, null, null],
  ['data', json, [{ a: [1.5, null, ''] }], [{ a: [1.5, null, ''] }]],
  ['metadata', struct, { a: { b: null } }, { a: { b: null } }],
  ['a list', strings, ['a', ''], ['a', '']],
  ['a dictionary', map(strings), { a: [], b: ['c'] }, { a: [], b: ['c'] }],
  ['a dictionary, in which null is absence', map(string), { a: null, b: 'c' }, { b: 'c' }],
  ['an empty result as null', nothing, null, null],
  ['an empty result as an object', nothing, {}, null],
  ['a missing empty result', nothing, undefined, null],
])('the codec decodes %s', (_case, codec, wire, model) => {
  expect(decode(codec, wire, 'request').value).toStrictEqual(model);
});

const A_NAME = 'expected a string without NUL characters and unpaired surrogates';
const INT = 'expected a 32-bit integer';
const A_TIME = 'expected a time such as 2026-03-12T10:00:00.000Z';

test.each<[string, Codec<unknown>, unknown, readonly string[]]>([
  ['a number', string, 1, ['expected a string']],
  ['an empty id', id, '', ['expected a non-empty string']],
  ['an id that is not a string', id, null, ['expected a string']],
  ['an id with NUL', id, 'a\u0000b', [A_NAME]],
  ['an id with a lone surrogate', id, 'a\ud83d', [A_NAME]],
  ['a lone surrogate in an optional id', idOrEmpty, '\udd11', [A_NAME]],
  ['a string in place of a boolean', boolean, 'true', ['expected true or false']],
  ['a fraction', int32, 1.5, [INT]],
  ['a number above 32 bits', int32, 2147483648, [INT]],
  ['a number below 32 bits', int32, -2147483649, [INT]],
  ['a text above 32 bits', int32, '9999999999', [INT]],
  ['a number in scientific notation as text', int32, '1e3', [INT]],
  ['a number with blanks', int32, ' 1', [INT]],
  ['NaN', int32, Number.NaN, [INT]],
  ['a negative count', count, -1, ['expected an integer of 0 or more']],
  ['a count that is not a number, with one violation', count, 'many', [INT]],
  ['a number below its range', within(1, 100), 0, ['expected an integer from 1 to 100']],
  ['a number above its range', within(1, 100), '101', ['expected an integer from 1 to 100']],
  ['a bounded number that is not a number, with one violation', within(1, 100), 'ten', [INT]],
  ['a string that is not base64', bytes, '<bytes>', ['expected base64']],
  ['bytes that are not a string, with one violation', bytes, [1], ['expected a string']],
  ['a date without a time', timestamp, '2026-03-12', [A_TIME]],
  ['a time that is not a string, with one violation', timestamp, 1698662400, [A_TIME]],
  ['an infinite number', json, JSON.parse('1e400'), ['expected a finite number']],
  ['an infinite number in metadata', struct, JSON.parse('{"a":[1,-1e400]}'), ['a[1]: expected a finite number']],
  ['a list in place of metadata', struct, [], ['expected an object']],
  ['null in place of metadata', struct, null, ['expected an object']],
  ['an object in place of a list', strings, { 0: 'a' }, ['expected an array']],
  ['an empty list where an item is required', list(string, 1), [], ['expected at least one item']],
  ['wrong items in lists', list(strings), [['a'], [1], 2], ['[1][0]: expected a string', '[2]: expected an array']],
  ['wrong items', strings, ['a', 1, 'b', null], ['[1]: expected a string', '[3]: expected a string']],
  ['a list for a dictionary', map(string), [], ['expected an object']],
  ['wrong entries', map(string), { a: 1, b: 'c', d: {} }, ['a: expected a string', 'd: expected a string']],
])('the codec rejects %s', (_case, codec, wire, violations) => {
  expect(mistakes(codec, wire)).toEqual(violations);
});

test('names in the data of a peer are not checked', () => {
  expect(decode(id, 'a\u0000\ud83d', 'response').value).toBe('a\u0000\ud83d');
});

test('a time without a zone is decoded as UTC with a warning, and rejected in strict mode', () => {
  const { value, warnings } = decode(timestamp, '2026-03-12T10:00:00', 'request');
  expect(value).toBe(TIME);
  expect(warnings).toMatchObject([{ code: 'timestamp-zone-missing', field: '' }]);
  expect(mistakes(timestamp, '2026-03-12T10:00:00', { strict: true })).toEqual(['expected a time zone such as Z']);
});

// Limits

const limits = { maxDepth: 3, maxItems: 2, maxString: 4 };

test.each<[string, Codec<unknown>, unknown, readonly string[]]>([
  ['a long text', string, '12345', ['expected at most 4 characters']],
  ['a long text in data', json, { a: ['', '12345'] }, ['a[1]: expected at most 4 characters']],
  ['a long list', strings, ['', '', ''], ['expected at most 2 items']],
  ['a long list in data', struct, { a: { b: [1, 2, 3] } }, ['a.b: expected at most 2 items']],
  ['a large dictionary', map(string), { a: '', b: '', c: '' }, ['expected at most 2 members']],
  [
    'a large dictionary in a list',
    list(map(string)),
    [{}, { a: '', b: '', c: '' }],
    ['[1]: expected at most 2 members'],
  ],
  ['deep data', json, [[[[]]]], ['[0][0][0]: expected at most 3 levels of nesting']],
  ['deep metadata', struct, { a: { b: { c: {} } } }, ['a.b.c: expected at most 3 levels of nesting']],
  [
    'depth counts from the outside',
    list(struct),
    [{ a: { b: {} } }],
    ['[0].a.b: expected at most 3 levels of nesting'],
  ],
  [
    'several at once',
    json,
    [[['12345'], [1, 2, 3]], '12345'],
    [
      '[0][0][0]: expected at most 4 characters',
      '[0][1]: expected at most 2 items',
      '[1]: expected at most 4 characters',
    ],
  ],
])('a value above the limit is rejected: %s', (_case, codec, wire, violations) => {
  expect(mistakes(codec, wire, { limits })).toEqual(violations);
});

test('values at the limit are accepted', () => {
  expect(mistakes(json, { a: [['1234', 2]], b: null }, { limits })).toEqual([]);
  expect(mistakes(map(string), { a: '1234', b: '', c: null }, { limits })).toEqual([]);
});

test('data nested a hundred thousand levels deep is rejected without a stack overflow', () => {
  const deep = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000)) as unknown;
  expect(mistakes(json, deep)).toEqual([expect.stringMatching(/^(\[0\]){64}: expected at most 64 levels/)]);
});

// Enumerations

const colour = stringEnum<'RED' | 'BLUE' | 'NONE'>({ red: 'RED', blue: 'BLUE' }, 'NONE', [['rouge', 'RED']]);
const size = protoEnum(['SIZE_UNSPECIFIED', 'SIZE_SMALL', 'SIZE_BIG'], [['SIZE_LARGE', 'SIZE_BIG']]);

test.each<[Codec<string>, unknown, string]>([
  [colour, 'red', 'RED'],
  [colour, 'rouge', 'RED'],
  [size, 'SIZE_SMALL', 'SIZE_SMALL'],
  [size, 'SIZE_LARGE', 'SIZE_BIG'],
  [size, 2, 'SIZE_BIG'],
  [size, 0, 'SIZE_UNSPECIFIED'],
])('%# the value %j of an enumeration is decoded as %s', (codec, wire, model) => {
  expect(decode(codec, wire, 'request')).toMatchObject({ value: model, warnings: [] });
});

test.each(['green', 'RED', '', null, 3, -1, '2', 'constructor', '__proto__', {}])(
  'the value %j of an enumeration is unknown',
  (word) => {
    expect(mistakes(colour, word)).toEqual(['expected one of red, blue']);
    expect(mistakes(size, word)).toEqual(['expected one of SIZE_UNSPECIFIED, SIZE_SMALL, SIZE_BIG']);
    const { value, warnings } = decode(colour, word, 'response');
    expect(value).toBe('NONE');
    expect(warnings).toEqual([{ code: 'unknown-word', field: '', description: 'expected one of red, blue' }]);
    expect(mistakes(colour, word, { strict: true }, 'response')).toEqual(['expected one of red, blue']);
  },
);

test('values of an enumeration are encoded in the format of the dialect, and those it lacks as the last one', () => {
  expect((['RED', 'BLUE', 'NONE'] as const).map((value) => colour.encode(value))).toEqual(['red', 'blue', 'blue']);
  expect((['SIZE_UNSPECIFIED', 'SIZE_BIG'] as const).map((value) => size.encode(value))).toEqual([
    'SIZE_UNSPECIFIED',
    'SIZE_BIG',
  ]);
});

// Unions

const shape = oneOf<{ readonly circle: number } | { readonly wideBox: readonly string[] }>({
  circle: int32,
  wideBox: strings,
});

test.each<[unknown, unknown]>([
  [{ circle: 3 }, { circle: 3 }],
  [{ circle: 0, wideBox: null }, { circle: 0 }],
  [{ wide_box: ['a'] }, { wideBox: ['a'] }],
  [{ wideBox: null, wide_box: [] }, { wideBox: [] }],
  [{ circle: 1, colour: 'red' }, { circle: 1 }],
])('the union %j is decoded by its only case', (wire, model) => {
  const { value } = decode(shape, wire, 'request');
  expect(value).toStrictEqual(model);
  expect(shape.encode(value)).toEqual(model);
});

test.each<[unknown, string]>([
  [{}, 'expected exactly one of circle, wideBox'],
  [{ circle: null }, 'expected exactly one of circle, wideBox'],
  [{ circle: 1, wideBox: [] }, 'expected exactly one of circle, wideBox'],
  [{ circle: 'x' }, 'circle: expected a 32-bit integer'],
  [{ wide_box: [1] }, 'wideBox[0]: expected a string'],
  ['circle', 'expected an object'],
])('the union %j is rejected', (wire, violation) => {
  expect(mistakes(shape, wire)).toEqual([violation]);
});

test('user data is decoded unchanged, whatever its keys', () => {
  const wire = JSON.parse('{"__proto__":{"a":1},"constructor":null,"toString":[{"__proto__":2}]}') as object;
  for (const codec of [json, struct]) expect(decode(codec as Codec<unknown>, wire, 'request').value).toBe(wire);
  const { value } = decode(map(json), wire, 'request');
  expect(JSON.stringify(value)).toBe('{"__proto__":{"a":1},"toString":[{"__proto__":2}]}');
  expect(JSON.stringify(map(json).encode(value))).toBe(JSON.stringify(value));
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
});

test('every codec fails only with an A2AError for any value', () => {
  const codecs: readonly Codec<unknown>[] = [id, count, bytes, timestamp, struct, map(shape), colour, size];
  fc.assert(
    fc.property(
      fc.constantFrom(...codecs),
      fc.jsonValue(),
      fc.constantFrom<DecodeRole>('request', 'response'),
      (codec, value, role) => {
        mistakes(codec, value, { limits }, role);
      },
    ),
  );
});

test('the length and the number of member names are limited', () => {
  const limits = { maxString: 10, maxItems: 3 };
  for (const value of [{ ['x'.repeat(11)]: 1 }, { a: 1, b: 2, c: 3, d: 4 }]) {
    expect(() => decode(json, value, 'request', { limits })).toThrow('at most 3 members');
    expect(() => decode(map(json), value, 'request', { limits })).toThrow('at most 3 members');
  }
});

test('an empty list is accepted in a response where a request must have an item', () => {
  expect(() => decode(list(string, 1), [], 'request')).toThrow('at least one item');
  const { value, warnings } = decode(list(string, 1), [], 'response');
  expect([value, warnings]).toMatchObject([[], [{ code: 'list-empty' }]]);
});
