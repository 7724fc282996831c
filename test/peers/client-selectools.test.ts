import { expect, test } from 'vitest';
import type { ErrorCode } from '../../src/index.ts';
import type { AgentClient } from '../../src/index.ts';
import { serveSelectools } from '../fixtures/peers/selectools.ts';
import { connected, line } from './client-behaviours.ts';
import { all } from './peer.ts';

test('our client finds selectools, whose card names no address', async () => {
  const { url, seen } = await serveSelectools();
  const agent = await connected(url);
  expect(agent.card.name).toBe('researcher');
  expect(agent.chosen).toMatchObject({ url: `${url}/a2a`, binding: 'JSONRPC', version: '0.2' });
  expect(agent.warnings.map(({ code }) => code)).toEqual(['address-empty']);
  expect(await agent.ask('hi')).toBe('You asked: hi');
  expect(seen).toEqual(['GET /.well-known/agent-card.json', 'GET /.well-known/agent.json', 'POST /a2a']);
});

test.each(['poll', 'block', 'none'] as const)('selectools answers in one request, by way of %s', async (wait) => {
  const { url, seen, gate } = await serveSelectools();
  const agent = await connected(url);
  gate.resolve();
  const reply = await agent.send('wait', { wait, contextId: 'c' });
  expect(reply).toMatchObject({ state: 'completed', text: 'You asked: wait', contextId: 'c' });
  expect(seen.filter((one) => one === 'POST /a2a')).toHaveLength(1);
  expect(await agent.get(reply.task?.id ?? '')).toEqual(reply.task);
});

test('selectools has no streams, and its one answer is one all the same', async () => {
  const { url } = await serveSelectools();
  const agent = await connected(url);
  expect((await all(agent.stream('hi'))).map(line)).toEqual(['task completed: You asked: hi']);
});

test('selectools gets texts and data, and no files', async () => {
  const { url } = await serveSelectools();
  const agent = await connected(url);
  const parts = [{ data: { b: 1 } }, { raw: 'aGk=', mediaType: 'text/plain' }];
  expect(await agent.ask({ text: 'a', parts })).toBe('You asked: a\n{"b":1}');
});

test('a failure of selectools is a value, or an error', async () => {
  const { url } = await serveSelectools();
  const agent = await connected(url);
  const text = 'Agent execution failed (RuntimeError)';
  const reply = await agent.send('fail');
  expect(reply).toMatchObject({ state: 'failed', text });
  expect(await agent.get(reply.task?.id ?? '')).toEqual(reply.task);
  await expect(agent.ask('fail')).rejects.toMatchObject({ code: 'TASK_FAILED', message: text });
});

test.each<[string, ErrorCode, (agent: AgentClient, id: string) => Promise<unknown>]>([
  ['cancel', 'TASK_NOT_CANCELABLE', (agent, id) => agent.cancel(id)],
  ['cancel what is not there', 'TASK_NOT_FOUND', (agent) => agent.cancel('unknown')],
  ['get what is not there', 'TASK_NOT_FOUND', (agent) => agent.get('unknown')],
  ['list', 'METHOD_NOT_FOUND', (agent) => agent.list()],
  ['be notified', 'METHOD_NOT_FOUND', (agent, id) => agent.pushConfigs.set(id, { url: 'https://example.com' })],
  ['send no text', 'INVALID_PARAMS', (agent) => agent.ask({ parts: [{ data: 1 }] })],
])('nobody can %s at selectools', async (_, code, call) => {
  const { url } = await serveSelectools();
  const agent = await connected(url);
  const { task } = await agent.send('hi');
  await expect(call(agent, task?.id ?? '')).rejects.toMatchObject({ code });
});

test('subscribe() to an ended task of selectools gives the task, although selectools has no subscriptions', async () => {
  const { url } = await serveSelectools();
  const agent = await connected(url);
  const { task } = await agent.send('hi');
  expect(await all(agent.task(task?.id ?? '').subscribe())).toMatchObject([{ type: 'task', state: 'completed' }]);
});

test('selectools wants its token, and tells nothing else without it', async () => {
  const { url } = await serveSelectools({ token: 'sk-1' });
  expect(await (await connected(url, { auth: 'sk-1' })).ask('hi')).toBe('You asked: hi');
  expect(await (await connected(url, { auth: ['sk-2', 'sk-1'] })).ask('hi')).toBe('You asked: hi');
  await expect((await connected(url)).ask('hi')).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
});
