import { expect, test } from 'vitest';
import type { JsonValue } from '../model/json.ts';
import { LINEAGE, type Lineage } from '../model/lineage.ts';
import type { Message } from '../model/message.ts';
import { lineageIn, withLineage } from './lineage.ts';

const MESSAGE: Message = { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: 'hi' }] };
const FULL: Lineage = {
  root: 't-1',
  parent: 't-2',
  depth: 2,
  path: ['front-desk', 'internal'],
  marks: ['k1', 'k2'],
  deadline: Date.parse('2026-05-12T08:30:00.000Z'),
};

test('a lineage in the metadata of a message is decoded as it was encoded', () => {
  const message = withLineage({ ...MESSAGE, metadata: { own: 1 }, extensions: ['urn:own'] }, FULL);
  expect(lineageIn(message)).toEqual(FULL);
  expect(message.metadata).toMatchObject({ own: 1, [LINEAGE.uri]: { deadline: '2026-05-12T08:30:00.000Z' } });
  expect(message.extensions).toEqual(['urn:own', LINEAGE.uri]);
});

test('a lineage without marks and deadline is decoded', () => {
  const { marks: _, deadline: __, ...wire } = FULL;
  expect(lineageIn({ metadata: { [LINEAGE.uri]: wire } })).toEqual({ ...wire, marks: [] });
});

test('a message without a lineage has none', () => {
  expect(lineageIn(MESSAGE)).toBeUndefined();
  expect(lineageIn({ metadata: {} })).toBeUndefined();
});

const { marks, ...WIRE } = { ...FULL, deadline: '2026-05-12T08:30:00.000Z' };

test.each<[string, JsonValue]>([
  ['a text', 'front-desk'],
  ['null', null],
  ['a list', []],
  ['no root', { ...WIRE, root: '' }],
  ['a parent that is not a string', { ...WIRE, parent: 7 }],
  ['a name with NUL', { ...WIRE, parent: 'a\0' }],
  ['a depth of 0', { ...WIRE, depth: 0 }],
  ['a fractional depth', { ...WIRE, depth: 1.5 }],
  ['a depth as text', { ...WIRE, depth: '2' }],
  ['a path that is not a list', { ...WIRE, path: 'front-desk' }],
  ['a path with a number', { ...WIRE, path: [1] }],
  ['marks that are not texts', { ...WIRE, marks: [{}] }],
  ['a deadline as a number', { ...WIRE, deadline: 5 }],
  ['a deadline that is not a time', { ...WIRE, deadline: 'tomorrow' }],
  ['a path of 17 agents', { ...WIRE, path: Array.from({ length: 17 }, () => 'a') }],
  ['more than 4 KiB', { ...WIRE, path: Array.from({ length: 16 }, () => 'a'.repeat(256)), marks }],
])('a lineage with %s is ignored', (_, value) => {
  expect(lineageIn({ metadata: { [LINEAGE.uri]: value } })).toBeUndefined();
});

test('a lineage that is too large is not sent', () => {
  const path = Array.from({ length: 16 }, () => 'a'.repeat(256));
  expect(withLineage(MESSAGE, { ...FULL, path })).toBe(MESSAGE);
});
