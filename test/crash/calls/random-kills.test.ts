/** Agents that call each other, in processes that are killed at random moments and whose connections break. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { type Bundle, bundle } from '../bundle.ts';
import type { HostProcess } from './host-process.ts';
import type { Moment } from './protocol.ts';
import { runScenario } from './scenario.ts';

const TIMEOUT_MS = 120_000;
/** `TANDEM_SEED` repeats the choice of moments, `TANDEM_KILLS` sets the number of kills. */
const KILLS = Number(process.env['TANDEM_KILLS'] ?? 8);
const SEED = Number(process.env['TANDEM_SEED'] ?? Math.trunc(Math.random() * 2 ** 31));
const KILLS_PER_TEST = 4;
const SEEDS = Array.from({ length: Math.ceil(KILLS / KILLS_PER_TEST) }, (_, i) => SEED + i);
/** The most writes of a process before it is killed. */
const COMMITS = 8;

const folder = mkdtempSync(join(tmpdir(), 'tandem-random-call-kills-'));
let built: Bundle | undefined;
beforeAll(async () => {
  built = await bundle(new URL('host.ts', import.meta.url));
}, TIMEOUT_MS);
afterAll(() => {
  built?.remove();
  rmSync(folder, { recursive: true });
});

/** A pseudorandom number from 0 to 1 that depends only on the seed. */
function fraction(seed: number): number {
  return Math.abs(Math.sin(seed * 12.9898 + 78.233) * 43_758.5453) % 1;
}

/** A task with at most `kills` kills at moments that depend on the seed, and what went wrong. */
async function runTask(seed: number, kills: number): ReturnType<typeof runScenario> {
  let drawn = 0;
  const random = (): number => fraction(seed * 31 + ++drawn);
  const moment = (): Moment => {
    const point = random() < 0.5 ? 'before-commit' : 'after-commit';
    return { point, occurrence: 1 + Math.trunc(random() * COMMITS) };
  };
  const layout = random() < 0.3 ? 'siblings' : 'http';
  const ending = random() < 0.7 ? 'answer' : 'cancel';
  const first = {
    ...(kills > 0 && { killFront: moment() }),
    ...(kills > 1 && layout === 'http' && { killOthers: moment() }),
  };
  let left = kills - Object.keys(first).length;
  const disturb = (hosts: readonly HostProcess[]): void => {
    for (const host of hosts) {
      host.nextKill = () => {
        // The other process keeps running, and loses its connections.
        if (random() < 0.3) for (const each of hosts) each.cut();
        return left-- > 0 ? moment() : undefined;
      };
    }
  };
  const result = await runScenario(
    built?.path ?? '',
    { folder: join(folder, `${seed}`) },
    { layout, ending, ...first, disturb },
  );
  return { ...result, problems: result.problems.map((problem) => `${layout}, ${ending}: ${problem}`) };
}

test.each(SEEDS)(
  `trees of calls settle over ${KILLS_PER_TEST} random kills (seed %i)`,
  async (seed) => {
    // A task may end before the moment of a kill, and the next one gets the rest.
    for (let left = KILLS_PER_TEST, round = 0; left > 0; round++) {
      const { kills, problems } = await runTask(seed + round / 16, left);
      expect(problems).toEqual([]);
      left -= kills;
    }
  },
  TIMEOUT_MS,
);
