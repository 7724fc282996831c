import { expect, test } from 'vitest';
import type { ErrorCode } from '../../src/index.ts';
import type { AgentClient } from '../../src/index.ts';
import { serveSelectools } from '../fixtures/peers/selectools.ts';
import { connected, line } from './our-client-behaviours.ts';
import { all } from './peer.ts';

test('our client finds the endpoint of selectools, whose card has an empty url', async () => {
  const { url, seen } = await serveSelectools();
  const agent = await connected(url);
  expect(agent.card.name).toBe('researcher');
  expect(agent.chosen).toMatchObject({ url: `${url}/a2a`, binding: 'JSONRPC', version: '0.2' });
  expect(agent.warnings.map(({ code }) => code)).toEqual(['address-empty']);
  expect(await agent.ask('hi')).toBe('You asked: hi');
  expect(seen).toEqual(['GET /.well-known/agent-card.json', 'GET /.well-known/agent.json', 'POST /a2a']);
});

test.each(['poll', 'block', 'none'] as const)('send() to selectools needs one request (wait: %s)', async (wait) => {
  const { url, seen, gate } = await serveSelectools();
  const agent = await connected(url);
  gate.resolve();
  const reply = await agent.send('wait', { wait, contextId: 'c' });
  expect(reply).toMatchObject({ state: 'completed', text: 'You asked: wait', contextId: 'c' });
  expect(seen.filter((one) => one === 'POST /a2a')).toHaveLength(1);
  expect(await agent.get(reply.task?.id ?? '')).toEqual(reply.task);
});

test('stream() to selectools, which has no streaming, yields the completed task', async () => {
  const { url } = await serveSelectools();
  const agent = await connected(url);
  expect((await all(agent.stream('hi'))).map(line)).toEqual(['task completed: You asked: hi']);
});

test('our client sends text and data parts to selectools, and no file', async () => {
  const { url } = await serveSelectools();
  const agent = await connected(url);
  const parts = [{ data: { b: 1 } }, { raw: 'aGk=', mediaType: 'text/plain' }];
  expect(await agent.ask({ text: 'a', parts })).toBe('You asked: a\n{"b":1}');
});

test('send() to selectools resolves to a failed task, and ask() rejects with TASK_FAILED', async () => {
  const { url } = await serveSelectools();
  const agent = await connected(url);
  const text = 'Agent execution failed (RuntimeError)';
  const reply = await agent.send('fail');
  expect(reply).toMatchObject({ state: 'failed', text });
  expect(await agent.get(reply.task?.id ?? '')).toEqual(reply.task);
  await expect(agent.ask('fail')).rejects.toMatchObject({ code: 'TASK_FAILED', message: text });
});

test.each<[string, ErrorCode, (agent: AgentClient, id: string) => Promise<unknown>]>([
  ['canceling an ended task', 'TASK_NOT_CANCELABLE', (agent, id) => agent.cancel(id)],
  ['canceling an unknown task', 'TASK_NOT_FOUND', (agent) => agent.cancel('unknown')],
  ['getting an unknown task', 'TASK_NOT_FOUND', (agent) => agent.get('unknown')],
  ['listing tasks', 'METHOD_NOT_FOUND', (agent) => agent.list()],
  [
    'setting a push configuration',
    'METHOD_NOT_FOUND',
    (agent, id) => agent.pushConfigs.set(id, { url: 'https://example.com' }),
  ],
  ['sending no text', 'INVALID_PARAMS', (agent) => agent.ask({ parts: [{ data: 1 }] })],
])('%s at selectools rejects with %s', async (_, code, call) => {
  const { url } = await serveSelectools();
  const agent = await connected(url);
  const { task } = await agent.send('hi');
  await expect(call(agent, task?.id ?? '')).rejects.toMatchObject({ code });
});

test('subscribe() to an ended task of selectools yields the task, although selectools has no subscriptions', async () => {
  const { url } = await serveSelectools();
  const agent = await connected(url);
  const { task } = await agent.send('hi');
  expect(await all(agent.task(task?.id ?? '').subscribe())).toMatchObject([{ type: 'task', state: 'completed' }]);
});

test('our client authenticates to selectools with one of two tokens, and rejects with UNAUTHENTICATED without one', async () => {
  const { url } = await serveSelectools({ token: 'sk-1' });
  expect(await (await connected(url, { auth: 'sk-1' })).ask('hi')).toBe('You asked: hi');
  expect(await (await connected(url, { auth: ['sk-2', 'sk-1'] })).ask('hi')).toBe('You asked: hi');
  await expect((await connected(url)).ask('hi')).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
});
