import { expect, test } from 'vitest';
import { nearest } from './nearest.ts';

const KNOWN = ['port', 'host', 'store', 'public-url', 'timeoutMs'];

test.each([
  ['prot', 'port'],
  ['Host', 'host'],
  ['stroe', 'store'],
  ['publicurl', 'public-url'],
  ['timeout', 'timeoutMs'],
  ['my-store', 'store'],
  ['verbose', undefined],
  ['x', undefined],
  ['', undefined],
])('the nearest name to %s is %s', (wrong, meant) => {
  expect(nearest(wrong, KNOWN)).toBe(meant);
});
