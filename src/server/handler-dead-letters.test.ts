import { expect, onTestFinished, test } from 'vitest';
import { silentLog } from '../observe/log.ts';
import { memoryStore } from '../store/memory/store.ts';
import { agent } from '../agent/agent.ts';
import { createHandler } from './handler.ts';

const ECHO = agent({ name: 'Echo', description: 'Says it again.', run: async ({ text }) => text });

test('the operator can read dead letters page by page before the first request', async () => {
  const store = memoryStore();
  const owner = { tenant: '', owner: 'ann' };
  await store.create({
    ...owner,
    id: 'one',
    contextId: 'c',
    agent: ECHO.id,
    status: { state: 'TASK_STATE_COMPLETED' },
    origin: {},
    message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hello' }] },
    event: { kind: 'task', body: '{}' },
    createdAt: 0,
    wakeAt: Number.MAX_SAFE_INTEGER,
    pushConfig: { id: 'hook', config: { url: 'https://example.com/', token: 'secret' }, dialect: '1.0', createdAt: 0 },
  });
  await store.heartbeat('n', 60_000);
  await store.claimPushes({ node: 'n', agents: [ECHO.id], limit: 1, perReceiver: 1, perOwner: 1, held: [] });
  const letter = {
    event: { number: 1, kind: 'task', body: '{}' },
    reason: 'The receiver responded with status 500',
    attempts: 9,
    time: 1,
  } as const;
  for (const id of ['a', 'b'])
    await store.notePush({
      taskId: 'one',
      configId: 'hook',
      node: 'n',
      fence: 1,
      told: 1,
      attempts: 0,
      givenUp: 1,
      deadLetter: { ...letter, id },
    });
  const handler = createHandler(ECHO, { store, log: silentLog });
  onTestFinished(() => handler.close());

  const letters = await handler.deadLetters();

  const expected = { ...letter, ...owner, taskId: 'one', configId: 'hook', receiver: 'example.com' };
  expect(letters).toEqual([
    { ...expected, id: 'a' },
    { ...expected, id: 'b' },
  ]);
  expect(JSON.stringify(letters)).not.toContain('secret');
  expect((await handler.deadLetters({ limit: 1, after: 'a' })).map(({ id }) => id)).toEqual(['b']);
  await expect(handler.redeliver('a')).rejects.toMatchObject({ code: 'PUSH_NOTIFICATION_NOT_SUPPORTED' });
  await handler.close();
  await expect(handler.redeliver('a')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});
