import { expect, test } from 'vitest';
import { isWithin, type MediaRange, overlap, parseMediaRange, readMediaRange } from './media-type.ts';

test.each([
  ['text/plain', 'text', 'plain'],
  ['Text/HTML; charset=utf-8', 'text', 'html'],
  [' image/svg+xml ;q=1', 'image', 'svg+xml'],
  ['application/vnd.a-b.c+json', 'application', 'vnd.a-b.c+json'],
  ['image/*', 'image', '*'],
  ['*/*', '*', '*'],
])('%s is a media type', (text, type, subtype) => {
  expect(parseMediaRange(text)).toEqual({ type, subtype });
});

test.each([
  '',
  'text',
  '/',
  'text/',
  '/plain',
  '*/plain',
  'te xt/plain',
  'text/pl*',
  'a/b/c',
  'text/plain, a/b',
  ';a/b',
])('%j is not a media type', (text) => {
  expect(parseMediaRange(text)).toBeUndefined();
});

test.each([
  ['text', 'text/*'],
  [' Text ', 'text/*'],
  ['data', 'application/json'],
  ['*', '*/*'],
])('the accepted output mode %j means %s', (word, range) => {
  expect(readMediaRange(word)).toEqual(parseMediaRange(range));
});

test('an unknown output mode matches no media type', () => {
  expect(readMediaRange('voice')).toBeUndefined();
});

test.each([
  ['text/plain', 'text/plain', true],
  ['TEXT/Plain;charset=utf-8', 'text/plain', true],
  ['text/plain', 'text/*', true],
  ['text/plain', '*/*', true],
  ['text/plain', 'text/html', false],
  ['image/plain', 'text/plain', false],
  ['image/png', 'text/*', false],
  ['text/*', 'text/plain', false],
  ['*/*', 'text/plain', false],
  ['*/*', '*/*', true],
  ['nonsense', '*/*', true],
  ['nonsense', 'text/*', false],
])('isWithin() of %s and %s is %s', (mediaType, mode, is) => {
  expect(isWithin(mediaType, [range('video/mp4'), range(mode)])).toBe(is);
  expect(isWithin(mediaType, [])).toBe(false);
});

test.each([
  ['text/plain', 'text/plain', true],
  ['text/plain', 'text/*', true],
  ['text/*', '*/*', true],
  ['text/plain', 'text/html', false],
  ['text/*', 'image/*', false],
  ['text/plain', 'image/plain', false],
])('overlap() of %s and %s is %s', (a, b, do_) => {
  expect(overlap(range(a), range(b))).toBe(do_);
  expect(overlap(range(b), range(a))).toBe(do_);
});

function range(text: string): MediaRange {
  const [type = '', subtype = ''] = text.split('/');
  return { type, subtype };
}
