import { expect, test } from 'vitest';
import { relativeTime } from './relative-time.ts';

const NOW = Date.parse('2026-03-12T10:00:00Z');

test.each([
  ['2026-03-12T10:00:05Z', 'now'],
  ['2026-03-12T09:59:59.500Z', 'now'],
  ['2026-03-12T09:59:18Z', '42s ago'],
  ['2026-03-12T09:59:00Z', '1m ago'],
  ['2026-03-12T09:56:01Z', '3m ago'],
  ['2026-03-12T08:30:00Z', '1h ago'],
  ['2026-03-10T09:00:00Z', '2d ago'],
  ['soon', '-'],
  [undefined, '-'],
])('the relative time of %s is %s', (timestamp, text) => {
  expect(relativeTime(timestamp, NOW)).toBe(text);
});
