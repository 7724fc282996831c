import { expect, test } from 'vitest';
import { mediaTypeOf, type Part } from './part.ts';

test.each<[string, Part, string | undefined]>([
  ['text without a media type is text/plain', { text: '' }, 'text/plain'],
  ['data without a media type is application/json, also if it is null', { data: null }, 'application/json'],
  ['bytes without a media type have none', { raw: 'aGk=', filename: 'note.txt' }, undefined],
  ['a URL without a media type has none', { url: 'https://example.com/a.png' }, undefined],
  ['text keeps its media type', { text: '# hi', mediaType: 'text/markdown' }, 'text/markdown'],
  ['data keeps its media type', { data: {}, mediaType: 'application/geo+json' }, 'application/geo+json'],
  ['bytes keep their media type', { raw: '', mediaType: 'image/png' }, 'image/png'],
])('%s', (_case, part, mediaType) => {
  expect(mediaTypeOf(part)).toBe(mediaType);
});
