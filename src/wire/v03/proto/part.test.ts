import { expect, test } from 'vitest';
import { A2AError } from '../../../errors.ts';
import type { Part } from '../../../model/part.ts';
import { CARRIER } from '../../carrier.ts';
import { decode } from '../../dialect.ts';
import { part } from './part.ts';

function read(json: unknown, role: 'request' | 'response' = 'request', strict = false) {
  return decode(part, json, role, { strict });
}

function violationsOf(json: unknown, strict = false) {
  try {
    read(json, 'request', strict);
  } catch (error) {
    if (A2AError.is(error)) return error.violations;
  }
  return [];
}

const BOTH_WAYS: readonly (readonly [string, Part, unknown])[] = [
  ['text', { text: 'hi' }, { text: 'hi' }],
  ['empty text', { text: '' }, { text: '' }],
  ['text with metadata', { text: 'hi', metadata: { a: null } }, { text: 'hi', metadata: { a: null } }],
  [
    'text with a type and a name',
    { text: '# hi', mediaType: 'text/markdown', filename: 'hi.md', metadata: { a: 1 } },
    { text: '# hi', metadata: { a: 1, [CARRIER.mediaType]: 'text/markdown', [CARRIER.filename]: 'hi.md' } },
  ],
  [
    'a file by its bytes',
    { raw: 'AQI=', mediaType: 'image/png', filename: 'a.png', metadata: { a: 1 } },
    { file: { fileWithBytes: 'AQI=', mimeType: 'image/png', name: 'a.png' }, metadata: { a: 1 } },
  ],
  ['an empty file', { raw: '' }, { file: { fileWithBytes: '' } }],
  [
    'a file by its address',
    { url: 'https://ex.test/a', mediaType: 'image/png', filename: 'a.png' },
    { file: { fileWithUri: 'https://ex.test/a', mimeType: 'image/png', name: 'a.png' } },
  ],
  ['an object', { data: { a: [1, null] } }, { data: { data: { a: [1, null] } } }],
  ['an empty object', { data: {} }, { data: { data: {} } }],
  ['a list', { data: [1] }, { data: { data: { value: [1] } }, metadata: { [CARRIER.wrappedData]: true } }],
  ['null', { data: null }, { data: { data: { value: null } }, metadata: { [CARRIER.wrappedData]: true } }],
  [
    'a number with a type',
    { data: 7, mediaType: 'application/x-seven', metadata: { a: 1 } },
    {
      data: { data: { value: 7 } },
      metadata: { a: 1, [CARRIER.mediaType]: 'application/x-seven', [CARRIER.wrappedData]: true },
    },
  ],
];

test.each(BOTH_WAYS)('a part is encoded and decoded again: %s', (_, model, wire) => {
  expect(part.encode(model)).toEqual(wire);
  expect(read(wire)).toEqual({ value: model, warnings: [], raw: wire });
});

test('the original field names of the protocol definition are accepted', () => {
  const wire = { file: { file_with_bytes: '-_8', mime_type: 'image/png' } };
  expect(read(wire).value).toEqual({ raw: '+/8=', mediaType: 'image/png' });
});

test('an explicit default value means the same as a missing member', () => {
  expect(read({ file: { fileWithUri: 'u', mimeType: '', name: '' }, text: null, data: null }).value).toEqual({
    url: 'u',
  });
  expect(read({ data: {} }).value).toEqual({ data: {} });
});

test('the tag of another style is ignored', () => {
  expect(read({ kind: 'text', text: 'hi' }).value).toEqual({ text: 'hi' });
});

test('a file with bytes and a URL has the bytes as content and keeps the URL', () => {
  const both = { file: { fileWithBytes: 'AQI=', fileWithUri: 'u' }, metadata: { [CARRIER.mediaType]: 'a/b' } };
  const { value, warnings } = read(both);
  expect(value).toEqual({ raw: 'AQI=', mediaType: 'a/b', metadata: { [CARRIER.uri]: 'u' } });
  expect(warnings).toMatchObject([{ code: 'file-bytes-and-uri', field: 'file' }]);
  expect(violationsOf(both, true)).toHaveLength(1);
});

test.each([
  ['no content', {}, '', 'expected exactly one of text, file, data'],
  ['two contents', { text: 'a', data: { data: {} } }, '', 'expected exactly one of text, file, data'],
  ['a string', 'hi', '', 'expected an object'],
  ['a text that is not a string', { text: 1 }, 'text', 'expected a string'],
  ['a file without content', { file: { name: 'a' } }, 'file', 'expected fileWithBytes or fileWithUri'],
  ['a file that is not an object', { file: 'a' }, 'file', 'expected an object'],
  ['bytes that are not base64', { file: { fileWithBytes: '?' } }, 'file.fileWithBytes', 'expected base64'],
  ['data of another style', { data: { a: 1 } }, 'data.data', 'expected the member data'],
  ['data that is not an object', { data: { data: [1] } }, 'data.data', 'expected an object'],
  ['metadata that is not an object', { text: 'a', metadata: [] }, 'metadata', 'expected an object'],
])('a part is rejected: %s', (_, json, field, description) => {
  expect(violationsOf(json)).toEqual([{ field, description }]);
});

test.each([[[1, 2, 3]], ['text'], [7]])(
  'a response with %j in place of a Struct is decoded with a warning',
  (value) => {
    // The Go SDK 2.4 sends {"data":{"data":[1,2,3]}} over REST in 0.3.
    const { value: model, warnings } = read({ data: { data: value } }, 'response');
    expect(model).toEqual({ data: value });
    expect(warnings).toMatchObject([{ code: 'data-not-object', field: 'data.data' }]);
    expect(() => read({ data: { data: value } }, 'response', true)).toThrow('data.data: expected an object');
  },
);

test.each([
  ['image/png', 'aVZCT1J3RUNBdz09', 'iVBORwECAw=='],
  ['application/json', 'ZXlKNElqb3hmUT09', 'eyJ4IjoxfQ=='],
  [undefined, 'aVZCT1J3RUNBdz09', 'iVBORwECAw=='],
])(
  'the bytes of a file of type %s that the Python and Go SDKs encode twice are decoded twice',
  (mimeType, sent, raw) => {
    const json = { file: { fileWithBytes: sent, ...(mimeType !== undefined && { mimeType }) } };
    const { value, warnings } = read(json, 'response');
    expect(value).toEqual({ raw, ...(mimeType !== undefined && { mediaType: mimeType }) });
    expect(warnings).toMatchObject([{ code: 'file-bytes-encoded-twice', field: 'file.fileWithBytes' }]);
    expect(read(json, 'request').value).toEqual(value);
  },
);

test.each([
  ['a text', { fileWithBytes: 'aVZCT1J3RUNBdz09', mimeType: 'Text/plain' }, false],
  ['encoded once', { fileWithBytes: 'iVBORwECAw==', mimeType: 'image/png' }, false],
  ['read strictly', { fileWithBytes: 'aVZCT1J3RUNBdz09', mimeType: 'image/png' }, true],
])('the bytes of a file that is %s are kept', (_, file, strict) => {
  const { value, warnings } = read({ file }, 'response', strict);
  expect(value).toEqual({ raw: file.fileWithBytes, mediaType: file.mimeType });
  expect(warnings).toEqual([]);
});
