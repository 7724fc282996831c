import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import type { JsonValue } from '../../src/model/json.ts';
import { arbitraryMutation } from '../helpers/hostile-json.ts';
import { type Answer, bytesOf, takeAnswers, Wire } from './malformed/exchange.ts';
import { BODYLESS, damaged, damages, filledIn, VALID_REQUESTS } from './malformed/valid-requests.ts';
import { fetched, openTarget } from './malformed/run-cases.ts';
import { expectIdle } from './malformed/expect-idle.ts';

/**
 * Damaged requests: each gets a response that is not an internal error. `TANDEM_SEED` repeats a run, `TANDEM_RUNS` makes it longer.
 */

vi.setConfig({ testTimeout: 120_000 });

const SEED = Number(process.env['TANDEM_SEED'] ?? 20_260_312);
const RUNS = Number(process.env['TANDEM_RUNS'] ?? 300);

function assertNoInternalError({ status, headers, text }: Answer, faults: readonly unknown[]): void {
  expect(status).not.toBe(500);
  expect(text).not.toContain('-32603');
  expect(faults).toEqual([]);
  if (text !== '' && headers['content-type'] !== 'text/event-stream') JSON.parse(text);
}

test('a request whose JSON is mutated gets a response that is not an internal error', async () => {
  await using target = await openTarget();
  const mutations = fc.array(arbitraryMutation, { minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...VALID_REQUESTS), mutations, async (valid, all) => {
      const request = filledIn(valid, target);
      const json = JSON.parse(String(request.body)) as JsonValue;
      const body = JSON.stringify(all.reduce((now, mutate) => mutate(now), json));
      assertNoInternalError(await fetched(target.server, { ...request, body }), target.faults);
    }),
    { seed: SEED, numRuns: RUNS * 3 },
  );
  await expectIdle(target);
});

/** JSON values to send instead of the object that every body must be. */
const ROOTS: readonly unknown[] = [null, true, false, 0, -1, 1.5, '', 'text', '{}', [], [null], [[]], [{}], {}];

test('a request whose whole body is replaced gets a response that is not an internal error', async () => {
  await using target = await openTarget();
  for (const valid of VALID_REQUESTS) {
    const request = filledIn(valid, target);
    const own = JSON.parse(String(request.body)) as JsonValue;
    for (const root of [...ROOTS, [own], [own, own], { body: own }]) {
      const answer = await fetched(target.server, { ...request, body: JSON.stringify(root) });
      expect([request.path, root, answer.status]).not.toEqual([request.path, root, 500]);
      assertNoInternalError(answer, target.faults);
    }
  }
  await expectIdle(target);
});

test('a request whose bytes are damaged ends with or without a response, and never with an internal error', async () => {
  await using target = await openTarget();
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...VALID_REQUESTS, ...BODYLESS), damages, async (valid, all) => {
      const bytes = all.reduce(damaged, bytesOf(filledIn(valid, target)));
      const wire = new Wire(target.server.port);
      // Ends the request, so that the server does not wait for missing bytes. Node may then cut its response.
      wire.socket.end(bytes);
      const { answers } = takeAnswers(await wire.ended, valid.method);
      for (const answer of answers) assertNoInternalError(answer, target.faults);
      expect(target.faults).toEqual([]);
    }),
    { seed: SEED, numRuns: RUNS },
  );
  await expectIdle(target);
});
