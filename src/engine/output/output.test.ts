import { expect, test } from 'vitest';
import { type Emission, emissionOf, type Output, RESPONSE } from './output.ts';

const response = { kind: 'artifact', name: RESPONSE, append: true, lastChunk: false } as const;

test.each<[string, Output, Emission]>([
  ['a text', 'hi', { ...response, parts: [{ text: 'hi' }] }],
  ['an empty text', '', { ...response, parts: [{ text: '' }] }],
  ['content without a name', { data: null }, { ...response, parts: [{ data: null }] }],
  [
    'a named artifact',
    { artifact: 'a.txt', text: 'x', description: 'd', metadata: { m: 1 }, extensions: ['e'] },
    {
      kind: 'artifact',
      name: 'a.txt',
      parts: [{ text: 'x' }],
      append: false,
      lastChunk: false,
      description: 'd',
      metadata: { m: 1 },
      extensions: ['e'],
    },
  ],
  [
    'a chunk',
    { artifact: 'a', bytes: new Uint8Array([0, 1, 2]), mediaType: 'a/b', filename: 'f', append: true, lastChunk: true },
    {
      kind: 'artifact',
      name: 'a',
      parts: [{ raw: 'AAEC', mediaType: 'a/b', filename: 'f' }],
      append: true,
      lastChunk: true,
    },
  ],
  ['base64 in any form', { bytes: '_-8' }, { ...response, parts: [{ raw: '/+8=' }] }],
  ['an address', { url: 'https://x.example' }, { ...response, parts: [{ url: 'https://x.example' }] }],
  ['parts', { parts: [{ text: 'a' }, { raw: 'AA' }] }, { ...response, parts: [{ text: 'a' }, { raw: 'AA==' }] }],
  ['a status', { status: 'working' }, { kind: 'status', state: 'TASK_STATE_WORKING', parts: [] }],
  [
    'a status with content',
    { status: 'input-required', text: 'Which?', metadata: { a: 1 } },
    { kind: 'status', state: 'TASK_STATE_INPUT_REQUIRED', parts: [{ text: 'Which?' }], metadata: { a: 1 } },
  ],
  ['a reply', { reply: 'hi' }, { kind: 'reply', parts: [{ text: 'hi' }] }],
  ['an empty reply', { reply: '' }, { kind: 'reply', parts: [{ text: '' }] }],
  ['a reply with content', { reply: { data: { n: 1 } } }, { kind: 'reply', parts: [{ data: { n: 1 } }] }],
  ['a reply in parts', { reply: { parts: [{ text: 'a' }] } }, { kind: 'reply', parts: [{ text: 'a' }] }],
])('%s is understood', (_, output, emission) => {
  expect(emissionOf(output)).toEqual(emission);
});

test.each<[unknown, string]>([
  [undefined, 'not undefined'],
  [null, 'not null'],
  [5, 'not number'],
  [['a'], 'not an array'],
  [{}, 'not object'],
  [{ artifact: 'a' }, 'not object'],
  [{ artifact: '', text: 'x' }, 'non-empty string'],
  [{ artifact: 'a', status: 'working', text: 'x' }, 'not object'],
  [{ reply: 'x', status: 'completed' }, 'got status: move it into reply'],
  [{ reply: 'x', text: 'y' }, 'got text: move it into reply'],
  [{ reply: {} }, 'reply must be a string, or content such as { data: … } or { parts: […] }, not object'],
  [{ reply: null }, 'reply must be a string, or content such as { data: … } or { parts: […] }, not null'],
  [{ reply: 5 }, 'reply must be a string, or content such as { data: … } or { parts: […] }, not number'],
  [
    { status: 'dreaming' },
    'one of working, input-required, auth-required, completed, failed, rejected, not "dreaming"',
  ],
  [{ status: 'toString' }, 'one of'],
  [{ text: 5 }, 'text must be a string, not number'],
  [{ text: 'a', url: 'b' }, 'one of text, url'],
  [{ bytes: '!' }, 'Uint8Array or base64'],
  [{ text: 'a', metadata: [] }, 'metadata must be an object, not an array'],
  [{ parts: 'x' }, 'parts must be an array'],
  [{ parts: [{}] }, 'parts[0] must have exactly one'],
  [{ parts: [{ text: 'a', raw: 'AA==' }] }, 'parts[0] must have exactly one'],
  [{ parts: [{ text: 'a' }, { url: 5 }] }, 'parts[1].url must be a string'],
  [{ artefact: 'x.csv', text: 'a' }, 'artefact is not a member of an artifact; did you mean artifact?'],
  [{ status: 'working', txt: 'a' }, 'txt is not a member of a status; did you mean text?'],
  [{ reply: { text: 'a', colour: 'red' } }, 'reply.colour is not a member of a reply; known members: text, data'],
  [{ parts: [{ text: 'a', stray: 1 }] }, 'parts[0].stray is not a member of a part; known members: text, raw'],
])('the output %j is rejected with a message for the author of the handler', (output, message) => {
  expect(() => emissionOf(output)).toThrow(TypeError);
  expect(() => emissionOf(output)).toThrow(message);
});

test('a large file is accepted', () => {
  const emission = emissionOf({ artifact: 'big', bytes: new Uint8Array(1_000_000) });
  expect(emission.parts[0]).toEqual({ raw: Buffer.alloc(1_000_000).toString('base64') });
});
