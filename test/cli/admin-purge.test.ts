import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sqlite } from '../../src/store/sqlite/store.ts';
import type { Store } from '../../src/store/store.ts';
import { projectWith, tandem, TIMEOUT_MS } from './program.ts';

async function addTask(store: Store, owner: string): Promise<void> {
  await store.create({
    tenant: '',
    owner,
    id: `task of ${owner}`,
    contextId: 'c',
    agent: 'echo',
    status: { state: 'TASK_STATE_INPUT_REQUIRED' },
    origin: {},
    message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hello' }] },
    event: { kind: 'task', body: '{}' },
    createdAt: 0,
    wakeAt: Number.MAX_SAFE_INTEGER,
  });
}

test('tandem admin purge deletes the tasks of one caller, and only after --yes', { timeout: TIMEOUT_MS }, async () => {
  const cwd = projectWith();
  const store = sqlite(join(cwd, 'own.db'));
  for (const owner of ['ann', 'bob']) await addTask(store, owner);
  const purge = (owner: string, ...more: readonly string[]) =>
    tandem(['admin', 'purge', owner, '--store', 'own.db', ...more], { cwd }).ended;
  expect(await purge('ann', '--yes')).toMatchObject({ code: 1, stderr: expect.stringMatching(/own\.db/u) as string });
  await store.close();

  expect(await purge('ann')).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') as string });
  const nowhere = await tandem(['admin', 'purge', 'ann', '--store', 'none.db', '--yes'], { cwd }).ended;
  expect(nowhere).toMatchObject({ code: 2, stderr: expect.stringContaining('There is no file none.db') as string });
  expect((await purge('ann', '--yes', '--tenant', 'globex')).stdout).toBe('Deleted 0 tasks of ann\n');
  expect((await purge('ann', '--yes')).stdout).toBe('Deleted 1 task of ann\n');
  expect((await purge('ann', '--yes')).stdout).toBe('Deleted 0 tasks of ann\n');
  expect((await purge('bob', '--yes')).stdout).toBe('Deleted 1 task of bob\n');
});
