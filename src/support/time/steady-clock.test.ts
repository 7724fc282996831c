import { expect, test } from 'vitest';
import { steadyTime } from './steady-clock.ts';

test.each([
  ['advances normally', [1000, 1000, 1000], [1000, 2000, 3000]],
  ['is set forward', [1000, 61_000, 1000], [1000, 62_000, 63_000]],
  ['is set back by an hour', [1000, -3_600_000, 1000, 1000], [1000, 2000, 3000, 4000]],
  ['is set back by a little', [1000, 600, 1000], [1000, 1600, 2600]],
])('a steady clock advances when the system time %s', (_, steps, expected) => {
  let [wall, passed] = [0, 0];
  const now = steadyTime(
    () => wall,
    () => passed,
  );
  const seen = steps.map((step) => {
    wall += step;
    passed += 1000;
    return now();
  });

  expect(seen).toEqual(expected);
});
