import { expect, test } from 'vitest';
import type { JsonObject } from '../../model/json.ts';
import type { Part } from '../../model/part.ts';
import { decodeParams, decodeResult } from '../dialect.ts';
import type { DecodeOptions } from '../decoder.ts';
import { v03 } from '../v03/index.ts';
import { fileData } from './parts.ts';

const repairs = fileData.repairs ?? [];
const WARNING = {
  code: 'file-content-misnamed',
  field: 'message.parts[1].file',
  description: 'expected bytes or uri; read the content from another member',
};

function send(file: JsonObject, options: DecodeOptions = { repairs }) {
  const parts = [
    { kind: 'text', text: 'write a long paper describing the attached pictures' },
    { kind: 'file', file },
  ];
  const message = { kind: 'message', role: 'user', parts, messageId: 'bbb7dee1-cf5c-4683-8a6f-4114529da5eb' };
  const { value, warnings } = decodeParams(v03, 'SendStreamingMessage', { message, metadata: {} }, options);
  return { part: value.message.parts[1], warnings };
}

test.each<[string, JsonObject, Part]>([
  [
    'data, as in the stream example of 0.2',
    { mimeType: 'image/png', data: 'iVBORw==' },
    { raw: 'iVBORw==', mediaType: 'image/png' },
  ],
  ['fileWithBytes', { name: 'a.png', fileWithBytes: 'iVBORw' }, { raw: 'iVBORw==', filename: 'a.png' }],
  ['fileWithUri', { fileWithUri: 'https://example.com/a.png' }, { url: 'https://example.com/a.png' }],
])('the content of a file is decoded from %s', (_case, file, part) => {
  expect(send(file)).toEqual({ part, warnings: [WARNING] });
});

test.each<[string, JsonObject, Part]>([
  ['bytes', { bytes: 'aGk=', data: 'eA==' }, { raw: 'aGk=' }],
  ['uri', { uri: 'https://example.com/a', data: 'eA==' }, { url: 'https://example.com/a' }],
])('%s are the content of a file even if data is set', (_case, file, part) => {
  expect(send(file)).toEqual({ part, warnings: [] });
});

test('the member data of a file is decoded in responses', () => {
  const parts = [{ kind: 'file', file: { data: 'aGk=' } }];
  const artifact = { artifactId: 'a', parts };
  const json = { kind: 'artifact-update', taskId: 't1', contextId: 'c1', artifact };
  const { value, warnings } = decodeResult(v03, 'SendStreamingMessage', json, { repairs });
  expect(value).toMatchObject({ artifactUpdate: { artifact: { parts: [{ raw: 'aGk=' }] } } });
  expect(warnings).toEqual([{ ...WARNING, field: 'artifact.parts[0].file' }]);
});

test.each<[string, JsonObject, string]>([
  ['a placeholder', { data: '<base64-encoded-content>' }, 'message.parts[1].file: expected bytes or uri'],
  ['data that is not a string', { data: { a: 1 } }, 'message.parts[1].file: expected bytes or uri'],
  ['no content', { name: 'a.png' }, 'message.parts[1].file: expected bytes or uri'],
])('a file is rejected without content: %s', (_case, file, violation) => {
  expect(() => send(file)).toThrow(violation);
});

test('strict decoding rejects the member data of a file', () => {
  expect(() => send({ data: 'aGk=' }, { repairs, strict: true })).toThrow(
    expect.objectContaining({
      code: 'INVALID_PARAMS',
      violations: [{ field: 'message.parts[1].file', description: 'expected bytes or uri' }],
    }),
  );
});
