/** Processes that are killed at every named fault point: while they work, and again while they recover. */
import { expect, test } from 'vitest';

import { readSources } from '../helpers/source.ts';
import { checkSession } from './check-session.ts';
import type { Session } from './session.ts';
import { sessions, TIMEOUT_MS } from './open-sessions.ts';

/** Found in the source, so that new points are tested without a change here. The worker adds points to its driver. */
const POINTS = [...readSources('src').values()]
  .flatMap((text) => [...text.matchAll(/faultPoint\('([^']+)'\)/g)].map(([, name = '']) => name))
  // The worker calls no other agents. The tests in `calls/` kill processes at these points.
  .filter((point) => !/^after-(?:call|child)/.test(point));
const DRIVER_POINTS = ['before-sqlite-commit', 'after-sqlite-commit'];
/** So few runs in memory that some continue there and others are suspended without memory. */
const OPTIONS = { begin: 40, maxSuspended: 3 } as const;
/** The number of processes that may end without reaching a point, because the order of events is random. */
const MAX_PROCESSES = 5;

const { open } = sessions();

/** Runs processes until one was killed at the first call of a point. */
async function isKilledAt(session: Session, point: string): Promise<boolean> {
  for (let processes = 0; processes < MAX_PROCESSES; processes++) {
    if ((await session.runProcess({ ...OPTIONS, killAt: { point, occurrence: 1 } })) === 'killed') return true;
  }
  return false;
}

test.each([...new Set(POINTS), ...DRIVER_POINTS])(
  'no acknowledged task, event or step is lost or repeated when a process is killed at %s',
  async (point) => {
    const session = open(point);
    expect(await isKilledAt(session, point)).toBe(true);
    expect(await isKilledAt(session, point)).toBe(true);
    // While it works, unless the point is reached only once in a process.
    await session.runProcess({ ...OPTIONS, killAt: { point, occurrence: 5 } });
    await session.runProcess({ finish: true, maxSuspended: OPTIONS.maxSuspended });

    expect(await checkSession(session)).toEqual([]);
  },
  TIMEOUT_MS,
);
