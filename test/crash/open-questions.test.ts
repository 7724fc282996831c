/** A question that nobody answers outlives one process after another, and can be answered in the end. */
import { expect, test } from 'vitest';

import type { Report } from './errand.ts';
import { judge } from './judge.ts';
import { canBeHeld, KINDS } from './programs.ts';
import { sessions, TIMEOUT_MS } from './sessions.ts';

const KILLS = 2;

const { open } = sessions();

test.each(
  KINDS.filter(canBeHeld).flatMap((kind) => [
    { kind, runs: 'replayed', maxSuspended: 0 },
    { kind, runs: 'kept in memory', maxSuspended: 1000 },
  ]),
)(
  'the question of $kind stays open over kills and can be answered (runs are $runs)',
  async ({ kind, maxSuspended }) => {
    const session = open(`${kind} ${maxSuspended}`);
    let asked: string | undefined;
    const killWhen = (report: Report): boolean => {
      if (report.t !== 'held' || session.known.get(report.key)?.operationCall.kind !== kind) return false;
      return report.key === (asked ??= report.key);
    };
    for (let kill = 0; kill < KILLS; kill++) {
      expect(await session.live({ begin: Number.MAX_SAFE_INTEGER, maxSuspended, killWhen })).toBe('killed');
    }
    await session.live({ finish: true, maxSuspended });
    const states = session.known.get(asked ?? '')?.held.map(({ status }) => status.state);

    expect(await judge(session)).toEqual([]);
    expect(states).toEqual(Array(KILLS).fill('TASK_STATE_INPUT_REQUIRED'));
  },
  TIMEOUT_MS,
);
