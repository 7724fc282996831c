import { expect, test } from 'vitest';
import { textOfParts } from './part-text.ts';

test.each([
  ['one text as it is', [{ text: ' a\nb ' }], ' a\nb '],
  ['several texts a line each', [{ text: 'a' }, { text: 'b' }], 'a\nb'],
  ['data as JSON', [{ data: { a: [1] } }], '{"a":[1]}'],
  ['data that is null', [{ data: null }], 'null'],
  ['texts and data in their order', [{ text: 'a' }, { data: 1 }, { text: 'b' }], 'a\n1\nb'],
  ['nothing of files', [{ raw: 'AQ==' }, { text: 'a' }, { url: 'https://a.example' }], 'a'],
  ['nothing of nothing', [], ''],
])('parts say %s', (_, parts, text) => {
  expect(textOfParts(parts)).toBe(text);
});
