import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test, vi } from 'vitest';
import { ENVELOPES } from './malformed/envelopes.ts';
import { FLAT_TASKS } from './malformed/flat-tasks.ts';
import { HEADERS } from './malformed/headers.ts';
import { PARAMS_1 } from './malformed/params-1.0.ts';
import { PARAMS_03, PARAMS_BEFORE_03 } from './malformed/params-0.x.ts';
import { PATHS } from './malformed/paths.ts';
import { openTarget, runCases, say } from './malformed/run-cases.ts';
import { expectIdle } from './malformed/expect-idle.ts';

vi.setConfig({ testTimeout: 60_000 });

/** Tables of malformed requests: each gets the expected error in the format of its version, without internals. */

const TABLES = [
  ['JSON-RPC envelopes', ENVELOPES],
  ['params of 1.0', PARAMS_1],
  ['params of 0.3', PARAMS_03],
  ['params of 0.2 and 0.1', PARAMS_BEFORE_03],
  ['paths and queries', PATHS],
  ['headers', HEADERS],
] as const;

test.each(TABLES)('malformed %s get the expected errors, and the agent still works', async (_name, cases) => {
  await using target = await openTarget();
  expect(await runCases(target, cases)).toEqual([]);

  expect(await say(target.server, 'still there')).not.toBe('');
  expect(Object.keys(Object.prototype)).toEqual([]);
});

test('malformed requests of the corvid profile get the expected errors', async () => {
  await using target = await openTarget({ profile: 'corvid' });
  expect(await runCases(target, FLAT_TASKS)).toEqual([]);
  await expectIdle(target);
});

test('every case has a unique name', () => {
  for (const [, cases] of TABLES) {
    const names = cases.map(({ name }) => name);
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
  }
});

test('rejected requests stay in memory no longer than the request: three rounds use the same heap', async () => {
  await using target = await openTarget();
  const rejected = ENVELOPES.filter(({ answer }) => answer.form !== 'accepted');
  const rounds = [0, 0, 0];
  for (const i of rounds.keys()) {
    expect(await runCases(target, rejected)).toEqual([]);
    rounds[i] = heapInUse();
  }
  await expectIdle(target);

  // One round has more bytes of bodies than this.
  const [first = 0, , last = 0] = rounds;
  expect(last - first).toBeLessThan(4 * 2 ** 20);
});

function heapInUse(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  return process.memoryUsage().heapUsed;
}
