import { expect, test } from 'vitest';
import { progressLine } from './progress-line.ts';

test.each([
  ['Waiting', 400, 80, '⠋ Waiting 0s'],
  ['Waiting', 59_999, 80, '⠋ Waiting 59s'],
  ['Waiting', 61_000, 80, '⠋ Waiting 1m01s'],
  ['Connecting to somebody far away', 2000, 24, '⠋ Connecting to s… 2s'],
  ['🐙'.repeat(40), 2000, 20, '⠋ 🐙🐙🐙🐙🐙… 2s'],
  ['Waiting', 2000, 1, '⠋ Wai… 2s'],
  ['東京へ', 2000, 14, '⠋ 東京へ 2s'],
  ['東京へ行', 2000, 14, '⠋ 東京… 2s'],
])('%s for %i ms on %i columns', (text, ms, columns, line) => {
  expect(progressLine('⠋', text, ms, columns)).toBe(line);
});

test('there is room for what a terminal writes when a key is pressed', () => {
  for (let columns = 12; columns < 60; columns++) {
    const line = progressLine('⠋', 'x'.repeat(100), 61_000, columns);
    expect(`${line}^C`.length).toBeLessThan(columns);
  }
});
