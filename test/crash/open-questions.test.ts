/** A question that is not answered stays open over several processes, and can be answered in the last one. */
import { expect, test } from 'vitest';

import type { Report } from './worker-protocol.ts';
import { checkSession } from './check-session.ts';
import { hasQuestion, KINDS } from './handlers.ts';
import { sessions, TIMEOUT_MS } from './open-sessions.ts';

const KILLS = 2;

const { open } = sessions();

test.each(
  KINDS.filter(hasQuestion).flatMap((kind) => [
    { kind, runs: 'replayed', maxSuspended: 0 },
    { kind, runs: 'kept in memory', maxSuspended: 1000 },
  ]),
)(
  'a question of the handler "$kind" stays open over kills and can be answered (runs are $runs)',
  async ({ kind, maxSuspended }) => {
    const session = open(`${kind} ${maxSuspended}`);
    let askedKey: string | undefined;
    const killWhen = (report: Report): boolean => {
      if (report.t !== 'unanswered' || session.observed.get(report.key)?.request.kind !== kind) return false;
      return report.key === (askedKey ??= report.key);
    };
    for (let kill = 0; kill < KILLS; kill++) {
      expect(await session.runProcess({ begin: Number.MAX_SAFE_INTEGER, maxSuspended, killWhen })).toBe('killed');
    }
    await session.runProcess({ finish: true, maxSuspended });
    const states = session.observed.get(askedKey ?? '')?.unanswered.map(({ status }) => status.state);

    expect(await checkSession(session)).toEqual([]);
    expect(states).toEqual(Array(KILLS).fill('TASK_STATE_INPUT_REQUIRED'));
  },
  TIMEOUT_MS,
);
