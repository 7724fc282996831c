import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import type { JsonValue } from '../../src/model/json.ts';
import { arbitraryMutation } from '../helpers/hostile-json.ts';
import { type Answer, bytesOf, takeAnswers, Wire } from './malformed/exchange.ts';
import { BODYLESS, damaged, damages, filledIn, HEALTHY } from './malformed/healthy.ts';
import { fetched, openTarget } from './malformed/play.ts';
import { expectSettled } from './malformed/settled.ts';

/**
 * Whatever becomes of a request on its way, it is answered, and the fault is never ours. `TANDEM_SEED` repeats a run,
 * `TANDEM_RUNS` makes it longer.
 */

vi.setConfig({ testTimeout: 120_000 });

const SEED = Number(process.env['TANDEM_SEED'] ?? 20_260_312);
const RUNS = Number(process.env['TANDEM_RUNS'] ?? 300);

function assertNotOurs({ status, headers, text }: Answer, faults: readonly unknown[]): void {
  expect(status).not.toBe(500);
  expect(text).not.toContain('-32603');
  expect(faults).toEqual([]);
  if (text !== '' && headers['content-type'] !== 'text/event-stream') JSON.parse(text);
}

test('a request whose JSON was changed is answered, and the fault is not ours', async () => {
  await using target = await openTarget();
  const mutations = fc.array(arbitraryMutation, { minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...HEALTHY), mutations, async (healthy, all) => {
      const request = filledIn(healthy, target);
      const json = JSON.parse(String(request.body)) as JsonValue;
      const body = JSON.stringify(all.reduce((now, mutate) => mutate(now), json));
      assertNotOurs(await fetched(target.server, { ...request, body }), target.faults);
    }),
    { seed: SEED, numRuns: RUNS * 3 },
  );
  await expectSettled(target);
});

/** JSON to send instead of the object that every body should be. */
const ROOTS: readonly unknown[] = [null, true, false, 0, -1, 1.5, '', 'text', '{}', [], [null], [[]], [{}], {}];

test('a request whose whole body is replaced gets a response that is not an internal error', async () => {
  await using target = await openTarget();
  for (const healthy of HEALTHY) {
    const request = filledIn(healthy, target);
    const own = JSON.parse(String(request.body)) as JsonValue;
    for (const root of [...ROOTS, [own], [own, own], { body: own }]) {
      const answer = await fetched(target.server, { ...request, body: JSON.stringify(root) });
      expect([request.path, root, answer.status]).not.toEqual([request.path, root, 500]);
      assertNotOurs(answer, target.faults);
    }
  }
  await expectSettled(target);
});

test('a request whose bytes were changed ends, with an answer or without, and the fault is not ours', async () => {
  await using target = await openTarget();
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...HEALTHY, ...BODYLESS), damages, async (healthy, all) => {
      const bytes = all.reduce(damaged, bytesOf(filledIn(healthy, target)));
      const wire = new Wire(target.server.port);
      // Says that nothing follows, so that nobody waits for what was cut. Node may cut its answer for it.
      wire.socket.end(bytes);
      const { answers } = takeAnswers(await wire.ended, healthy.method);
      for (const answer of answers) assertNotOurs(answer, target.faults);
      expect(target.faults).toEqual([]);
    }),
    { seed: SEED, numRuns: RUNS },
  );
  await expectSettled(target);
});
