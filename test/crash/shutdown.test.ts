/** Processes that close their engine while tasks run: the next process resumes the tasks. */
import { expect, test } from 'vitest';

import { isTerminal } from '../../src/model/state.ts';
import { sqlite } from '../../src/store/sqlite/store.ts';
import type { TaskRecord } from '../../src/store/store.ts';
import { OWNER } from './client.ts';
import { checkSession } from './check-session.ts';
import { sessions, TIMEOUT_MS } from './open-sessions.ts';

const { open } = sessions();

async function unfinished(path: string): Promise<readonly TaskRecord[]> {
  const store = sqlite(path);
  const { tasks } = await store.list(OWNER, { limit: 1000 });
  await store.close();
  return tasks.map(({ record }) => record).filter(({ status }) => !isTerminal(status.state));
}

test.each([0, 3, 1000])(
  'an engine that closes releases its running tasks without counting an attempt (%i runs kept in memory)',
  async (maxSuspended) => {
    const session = open(String(maxSuspended));
    for (const begin of [15, 30, 0, 20]) {
      expect(await session.runProcess({ begin, maxSuspended })).toBe('closed');
      const tasks = await unfinished(session.database);

      expect(tasks.length).toBeGreaterThan(0);
      expect(tasks.filter(({ node, attempts }) => node !== undefined || attempts > 0)).toEqual([]);
    }
    await session.runProcess({ finish: true, maxSuspended });

    expect(await checkSession(session)).toEqual([]);
  },
  TIMEOUT_MS,
);
