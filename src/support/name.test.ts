import { expect, test } from 'vitest';
import { isName } from './name.ts';

test.each(['', 'a', 'a b', 'Grüße', '世界', '👩‍👩‍👧', '\ud83d\udd11', '\u0001\u001f', '\ufffd', '\uffff'])(
  '%j is a name',
  (text) => {
    expect(isName(text)).toBe(true);
  },
);

test.each(['\0', 'a\0', 'a\0b', '\ud800', 'a\udc00b', '\udd11\ud83d', 'a🔑\ud83d'])('%j is not a name', (text) => {
  expect(isName(text)).toBe(false);
});
