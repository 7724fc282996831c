import { expect, test } from 'vitest';
import type { Artifact } from '../../model/artifact.ts';
import { decode } from '../dialect.ts';
import { artifactChunk, artifacts } from './artifact.ts';

const parts = [{ type: 'text', text: 'yo' }];

function named(artifactId: string, metadata?: Artifact['metadata']): Artifact {
  return { artifactId, parts: [{ text: 'yo' }], ...(metadata === undefined ? {} : { metadata }) };
}

function encoded(...values: Artifact[]): readonly { index: number; metadata?: object }[] {
  return artifacts.encode(values) as { index: number }[];
}

test('the number of an artifact becomes its id and is kept', () => {
  const wire = [{ index: 3, name: 'n', description: 'd', parts, metadata: { a: 1 } }];
  const { value } = decode(artifacts, wire, 'response');
  expect(value).toEqual([
    {
      artifactId: 'artifact-3',
      name: 'n',
      description: 'd',
      parts: [{ text: 'yo' }],
      metadata: { a: 1, 'a2a:index': 3 },
    },
  ]);
  expect(artifacts.encode(value)).toEqual(wire);
});

test('an artifact without a number has the number 0', () => {
  expect(decode(artifacts, [{ parts }], 'response').value).toEqual([named('artifact-0', { 'a2a:index': 0 })]);
});

test('ids become numbers in order of appearance and are kept in the metadata', () => {
  expect(encoded(named('b'), named('a', { x: 1 }))).toEqual([
    { index: 0, parts, metadata: { 'a2a:artifactId': 'b' } },
    { index: 1, parts, metadata: { x: 1, 'a2a:artifactId': 'a' } },
  ]);
});

test.each([
  ['ids without a recorded number', [named('b'), named('a', { x: 1 })]],
  ['an id that only looks like a number', [named('artifact-7'), named('artifact-0')]],
  ['an id beside one with a recorded number', [named('b'), named('artifact-0', { 'a2a:index': 0 })]],
  ['a recorded number with another id', [named('b', { 'a2a:index': 4 }), named('c')]],
  ['two ids with the same recorded number', [named('artifact-1', { 'a2a:index': 1 }), named('x', { 'a2a:index': 1 })]],
  ['a number above 32 bits', [named('x', { 'a2a:index': 2 ** 31 })]],
  [
    'a number that is not an integer',
    [named('artifact-1', { 'a2a:index': 'one' }), named('artifact--1', { 'a2a:index': -1 })],
  ],
])('%s are decoded unchanged, with different numbers', (_, values) => {
  const wire = encoded(...values);
  expect(new Set(wire.map(({ index }) => index)).size).toBe(values.length);
  expect(decode(artifacts, JSON.parse(JSON.stringify(wire)), 'response').value).toEqual(values);
});

test('a recorded number is used again if it is free', () => {
  expect(encoded(named('b', { 'a2a:index': 4 }), named('c')).map(({ index }) => index)).toEqual([4, 0]);
});

test('several artifacts with the same number stay separate', () => {
  const { value, warnings } = decode(artifacts, [{ parts }, { parts }, { index: 1, parts }, { parts }], 'response');
  expect(value.map(({ artifactId, metadata }) => [artifactId, metadata?.['a2a:index']])).toEqual([
    ['artifact-0', 0],
    ['artifact-2', 2],
    ['artifact-1', 1],
    ['artifact-3', 3],
  ]);
  expect(warnings.map(({ code, field }) => [code, field])).toEqual([
    ['artifact-index-repeated', '[1]'],
    ['artifact-index-repeated', '[3]'],
  ]);
  expect(() => decode(artifacts, [{ parts }, { parts }], 'response', { strict: true })).toThrow('a unique index');
});

test('a chunk contains its flags', () => {
  const wire = { index: 0, parts, append: true, lastChunk: false };
  expect(decode(artifactChunk, wire, 'response').value).toEqual({
    index: 0,
    append: true,
    artifact: named('artifact-0', { 'a2a:index': 0 }),
  });
});

test('extensions of an artifact are not encoded', () => {
  expect(encoded({ ...named('b'), extensions: ['urn:x'] })[0]).not.toHaveProperty('extensions');
});

test.each([-1, 1.5, 2 ** 31, 'first'])('%j is rejected as the number of an artifact', (index) => {
  expect(() => decode(artifacts, [{ index, parts }], 'response')).toThrow('[0].index: expected');
});
