import { afterEach, expect, test, vi } from 'vitest';
import { styled } from './screen.ts';

afterEach(() => vi.unstubAllEnvs());

test('styled() colours a text for a terminal', () => {
  vi.stubEnv('NO_COLOR', '');
  expect(styled({ isTTY: true, hasColors: () => true }, 'done', 'green')).toBe('\u001B[32mdone\u001B[39m');
});

test.each([
  ['a pipe', { isTTY: false, hasColors: () => true }, ''],
  ['a terminal without colours', { isTTY: true, hasColors: () => false }, ''],
  ['a terminal with NO_COLOR', { isTTY: true, hasColors: () => true }, '1'],
])('styled() leaves a text for %s unchanged', (_, stream, noColor) => {
  vi.stubEnv('NO_COLOR', noColor);
  expect(styled(stream, 'done', 'green')).toBe('done');
});
