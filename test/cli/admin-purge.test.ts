import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { purgeStore } from '../../src/cli/commands/admin/purge.ts';
import { memoryStore } from '../../src/store/memory/store.ts';
import { sqlite } from '../../src/store/sqlite/store.ts';
import type { Store } from '../../src/store/store.ts';
import { fakeClock } from '../../src/testing/fake-clock.ts';
import { withMethods } from '../engine/harness.ts';
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

  expect(await purge('ann')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('permanently. Add --yes to confirm') as string,
  });
  const nowhere = await tandem(['admin', 'purge', 'ann', '--store', 'none.db', '--yes'], { cwd }).ended;
  expect(nowhere).toMatchObject({ code: 2, stderr: expect.stringContaining('File none.db does not exist') as string });
  expect((await purge('ann', '--yes', '--tenant', 'globex')).stdout).toBe('Deleted 0 tasks of ann\n');
  expect((await purge('ann', '--yes')).stdout).toBe('Deleted 1 task of ann\n');
  expect((await purge('ann', '--yes')).stdout).toBe('Deleted 0 tasks of ann\n');
  expect((await purge('bob', '--yes')).stdout).toBe('Deleted 1 task of bob\n');
});

test('tandem admin purge without --store takes the only store of the folder', { timeout: TIMEOUT_MS }, async () => {
  const cwd = projectWith();
  const purge = () => tandem(['admin', 'purge', 'ann', '--yes'], { cwd }).ended;
  expect(await purge()).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('no store in this folder') as string,
  });
  mkdirSync(join(cwd, '.tandem'));
  const store = sqlite(join(cwd, '.tandem/echo.db'));
  await addTask(store, 'ann');
  await store.close();
  expect((await purge()).stdout).toBe('Deleted 1 task of ann\n');
  await sqlite(join(cwd, '.tandem/other.db')).close();
  expect(await purge()).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('pass one of .tandem/echo.db, .tandem/other.db with --store') as string,
  });
});

test('an admin purge that takes longer than a minute does not apply the default retention to the tasks of other callers', async () => {
  const clock = fakeClock();
  const store = memoryStore({ clock });
  for (const owner of ['ann', 'bob']) await addTask(store, owner);
  await store.append({ taskId: 'task of bob', guard: {}, endedAt: clock.now() });
  clock.advance(40 * 24 * 3_600_000);
  let prunes = 0;
  const slow = withMethods(store, {
    prune: (policy) => {
      prunes++;
      return store.prune(policy);
    },
    purge: (scope, limit) => {
      clock.advance(61_000);
      return store.purge(scope, limit);
    },
  });

  expect(await purgeStore({ store: slow, clock }, { tenant: '', owner: 'ann' })).toBe(1);

  expect(prunes).toBe(0);
  expect(await store.read({ tenant: '', owner: 'bob' }, 'task of bob')).toBeDefined();
});
