import { expect, test } from 'vitest';
import { defined } from './defined.ts';

test('members that are undefined are absent from the copy', () => {
  const copy: { a: number; b?: string } = defined({ a: 1, b: undefined as string | undefined });
  expect(Object.keys(copy)).toEqual(['a']);
});

test('other empty values stay in the copy', () => {
  const object = { n: null, z: 0, f: false, s: '', l: [], o: {} };
  expect(defined(object)).toEqual(object);
  expect(defined(object)).not.toBe(object);
});

test('a member named __proto__ stays a member', () => {
  const copy = defined(JSON.parse('{"__proto__":{"polluted":true}}') as object);
  expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
  expect(Object.hasOwn(copy, '__proto__')).toBe(true);
});
