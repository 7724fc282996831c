/** Nodes whose clocks are wrong, on a store whose clock is right. */
import { describe, expect, test } from 'vitest';
import type { Clock } from '../../src/support/time/clock.ts';
import { fakeClock } from '../../src/testing/fake-clock.ts';
import { artifactText, openStore, runnable, startHarness, until, VARIANTS, withMethods } from './harness.ts';
import { turns } from './cluster.ts';

const HOUR = 3_600_000;

function skewed(clock: Clock, byMs: number): Clock {
  return { now: () => clock.now() + byMs, callAt: (time, run) => clock.callAt(time - byMs, run) };
}

describe.each(VARIANTS)('$name', ({ ...variant }) => {
  test.each([
    ['an hour ahead', HOUR],
    ['an hour behind', -HOUR],
  ])(
    'a node whose clock is %s wakes its tasks and sets their timestamps by the clock of the store',
    async (_, byMs) => {
      const clock = fakeClock();
      const store = withMethods(openStore(variant, clock), { now: async () => clock.now() });
      const sleeper = runnable(async function* run({ sleep }) {
        yield 'before';
        await sleep(60_000);
        yield 'after';
      });
      const { maxSuspended } = variant;
      const options = { store, agents: [sleeper], maxSuspended, clock: skewed(clock, byMs), pollMs: 1000 };
      const { engine, task } = await startHarness(options, clock);
      const begun = await task('Sleep', { returnImmediately: true });
      const now = async (): Promise<string | undefined> =>
        artifactText(await engine.get({ tenant: '', owner: 'ann' }, begun.id));
      await until(async () => (await now()) === 'before');
      await turns(20);
      clock.advance(59_000);
      await turns(20);

      expect(begun.status.timestamp).toBe('2026-03-12T10:00:00.000Z');
      expect(await now()).toBe('before');
      clock.advance(2000);
      await until(async () => (await now()) === 'beforeafter');
    },
  );
});

test('a clock difference as small as a round trip to the store does not change timestamps', async () => {
  const clock = fakeClock();
  const store = withMethods(openStore(VARIANTS[0], clock), { now: async () => clock.now() + 20 });
  const echo = runnable(async ({ text }) => text);
  const { task } = await startHarness({ store, agents: [echo], clock }, clock);

  expect((await task('Said')).status.timestamp).toBe('2026-03-12T10:00:00.000Z');
});
