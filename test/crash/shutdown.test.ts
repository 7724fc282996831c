/** Real processes that are told to stop while they work: the next one goes on where they were. */
import { expect, test } from 'vitest';

import { isTerminal } from '../../src/model/state.ts';
import { sqlite } from '../../src/store/sqlite/store.ts';
import type { TaskRecord } from '../../src/store/store.ts';
import { OWNER } from './client.ts';
import { judge } from './judge.ts';
import { sessions, TIMEOUT_MS } from './sessions.ts';

const { open } = sessions();

async function unfinished(path: string): Promise<readonly TaskRecord[]> {
  const store = sqlite(path);
  const { tasks } = await store.list(OWNER, { limit: 1000 });
  await store.close();
  return tasks.map(({ record }) => record).filter(({ status }) => !isTerminal(status.state));
}

test.each([0, 3, 1000])(
  'an engine that closes hands over what it was doing, and no attempt is counted (%i runs kept in memory)',
  async (maxSuspended) => {
    const session = open(String(maxSuspended));
    for (const begin of [15, 30, 0, 20]) {
      expect(await session.live({ begin, maxSuspended })).toBe('closed');
      const left = await unfinished(session.database);

      expect(left.length).toBeGreaterThan(0);
      expect(left.filter(({ node, attempts }) => node !== undefined || attempts > 0)).toEqual([]);
    }
    await session.live({ finish: true, maxSuspended });

    expect(await judge(session)).toEqual([]);
  },
  TIMEOUT_MS,
);
