import { describe, expect, test } from 'vitest';
import type { Part } from '../../model/part.ts';
import { decode } from '../dialect.ts';
import { part } from './message.ts';

const read = (json: unknown, role: 'request' | 'response' = 'request'): Part => decode(part, json, role).value;

describe('each 1.0 part is encoded in the 0.3 format and decoded again', () => {
  test.each<[Part, object]>([
    [{ text: 'hi' }, { kind: 'text', text: 'hi' }],
    [
      { text: '<b>', mediaType: 'text/html', filename: 'a.html' },
      { kind: 'text', text: '<b>', metadata: { 'a2a:mediaType': 'text/html', 'a2a:filename': 'a.html' } },
    ],
    [
      { raw: 'AAEC', filename: 'f.bin', mediaType: 'a/b' },
      { kind: 'file', file: { name: 'f.bin', mimeType: 'a/b', bytes: 'AAEC' } },
    ],
    [
      { url: 'https://x.example', metadata: { a: 1 } },
      { kind: 'file', file: { uri: 'https://x.example' }, metadata: { a: 1 } },
    ],
    [{ data: { a: null } }, { kind: 'data', data: { a: null } }],
    [
      { data: {}, mediaType: 'a/b' },
      { kind: 'data', data: {}, metadata: { 'a2a:mediaType': 'a/b' } },
    ],
    [{ data: 5 }, { kind: 'data', data: { value: 5 }, metadata: { data_part_compat: true } }],
    [{ data: null }, { kind: 'data', data: { value: null }, metadata: { data_part_compat: true } }],
    [
      { data: [1], metadata: { a: 1 } },
      { kind: 'data', data: { value: [1] }, metadata: { a: 1, data_part_compat: true } },
    ],
    [{ data: { value: 5 } }, { kind: 'data', data: { value: 5 } }],
    [
      { text: 'x', metadata: {} },
      { kind: 'text', text: 'x', metadata: {} },
    ],
  ])('%j ⇄ %j', (model, wire) => {
    expect(part.encode(model)).toEqual(wire);
    expect(Object.keys(part.encode(model) as object)[0]).toBe('kind');
    expect(read(wire)).toEqual(model);
  });
});

test('a file with bytes and a URL has the bytes as content and keeps the URL', () => {
  const file = { bytes: 'AAEC', uri: 'https://x.example' };
  const { value, warnings } = decode(part, { kind: 'file', file, metadata: { a: 1 } }, 'request');
  expect(value).toEqual({ raw: 'AAEC', metadata: { a: 1, 'a2a:uri': 'https://x.example' } });
  expect(warnings).toMatchObject([{ code: 'file-bytes-and-uri', field: 'file' }]);
});

test('data that is an array is decoded unchanged', () => {
  expect(read({ kind: 'data', data: [1, 2] })).toEqual({ data: [1, 2] });
});

test.each<[unknown, string]>([
  [null, ''],
  [{}, 'kind'],
  [{ kind: 'text' }, 'text'],
  [{ kind: 'text', text: 5 }, 'text'],
  [{ kind: 'file' }, 'file'],
  [{ kind: 'file', file: {} }, 'file'],
  [{ kind: 'file', file: { bytes: '!' } }, 'file.bytes'],
  [{ kind: 'file', file: { uri: '' } }, 'file.uri'],
  [{ kind: 'data' }, 'data'],
  [{ kind: 'data', data: 5 }, 'data'],
  [{ kind: 'video' }, 'kind'],
  [{ kind: 'text', text: 'x', metadata: 'y' }, 'metadata'],
])('%j is rejected at %j', (json, field) => {
  expect(() => read(json)).toThrow(expect.objectContaining({ violations: [expect.objectContaining({ field })] }));
});

test('an unknown kind of part in a response is decoded as data', () => {
  const video = { kind: 'video', frames: 3 };
  const { value, warnings } = decode(part, video, 'response');
  expect(value).toEqual({ data: video, metadata: { 'a2a:kind': 'video' } });
  expect(warnings).toMatchObject([{ code: 'part-kind-unknown' }]);
});

test('unknown parts have the same size limits as other values', () => {
  let nested: unknown = [];
  for (let i = 0; i < 100; i++) nested = [nested];
  expect(() => decode(part, { kind: 'video', nested }, 'response')).toThrow('levels of nesting');
});
