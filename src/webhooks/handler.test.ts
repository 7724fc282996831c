import { expect, test } from 'vitest';
import type { Log } from '../observe/log.ts';
import { createWebhookHandler } from './handler.ts';

const STATUS = { state: 'TASK_STATE_WORKING', timestamp: '2026-03-12T10:00:00.000Z' };
const INCOMING = {
  method: 'POST',
  header: () => undefined,
  body: JSON.stringify({ statusUpdate: { taskId: 'task-1', contextId: 'c', status: STATUS } }),
};

function failing(log: Log) {
  const onEvent = (): never => {
    throw new Error('Wrong password: Bearer abc123def456');
  };
  return createWebhookHandler({ insecure: true, onEvent, log });
}

test('a log that throws does not change the response', async () => {
  const broken = (): never => {
    throw new Error('The disk is full');
  };
  const handler = failing({ info: broken, warn: broken, error: broken });
  expect(await handler.receive(INCOMING)).toMatchObject({ status: 500 });
});

test('log events about notifications contain no secrets', async () => {
  const logged: unknown[] = [];
  const handler = failing({ info() {}, warn() {}, error: (_, fields) => logged.push(fields?.['error']) });
  await handler.receive(INCOMING);
  expect(logged).toHaveLength(1);
  expect(String(logged[0])).not.toContain('abc123def456');
});
