import { expect, test } from 'vitest';
import type { Part } from '../../model/part.ts';
import { decode } from '../dialect.ts';
import type { Repair } from '../decoder.ts';
import { part } from './part.ts';

const CASES: readonly (readonly [string, unknown, Part])[] = [
  ['text', { type: 'text', text: 'hi' }, { text: 'hi' }],
  ['text with metadata', { type: 'text', text: '', metadata: { a: 1 } }, { text: '', metadata: { a: 1 } }],
  [
    'an inline file',
    { type: 'file', file: { name: 'a.txt', mimeType: 'text/plain', bytes: 'aGk=' } },
    { raw: 'aGk=', filename: 'a.txt', mediaType: 'text/plain' },
  ],
  ['a file by address', { type: 'file', file: { uri: 'https://x.test/a' } }, { url: 'https://x.test/a' }],
  ['an object', { type: 'data', data: { a: [1] } }, { data: { a: [1] } }],
  ['a list', { type: 'data', data: [1, 'two'] }, { data: [1, 'two'] }],
  ['a list with metadata', { type: 'data', data: [], metadata: { a: 1 } }, { data: [], metadata: { a: 1 } }],
  [
    'a number, wrapped because data is an object or a list',
    { type: 'data', data: { value: 7 }, metadata: { data_part_compat: true } },
    { data: 7 },
  ],
  [
    'a reference without content',
    { type: 'file', file: { name: 'report.pdf' } },
    { data: { file: { name: 'report.pdf' } }, metadata: { 'a2a:kind': 'file' } },
  ],
  [
    'a reference with metadata',
    { type: 'file', file: { name: 'report.pdf' }, metadata: { a: 1 } },
    { data: { file: { name: 'report.pdf' } }, metadata: { a: 1, 'a2a:kind': 'file' } },
  ],
];

test.each(CASES)('a part is decoded and encoded again: %s', (_, wire, model) => {
  expect(decode(part, wire, 'request', { strict: true }).value).toEqual(model);
  expect(part.encode(model)).toEqual(wire);
});

test('a list with its own media type keeps it', () => {
  const model: Part = { data: [1], mediaType: 'application/x-list' };
  const wire = part.encode(model);
  expect(wire).toEqual({ type: 'data', data: [1], metadata: { 'a2a:mediaType': 'application/x-list' } });
  expect(decode(part, wire, 'response').value).toEqual(model);
});

test('data that only looks like a reference stays data', () => {
  const withContent: Part = { data: { file: { uri: 'x' } }, metadata: { 'a2a:kind': 'file' } };
  expect(part.encode(withContent)).toMatchObject({ type: 'data', data: { file: { uri: 'x' } } });
  const withMore: Part = { data: { file: { name: 'x' }, more: 1 }, metadata: { 'a2a:kind': 'file' } };
  expect(part.encode(withMore)).toMatchObject({ type: 'data', data: { file: { name: 'x' }, more: 1 } });
});

test('an empty file is rejected', () => {
  expect(() => decode(part, { type: 'file', file: {} }, 'request')).toThrow('file: expected bytes or uri');
});

test('a repaired file is not decoded as a reference', () => {
  const misnamed: Repair = {
    code: 'misnamed',
    point: 'file',
    expected: 'another name',
    instead: 'read something else',
    apply: ({ data, ...file }) => (typeof data === 'string' ? { ...file, bytes: data } : undefined),
  };
  const { value, warnings } = decode(part, { type: 'file', file: { name: 'a', data: 'aGk=' } }, 'request', {
    repairs: [misnamed],
  });
  expect(value).toEqual({ raw: 'aGk=', filename: 'a' });
  expect(warnings).toMatchObject([{ code: 'misnamed', field: 'file' }]);
});

test('the tag of later versions is accepted with a warning', () => {
  const { value, warnings } = decode(part, { kind: 'text', text: 'hi' }, 'request');
  expect(value).toEqual({ text: 'hi' });
  expect(warnings).toMatchObject([{ code: 'part-kind-tag', field: 'type' }]);
  expect(() => decode(part, { kind: 'text', text: 'hi' }, 'request', { strict: true })).toThrow(
    'type: expected the member',
  );
});

test('repairs of the member kind apply to 0.1 parts', () => {
  const untagged: Repair = {
    code: 'untagged',
    point: 'part',
    expected: 'told by its content',
    instead: 'read something else',
    apply: (json) => ('text' in json ? { kind: 'text', ...json } : undefined),
  };
  const { value, warnings } = decode(part, { text: 'hi' }, 'request', { repairs: [untagged] });
  expect(value).toEqual({ text: 'hi' });
  expect(warnings.map(({ code }) => code)).toEqual(['untagged']);
});

test('a part without a tag is rejected', () => {
  expect(() => decode(part, { text: 'hi' }, 'request')).toThrow("type: expected 'text', 'file' or 'data'");
});
