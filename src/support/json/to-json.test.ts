import { expect, test } from 'vitest';
import { assertJson, toJson } from './to-json.ts';

class Order {
  readonly id = 1;
}

test.each([
  [{ a: undefined, b: 1 }, { b: 1 }],
  [
    [1, undefined],
    [1, null],
  ],
  [new Date(0), '1970-01-01T00:00:00.000Z'],
  [{ at: new Date(0) }, { at: '1970-01-01T00:00:00.000Z' }],
  [Object.create(null), {}],
  ['text', 'text'],
  [{ toJSON: () => 7 }, 7],
  [[new Order()], [{ id: 1 }]],
  [Number.NaN, null],
])('%j has a JSON form', (value, expected) => {
  expect(toJson(value, 'data')).toEqual(expected);
});

test.each([
  [
    new Map(),
    'data is an instance of Map, which has no JSON form. Convert it, for example with Object.fromEntries(map).',
  ],
  [
    { ids: new Set() },
    'data.ids is an instance of Set, which has no JSON form. Convert it, for example with [...set].',
  ],
  [{ f: () => 1 }, 'data.f must be a JSON value, not function'],
  [1n, 'data must be a JSON value, not bigint'],
  [undefined, 'data must be a JSON value, not undefined'],
  [new Uint8Array(2), 'data is an instance of Uint8Array, which has no JSON form. Encode the bytes as base64'],
  [Buffer.from('a'), 'data is an instance of Buffer, which has no JSON form.'],
])('%s is rejected with its place and what to do', (value, message) => {
  expect(() => toJson(value, 'data')).toThrow(message);
});

test('a value that contains itself is rejected', () => {
  const value: Record<string, unknown> = {};
  value['self'] = value;
  expect(() => toJson(value, 'data')).toThrow('data.self contains itself, so it has no JSON form');
});

test('where methods would be missed, instances of classes are rejected', () => {
  expect(() => assertJson([new Order()], 'result', 'plain')).toThrow(
    'result[0] is an instance of Order, which has no JSON form. Use a plain object with the members that you need.',
  );
});
