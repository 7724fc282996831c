import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test, vi } from 'vitest';
import { ENVELOPES } from './malformed/envelopes.ts';
import { FLAT_TASKS } from './malformed/flat-tasks.ts';
import { HEADERS } from './malformed/headers.ts';
import { PARAMS_1 } from './malformed/params-1.ts';
import { PARAMS_03, PARAMS_BEFORE_03 } from './malformed/params-older.ts';
import { PATHS } from './malformed/paths.ts';
import { openTarget, playAll, say } from './malformed/play.ts';
import { expectSettled } from './malformed/settled.ts';

vi.setConfig({ testTimeout: 60_000 });

/** Whatever is wrong with a request: the answer says what was expected, in the words of its version, and nothing else. */

const TABLES = [
  ['envelopes of JSON-RPC', ENVELOPES],
  ['params of 1.0', PARAMS_1],
  ['params of 0.3', PARAMS_03],
  ['params of 0.2 and 0.1', PARAMS_BEFORE_03],
  ['paths and queries', PATHS],
  ['headers', HEADERS],
] as const;

test.each(TABLES)('%s', async (_name, cases) => {
  await using target = await openTarget();
  expect(await playAll(target, cases)).toEqual([]);

  expect(await say(target.server, 'still there')).not.toBe('');
  expect(Object.keys(Object.prototype)).toEqual([]);
});

test('tasks of the flat form', async () => {
  await using target = await openTarget({ profile: 'corvid' });
  expect(await playAll(target, FLAT_TASKS)).toEqual([]);
  await expectSettled(target);
});

test('every case has a name of its own', () => {
  for (const [, cases] of TABLES) {
    const names = cases.map(({ name }) => name);
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
  }
});

test('nothing of what was refused is kept', async () => {
  await using target = await openTarget();
  const refused = ENVELOPES.filter(({ answer }) => answer.form !== 'accepted');
  const rounds = [0, 0, 0];
  for (const i of rounds.keys()) {
    expect(await playAll(target, refused)).toEqual([]);
    rounds[i] = heapInUse();
  }
  await expectSettled(target);

  // The bodies of one round are larger than this.
  const [first = 0, , last = 0] = rounds;
  expect(last - first).toBeLessThan(4 * 2 ** 20);
});

function heapInUse(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  return process.memoryUsage().heapUsed;
}
