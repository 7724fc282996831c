import { expect, test } from 'vitest';
import { textOfParts } from './part-text.ts';

test.each([
  ['one unchanged text', [{ text: ' a\nb ' }], ' a\nb '],
  ['several texts on a line each', [{ text: 'a' }, { text: 'b' }], 'a\nb'],
  ['data as JSON', [{ data: { a: [1] } }], '{"a":[1]}'],
  ['data that is null', [{ data: null }], 'null'],
  ['texts and data in order', [{ text: 'a' }, { data: 1 }, { text: 'b' }], 'a\n1\nb'],
  ['no files', [{ raw: 'AQ==' }, { text: 'a' }, { url: 'https://a.example' }], 'a'],
  ['an empty string without parts', [], ''],
])('textOfParts() returns %s', (_, parts, text) => {
  expect(textOfParts(parts)).toBe(text);
});
