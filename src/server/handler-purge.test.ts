import { expect, onTestFinished, test } from 'vitest';
import type { AuditRecord } from '../observe/audit.ts';
import { silentLog } from '../observe/log.ts';
import { memoryStore } from '../store/memory/store.ts';
import { agent } from './agent.ts';
import { createHandler } from './handler.ts';

const ECHO = agent({ name: 'Echo', description: 'Says it again.', run: async ({ text }) => text });

test('an operator deletes the data of one caller through the handler, and the audit log records it', async () => {
  const store = memoryStore();
  const records: AuditRecord[] = [];
  const audit = (record: AuditRecord): void => void records.push(record);
  const handler = createHandler(ECHO, { store, log: silentLog, audit });
  onTestFinished(() => handler.close());
  for (const owner of ['ann', 'bob'])
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

  expect(await handler.purge({ callerId: 'ann', tenant: 'globex' })).toBe(0);
  expect(await handler.purge({ callerId: 'ann' })).toBe(1);

  expect(await store.read({ tenant: '', owner: 'ann' }, 'ann')).toBeUndefined();
  expect(await store.read({ tenant: '', owner: 'bob' }, 'bob')).toBeDefined();
  expect(records.at(-1)).toMatchObject({ outcome: 'done', reason: 'purge', caller: 'ann', detail: '1 tasks' });
  await expect(handler.purge({ callerId: '' })).rejects.toThrow('purge({ callerId })');
});
