/** Processes under load that are killed at random moments: nothing acknowledged is lost, and nothing is done twice. */
import { expect, test } from 'vitest';

import { checkSession } from './check-session.ts';
import type { ProcessOptions } from './session.ts';
import { sessions, TIMEOUT_MS } from './open-sessions.ts';

/** `TANDEM_SEED` repeats the moments of the kills, `TANDEM_KILLS` sets their number. */
const KILLS = Number(process.env['TANDEM_KILLS'] ?? 50);
const SEED = Number(process.env['TANDEM_SEED'] ?? Math.trunc(Math.random() * 2 ** 31));
const KILLS_PER_FILE = 10;
const SESSIONS = Array.from({ length: Math.ceil(KILLS / KILLS_PER_FILE) }, (_, i) => SEED + i);

const { open } = sessions();

/** The options of one process and the moment of its kill: mostly while it works, sometimes while it starts. */
function processOptions(seed: number, kill: number): ProcessOptions {
  const random = (index: number): number => fraction(seed * 31 + kill * 7 + index);
  const isEarly = random(1) < 0.2;
  return {
    begin: Number.MAX_SAFE_INTEGER,
    maxSuspended: [0, 3, 1000][Math.trunc(random(2) * 3)] ?? 0,
    killAfter: isEarly ? { ms: 60 + random(3) * 60, of: 'start' } : { ms: random(3) * 100, of: 'open' },
  };
}

/** A pseudorandom number from 0 to 1 that depends only on the seed. */
function fraction(seed: number): number {
  return Math.abs(Math.sin(seed * 12.9898 + 78.233) * 43_758.5453) % 1;
}

test.each(SESSIONS)(
  `no acknowledged task, event or step is lost or repeated over ${KILLS_PER_FILE} random kills (seed %i)`,
  async (seed) => {
    const session = open(String(seed));
    const processes = Array.from({ length: KILLS_PER_FILE }, (_, kill) => processOptions(seed, kill));
    for (const options of processes) expect(await session.runProcess(options)).toBe('killed');
    await session.runProcess({ finish: true, maxSuspended: seed % 2 === 0 ? 0 : 1000 });

    // A failure shows the moments of the kills, too.
    expect({ problems: await checkSession(session), processes }).toEqual({ problems: [], processes });
    expect(session.observed.size).toBeGreaterThan(KILLS_PER_FILE);
  },
  TIMEOUT_MS,
);
