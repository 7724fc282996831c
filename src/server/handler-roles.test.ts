import { expect, onTestFinished, test } from 'vitest';
import { memoryStore } from '../store/memory/store.ts';
import type { Store } from '../store/store.ts';
import { agent } from '../agent/agent.ts';
import { type AgentHandler, createHandler } from './handler.ts';
import type { Role } from './options/handler-options.ts';

/** One process among several on the same store. Its role is part of the output. */
async function node(store: Store, role: Role): Promise<AgentHandler> {
  const worker = agent({ name: 'Worker', description: 'Works.', run: ({ text }) => `${text} by ${role}` });
  const handler = createHandler(worker, { store, role, publicUrl: 'http://agent.test', metrics: true });
  onTestFinished(() => handler.close());
  await handler.start();
  return handler;
}

function send(handler: AgentHandler, text: string, more: object = {}): Promise<Response> {
  const message = { messageId: text, role: 'ROLE_USER', parts: [{ text }] };
  return handler.fetch(
    new Request('http://agent.test/message:send', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
      body: JSON.stringify({ message, ...more }),
    }),
  );
}

test('a web node responds with the result of a worker', async () => {
  const store = memoryStore();
  const web = await node(store, 'web');
  await node(store, 'worker');
  const answer = await send(web, 'Said');

  expect(answer.status).toBe(200);
  expect(JSON.stringify(await answer.json())).toContain('Said by worker');
});

test('a web node accepts any number of tasks that no worker has claimed yet', async () => {
  const store = memoryStore();
  const web = await node(store, 'web');
  const configuration = { returnImmediately: true };
  const answers = await Promise.all(
    Array.from({ length: 300 }, (_, index) => send(web, `${index}`, { configuration })),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  await node(store, 'worker');

  const answer = await send(web, 'Last');
  expect(JSON.stringify(await answer.json())).toContain('Last by worker');
});

test('a worker serves only health, readiness and metrics', async () => {
  const worker = await node(memoryStore(), 'worker');
  const statuses = ['/healthz', '/readyz', '/metrics', '/.well-known/agent-card.json', '/tasks'].map(async (path) => {
    const { status } = await worker.fetch(new Request(`http://agent.test${path}`));
    return [path, status] as const;
  });

  expect(await Promise.all(statuses)).toEqual([
    ['/healthz', 200],
    ['/readyz', 200],
    // Metrics are only for authenticated callers and the same machine.
    ['/metrics', 403],
    ['/.well-known/agent-card.json', 404],
    ['/tasks', 404],
  ]);
  expect((await send(worker, 'Said')).status).toBe(404);
});

test('createHandler() rejects an unknown role', () => {
  const subject = agent({ name: 'Subject', description: 'Is served.', run: () => 'served' });
  expect(() => createHandler(subject, { role: 'boss' as Role })).toThrow(/role: expected "all" or "web" or "worker"/);
});
