/** A handler loads its modules with the first request, and loading can fail. */
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { silentLog } from '../observe/log.ts';
import { memoryStore } from '../store/memory/store.ts';
import { agent } from '../agent/agent.ts';
import { type AgentHandler, createHandler } from './handler.ts';

afterEach(() => {
  vi.doUnmock('./open-host.ts');
  vi.doUnmock('./serverless/serverless.ts');
});

const ECHO = agent({ name: 'Echo', description: 'Says it again.', run: ({ text }) => text });
const SERVERLESS = { secret: 'a secret that only this agent has' };

function failToLoad(path: string): void {
  vi.doMock(path, () => {
    throw new Error('The disk is on fire');
  });
}

function get(handler: AgentHandler): Promise<Response> {
  return handler.fetch(new Request('http://localhost/readyz'));
}

test('the next request loads the modules again after a failure', async () => {
  failToLoad('./open-host.ts');
  const handler = createHandler(ECHO, { store: memoryStore(), log: silentLog });
  onTestFinished(() => handler.close());
  const answer = await get(handler);
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
  vi.doUnmock('./open-host.ts');
  expect((await get(handler)).status).toBe(200);
});

test('a handler that could not load can be closed, and responds with 503', async () => {
  failToLoad('./open-host.ts');
  const handler = createHandler(ECHO, { store: memoryStore(), log: silentLog });
  await get(handler);
  await expect(handler.close()).resolves.toBeUndefined();
  expect((await get(handler)).status).toBe(503);
});

test('the engine is closed if serverless cannot load', async () => {
  failToLoad('./serverless/serverless.ts');
  const store = memoryStore();
  const retire = vi.spyOn(store, 'retire');
  const options = { store, log: silentLog, publicUrl: 'http://localhost', serverless: SERVERLESS };
  const handler = createHandler(ECHO, options);
  onTestFinished(() => handler.close());
  expect((await get(handler)).status).toBe(503);
  expect(retire).toHaveBeenCalledTimes(1);
  vi.doUnmock('./serverless/serverless.ts');
  expect((await get(handler)).status).toBe(200);
});
