import { expect, test } from 'vitest';
import { mediaTypeOf, type Part } from './part.ts';

test.each<[string, Part, string | undefined]>([
  ['text is plain text', { text: '' }, 'text/plain'],
  ['data is JSON, also if it is null', { data: null }, 'application/json'],
  ['bytes cannot be guessed', { raw: 'aGk=', filename: 'note.txt' }, undefined],
  ['an address cannot be guessed', { url: 'https://example.com/a.png' }, undefined],
  ['a text says so itself', { text: '# hi', mediaType: 'text/markdown' }, 'text/markdown'],
  ['data says so itself', { data: {}, mediaType: 'application/geo+json' }, 'application/geo+json'],
  ['bytes say so themselves', { raw: '', mediaType: 'image/png' }, 'image/png'],
])('%s', (_case, part, mediaType) => {
  expect(mediaTypeOf(part)).toBe(mediaType);
});
