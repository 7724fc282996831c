/** Real processes, killed at every named fault point: at work, and again while they recover from it. */
import { expect, test } from 'vitest';

import { readSources } from '../helpers/source.ts';
import { judge } from './judge.ts';
import type { Session } from './session.ts';
import { sessions, TIMEOUT_MS } from './sessions.ts';

/** From the source, so that a new point is tested without a word here. The worker adds those of its driver. */
const POINTS = [...readSources('src').values()].flatMap((text) =>
  [...text.matchAll(/faultPoint\('([^']+)'\)/g)].map(([, name = '']) => name),
);
const DRIVER_POINTS = ['before-sqlite-commit', 'after-sqlite-commit'];
/** Few enough runs in memory that some go on there and others are put away. */
const LIFE = { begin: 40, maxSuspended: 3 } as const;
/** Processes that may come to their end without passing a point: what runs beside what is a matter of chance. */
const MAX_LIVES = 5;

const { open } = sessions();

/** Lets processes live until one has died at the first call of a point. */
async function dies(session: Session, point: string): Promise<boolean> {
  for (let lives = 0; lives < MAX_LIVES; lives++) {
    if ((await session.live({ ...LIFE, die: { point, occurrence: 1 } })) === 'killed') return true;
  }
  return false;
}

test.each([...new Set(POINTS), ...DRIVER_POINTS])(
  'all promises are kept when a process dies at %s',
  async (point) => {
    const session = open(point);
    expect(await dies(session, point)).toBe(true);
    expect(await dies(session, point)).toBe(true);
    // In the middle of its work, unless it is a point that is reached once in a life.
    await session.live({ ...LIFE, die: { point, occurrence: 5 } });
    await session.live({ finish: true, maxSuspended: LIFE.maxSuspended });

    expect(await judge(session)).toEqual([]);
  },
  TIMEOUT_MS,
);
