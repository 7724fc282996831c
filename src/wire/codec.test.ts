import { expect, test } from 'vitest';
import { A2AError } from '../errors.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import {
  type Codec,
  defaulted,
  expected,
  isObject,
  isSet,
  member,
  object,
  optional,
  required,
  snakeCase,
} from './codec.ts';
import { decode } from './dialect.ts';
import { Decoder, type DecodeOptions, type DecodeRole, type Repair } from './decoder.ts';
import { boolean, int32, json, list, string, strings, struct } from './values.ts';

interface Box {
  readonly boxId: string;
  readonly size: number;
  readonly label?: string;
  readonly fragile?: boolean;
  readonly contents?: readonly string[];
  readonly note?: JsonValue;
  readonly extras?: JsonObject;
  readonly inside?: Box;
}

const box: Codec<Box> = object<Box>(
  {
    boxId: required(string, { aliases: ['ID'] }),
    size: expected(int32, (d) => d.depth + 100),
    label: optional(string, { wire: 'sticker' }),
    fragile: defaulted(boolean),
    contents: defaulted(strings),
    note: optional(json, { nullable: true }),
    extras: defaulted(struct),
    inside: optional({ decode: (d, value) => box.decode(d, value), encode: (value: Box) => box.encode(value) }),
  },
  { tag: ['kind', 'box'], point: 'part' },
);

function read(value: unknown, role: DecodeRole = 'request', options?: DecodeOptions) {
  return decode(box, value, role, options);
}

/** The violations as `field: description`. */
function mistakes(value: unknown, role: DecodeRole = 'request', options?: DecodeOptions): readonly string[] {
  try {
    read(value, role, options);
    return [];
  } catch (error) {
    if (!A2AError.is(error)) throw error;
    return error.violations.map(({ field, description }) => `${field}: ${description}`);
  }
}

const B1 = { boxId: 'b1', size: 2 };

test.each<[string, JsonObject, Box]>([
  ['members by name', { ...B1, contents: ['a'] }, { ...B1, contents: ['a'] }],
  ['a member with another name on the wire', { ...B1, sticker: 'up' }, { ...B1, label: 'up' }],
  ['snake case', { box_id: 'b1', size: 2 }, B1],
  ['an alias', { ID: 'b1', size: 2 }, B1],
  ['an alias beside the real name, which takes precedence', { ID: 'other', boxId: 'b1', box_id: 'third', size: 2 }, B1],
  ['an alias beside a null', { boxId: null, ID: 'b1', size: 2 }, B1],
  ['unknown members are dropped', { ...B1, colour: 'red', label: 'the model name is not a wire name' }, B1],
  ['the tag is dropped', { kind: 'box', ...B1 }, B1],
  ['another tag is dropped as well', { kind: 'bag', ...B1 }, B1],
  ['null is absence', { ...B1, sticker: null, fragile: null, contents: null, inside: null }, B1],
  ['null is a value for nullable members', { ...B1, note: null }, { ...B1, note: null }],
  ['optional members count even if empty', { ...B1, sticker: '', note: '' }, { ...B1, label: '', note: '' }],
  ['empty defaulted members are dropped', { ...B1, fragile: false, contents: [], extras: {} }, B1],
  [
    'defaulted members with other values are kept',
    { ...B1, fragile: true, extras: { a: 0 } },
    { ...B1, fragile: true, extras: { a: 0 } },
  ],
  ['a box in a box', { ...B1, inside: { boxId: 'b2', size: 1 } }, { ...B1, inside: { boxId: 'b2', size: 1 } }],
])('the codec decodes an object: %s', (_case, wire, model) => {
  const { value, raw, warnings } = read(wire);
  expect(value).toStrictEqual(model);
  expect(raw).toBe(wire);
  expect(warnings).toEqual([]);
});

test.each<[string, unknown, readonly string[]]>([
  ['a text', 'b1', [': expected an object']],
  ['null', null, [': expected an object']],
  ['a list', [B1], [': expected an object']],
  ['an empty object', {}, ['boxId: expected the member boxId', 'size: expected the member size']],
  ['null for a required member', { ...B1, boxId: null }, ['boxId: expected the member boxId']],
  ['a wrong type', { ...B1, size: 'big' }, ['size: expected a 32-bit integer']],
  ['a wrong type under another name', { ID: 1, size: 2 }, ['boxId: expected a string']],
  [
    'several at several depths',
    { size: 1.5, sticker: 1, inside: { boxId: 'b2', size: 1, contents: ['a', 7] } },
    [
      'size: expected a 32-bit integer',
      'sticker: expected a string',
      'inside.contents[1]: expected a string',
      'boxId: expected the member boxId',
    ],
  ],
  ['a missing member inside', { ...B1, inside: { size: 1 } }, ['inside.boxId: expected the member boxId']],
])('the codec rejects %s', (_case, wire, violations) => {
  expect(mistakes(wire)).toEqual(violations);
});

test('a response without an expected member is decoded with a warning and a default', () => {
  const { value, warnings } = read({ boxId: 'b1', inside: { boxId: 'b2' } }, 'response');
  expect(value).toEqual({ boxId: 'b1', size: 100, inside: { boxId: 'b2', size: 101 } });
  expect(warnings).toEqual([
    { code: 'member-missing', field: 'inside.size', description: 'expected the member size' },
    { code: 'member-missing', field: 'size', description: 'expected the member size' },
  ]);
});

test('a response without a required member is rejected, and in strict mode one without an expected member', () => {
  expect(mistakes({ size: 2 }, 'response')).toEqual(['boxId: expected the member boxId']);
  expect(mistakes({ boxId: 'b1' }, 'response', { strict: true })).toEqual(['size: expected the member size']);
});

test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
  'a member named %s is an unknown member',
  (name) => {
    const wire = JSON.parse(`{"boxId":"b1","size":2,"${name}":{"label":"x","sticker":"x"}}`) as JsonObject;
    const { value } = read(wire);
    expect(value).toStrictEqual(B1);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  },
);

// Encoding

test('members are encoded in the order of the table after the tag, without empty and absent ones', () => {
  const model: Box = {
    inside: { boxId: 'b2', size: 0 },
    note: null,
    contents: [],
    fragile: false,
    label: '',
    size: 0,
    boxId: 'b1',
  };
  expect(JSON.stringify(box.encode(model))).toBe(
    '{"kind":"box","boxId":"b1","size":0,"sticker":"","note":null,"inside":{"kind":"box","boxId":"b2","size":0}}',
  );
});

test('members that are not in the table are not encoded', () => {
  expect(box.encode({ ...B1, secret: 1 } as Box)).toEqual({ kind: 'box', ...B1 });
});

// Repair points

const crate: Repair = {
  code: 'crate',
  point: 'part',
  expected: 'a box',
  instead: 'read a crate',
  apply: ({ crateId, ...rest }) => (crateId === undefined ? undefined : { ...rest, boxId: crateId }),
};

test.each<[string, JsonObject, readonly string[]]>([
  ['unknown', { boxId: 'b0', crateId: 'b1', size: 2 }, ['']],
  ['missing', { crateId: 'b1', size: 2 }, ['']],
  ['inside something', { ...B1, inside: { crateId: 'b1', size: 2 } }, ['inside']],
])('a profile repairs an object with members that are %s', (_case, wire, fields) => {
  const { value, warnings } = read(wire, 'request', { repairs: [crate] });
  expect([value, value.inside]).toContainEqual(B1);
  expect(warnings).toEqual(
    fields.map((field) => ({ code: 'crate', field, description: 'expected a box; read a crate' })),
  );
});

test('a profile can repair members of the wrong type', () => {
  const literal: Repair = { ...crate, apply: (wire) => ({ ...wire, size: Number(wire['size']) }) };
  expect(read({ boxId: 'b1', size: '2.0' }, 'request', { repairs: [literal] }).value).toEqual(B1);
});

test('a profile is not called for a valid object', () => {
  const meddler: Repair = { ...crate, apply: () => ({ boxId: 'mine', size: 0 }) };
  expect(read({ kind: 'box', ...B1, sticker: null }, 'request', { repairs: [meddler] }).value).toEqual(B1);
});

test('a repaired object is decoded once more, and not repaired again', () => {
  const useless: Repair = { ...crate, apply: () => ({ stillWrong: true }) };
  expect(mistakes({}, 'request', { repairs: [useless] })).toEqual([
    'boxId: expected the member boxId',
    'size: expected the member size',
  ]);
});

test('strict decoding rejects an object that a profile would repair', () => {
  expect(mistakes({ crateId: 'b1', size: 2 }, 'request', { repairs: [crate], strict: true })).toEqual([
    'boxId: expected the member boxId',
  ]);
});

test('strict decoding rejects members that a profile would interpret', () => {
  const wire = { ...B1, inside: { ...B1, crateId: 'b1', colour: 'red' } };
  expect(mistakes(wire, 'request', { repairs: [crate], strict: true })).toEqual(['inside: expected a box']);
  expect(mistakes({ ...B1, colour: 'red' }, 'request', { repairs: [crate], strict: true })).toEqual([]);
});

test('objects without a repair point are not repaired', () => {
  const plain = object<Pick<Box, 'boxId'>>({ boxId: required(string) });
  expect(() => decode(plain, { crateId: 'b1' }, 'request', { repairs: [crate] })).toThrow(
    'boxId: expected the member boxId',
  );
});

// Helpers

test('a hand-written codec reports the path of a member', () => {
  const d = new Decoder('request');
  expect(member(d, { a: ['x'] }, 'a', list(string))).toEqual(['x']);
  member(d, {}, 'b', struct);
  expect(d.depth).toBe(0);
  expect(() => d.finish()).toThrow('b: expected an object');
});

test.each([
  ['messageId', 'message_id'],
  ['defaultInputModes', 'default_input_modes'],
  ['url', 'url'],
])('%s is %s in snake case', (camel, snake) => {
  expect(snakeCase(camel)).toBe(snake);
});

test('isObject and isSet recognise objects and set values', () => {
  expect([{}, [], null, 'x', undefined].map(isObject)).toEqual([true, false, false, false, false]);
  expect([0, '', false, null, undefined].map(isSet)).toEqual([true, true, true, false, false]);
});
