import { expect, onTestFinished, test } from 'vitest';
import type { AuditRecord } from '../observe/audit.ts';
import { silentLog } from '../observe/log.ts';
import { memoryStore } from '../store/memory/store.ts';
import type { Store } from '../store/store.ts';
import { agent } from '../agent/agent.ts';
import { createHandler } from './handler.ts';

const ECHO = agent({ name: 'Echo', description: 'Says it again.', run: async ({ text }) => text });

async function addTask(store: Store, owner: string): Promise<void> {
  await store.create({
    tenant: '',
    owner,
    id: owner,
    contextId: 'c',
    agent: ECHO.id,
    status: { state: 'TASK_STATE_INPUT_REQUIRED' },
    origin: {},
    message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hello' }] },
    event: { kind: 'task', body: '{}' },
    createdAt: 0,
    wakeAt: Number.MAX_SAFE_INTEGER,
  });
}

test('an operator deletes the data of one caller through the handler, and the audit log records it', async () => {
  const store = memoryStore();
  const records: AuditRecord[] = [];
  const audit = (record: AuditRecord): void => void records.push(record);
  const handler = createHandler(ECHO, { store, log: silentLog, audit });
  onTestFinished(() => handler.close());
  for (const owner of ['ann', 'bob']) await addTask(store, owner);

  expect(await handler.purge({ callerId: 'ann', tenant: 'globex' })).toBe(0);
  expect(await handler.purge({ callerId: 'ann' })).toBe(1);

  expect(await store.read({ tenant: '', owner: 'ann' }, 'ann')).toBeUndefined();
  expect(await store.read({ tenant: '', owner: 'bob' }, 'bob')).toBeDefined();
  expect(records.at(-1)).toMatchObject({ outcome: 'done', reason: 'purge', caller: 'ann', detail: '1 task' });
  expect(records.at(-1)).not.toHaveProperty('tenant');
  expect(records.at(-2)).toMatchObject({ reason: 'purge', caller: 'ann', tenant: 'globex', detail: '0 tasks' });
  await expect(handler.purge({ callerId: '' })).rejects.toThrow('purge({ callerId })');
});

test('the audit log records a purge that fails, with the number of tasks that it deleted', async () => {
  const store = memoryStore();
  const records: AuditRecord[] = [];
  const purge = store.purge.bind(store);
  let purges = 0;
  store.purge = async (scope, limit) => {
    if (++purges > 1) throw new Error('The disk is gone');
    return purge(scope, limit);
  };
  const handler = createHandler(ECHO, { store, log: silentLog, audit: (record) => void records.push(record) });
  onTestFinished(() => handler.close());
  await addTask(store, 'ann');

  await expect(handler.purge({ callerId: 'ann' })).rejects.toThrow('The disk is gone');

  expect(records).toMatchObject([{ outcome: 'done', reason: 'purge', caller: 'ann', detail: '1 task, incomplete' }]);
});
