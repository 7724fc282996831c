import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodedBase64, isBase64, normalizeBase64 } from './base64.ts';

test.each([
  ['empty', '', ''],
  ['standard', 'aGVsbG8=', 'aGVsbG8='],
  ['standard, two pads', 'aA==', 'aA=='],
  ['unpadded', 'aGVsbG8', 'aGVsbG8='],
  ['unpadded, two missing', 'aA', 'aA=='],
  ['URL-safe', '-_-_', '+/+/'],
  ['URL-safe and unpadded', '-_8', '+/8='],
  ['URL-safe and padded', '-_8=', '+/8='],
])('%s base64 is converted to the standard padded form', (_case, text, standard) => {
  expect(normalizeBase64(text)).toBe(standard);
});

test.each([
  ['an impossible length', 'aGVsb'],
  ['an invalid character', 'aGV$bG8='],
  ['a space', 'aGVs bG8='],
  ['a line break at the end', 'aGVsbG8=\n'],
  ['a placeholder', '<base64-encoded-content>'],
  ['a data URL', 'data:;base64,aGk='],
  ['padding in the middle', 'aG=sbG8='],
  ['padding alone', '=='],
  ['too much padding', 'aGk=='],
  ['too little padding', 'aA='],
  ['padding that is not needed', 'aGVs='],
  ['three pads', 'a==='],
])('%s is not valid base64', (_case, text) => {
  expect(normalizeBase64(text)).toBeUndefined();
});

test('any bytes in any accepted form are converted to the standard form', () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.boolean(), fc.boolean(), (bytes, urlSafe, padded) => {
      const standard = Buffer.from(bytes).toString('base64');
      const alphabet = urlSafe ? standard.replaceAll('+', '-').replaceAll('/', '_') : standard;
      expect(normalizeBase64(padded ? alphabet : alphabet.replace(/=+$/, ''))).toBe(standard);
    }),
  );
});

test('4 MB in the URL-safe alphabet are converted', () => {
  const standard = normalizeBase64('-_'.repeat(2_000_000));
  expect(standard?.slice(0, 8)).toBe('+/+/+/+/');
  expect(standard).toHaveLength(4_000_000);
});

test.each(['', 'AA', 'AA==', '_-8', 'A', 'AA=', 'AA=A', '!!!!', '=='])(
  '%j is base64 if it can be made standard',
  (text) => {
    expect(isBase64(text)).toBe(normalizeBase64(text) !== undefined);
  },
);

test('base64 that is encoded once more is found in any bytes of 4 or more', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 4 }), (bytes) => {
      const once = Buffer.from(bytes).toString('base64');
      expect(encodedBase64(Buffer.from(once).toString('base64'))).toBe(once);
    }),
  );
});

test.each([
  ['nothing', ''],
  ['less than 8 characters', 'iVBO'],
  ['a length that is not a multiple of 4', 'iVBORwECA'],
  ['missing padding', 'iVBORwECAw'],
  ['stray bits before the padding', 'iVBORwECAx=='],
  ['padding inside', 'iVB=RwECAw=='],
  ['the other alphabet', 'iVBORwEC_w=='],
  ['a line break', 'iVBORwEC\nAw='],
  ['a foreign character after the first bytes', 'iVBORwECAwiVBORwECA!'],
])('content with %s is not base64 that was encoded once more', (_, content) => {
  expect(encodedBase64(Buffer.from(content).toString('base64'))).toBeUndefined();
});
