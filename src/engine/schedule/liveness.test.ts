import { expect, test } from 'vitest';
import { fakeClock } from '../../testing/fake-clock.ts';
import { Liveness } from './liveness.ts';

test.each([
  ['just now', 0, true, false],
  ['two thirds of a lease ago', 10_000, true, false],
  ['longer ago', 10_001, false, false],
  ['more than a lease ago', 15_001, false, true],
])('a node whose last heartbeat was %s', (_, ms, isSure, hasLapsed) => {
  const clock = fakeClock();
  const liveness = new Liveness(clock, 15_000);
  liveness.renew(clock.now());
  const { leaseEpoch } = liveness;
  clock.advance(ms);

  expect(liveness.isSureOf(leaseEpoch)).toBe(isSure);
  expect(liveness.renew(clock.now())).toBe(hasLapsed);
  expect(liveness.isSureOf(leaseEpoch)).toBe(!hasLapsed);
});
