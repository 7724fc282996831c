/** Real processes under load, killed at random moments: nothing that was acknowledged is lost, nothing is done twice. */
import { expect, test } from 'vitest';

import { judge } from './judge.ts';
import type { LifeOptions } from './session.ts';
import { sessions, TIMEOUT_MS } from './sessions.ts';

/** `TANDEM_SEED` repeats the moments, `TANDEM_KILLS` makes it longer. */
const KILLS = Number(process.env['TANDEM_KILLS'] ?? 50);
const SEED = Number(process.env['TANDEM_SEED'] ?? Math.trunc(Math.random() * 2 ** 31));
const KILLS_PER_FILE = 10;
const SESSIONS = Array.from({ length: Math.ceil(KILLS / KILLS_PER_FILE) }, (_, i) => SEED + i);

const { open } = sessions();

/** How one process lives and dies. Most die at work, some when they have barely begun. */
function lifeOf(seed: number, kill: number): LifeOptions {
  const random = (what: number): number => fraction(seed * 31 + kill * 7 + what);
  const isEarly = random(1) < 0.2;
  return {
    begin: Number.MAX_SAFE_INTEGER,
    maxSuspended: [0, 3, 1000][Math.trunc(random(2) * 3)] ?? 0,
    killAfter: isEarly ? { ms: 60 + random(3) * 60, of: 'start' } : { ms: random(3) * 100, of: 'open' },
  };
}

/** A number from 0 to 1 that looks random and depends on the seed alone. */
function fraction(seed: number): number {
  return Math.abs(Math.sin(seed * 12.9898 + 78.233) * 43_758.5453) % 1;
}

test.each(SESSIONS)(
  `all promises are kept over ${KILLS_PER_FILE} kills (seed %i)`,
  async (seed) => {
    const session = open(String(seed));
    const lives = Array.from({ length: KILLS_PER_FILE }, (_, kill) => lifeOf(seed, kill));
    for (const life of lives) expect(await session.live(life)).toBe('killed');
    await session.live({ finish: true, maxSuspended: seed % 2 === 0 ? 0 : 1000 });

    // With how each of them died, for whoever has to find out why.
    expect({ problems: await judge(session), lives }).toEqual({ problems: [], lives });
    expect(session.known.size).toBeGreaterThan(KILLS_PER_FILE);
  },
  TIMEOUT_MS,
);
