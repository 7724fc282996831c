/** Parts of a handler are loaded when there is work, which may fail as anything that is read from a disk or a network. */
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { silentLog } from '../observe/log.ts';
import { memoryStore } from '../store/memory/store.ts';
import { agent } from './agent.ts';
import { type AgentHandler, createHandler } from './handler.ts';

afterEach(() => {
  vi.doUnmock('./workings.ts');
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

test('what could not be loaded is loaded by the next request', async () => {
  failToLoad('./workings.ts');
  const handler = createHandler(ECHO, { store: memoryStore(), log: silentLog });
  onTestFinished(() => handler.close());
  const answer = await get(handler);
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
  vi.doUnmock('./workings.ts');
  expect((await get(handler)).status).toBe(200);
});

test('a handler that could not be loaded can be closed, and answers', async () => {
  failToLoad('./workings.ts');
  const handler = createHandler(ECHO, { store: memoryStore(), log: silentLog });
  await get(handler);
  await expect(handler.close()).resolves.toBeUndefined();
  expect((await get(handler)).status).toBe(503);
});

test('an engine that was started in vain is closed', async () => {
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
