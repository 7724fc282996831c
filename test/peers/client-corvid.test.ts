import { expect, test } from 'vitest';
import type { AgentClient, ErrorCode } from '../../src/index.ts';
import { serveCorvid } from '../fixtures/peers/corvid.ts';
import { eventually } from '../streams/eventually.ts';
import { connected, line } from './our-client-behaviours.ts';
import { all } from './peer.ts';

const SEND = 'POST /a2a/tasks/send';

test('our client finds the endpoint of corvid, although its card names no endpoint of A2A', async () => {
  const { url, seen } = await serveCorvid();
  const agent = await connected(url);
  expect(agent.card).toMatchObject({ name: 'CorvidAgent', skills: [{ id: 'corvid_web_search' }] });
  expect(await agent.ask('hi')).toBe('You said: hi');
  expect(agent.chosen).toMatchObject({ url, binding: 'HTTP+JSON', version: '0.1' });
  const before = seen.length;
  expect(await agent.ask('report')).toBe('Three.');
  expect(seen.slice(before).every((one) => one === SEND || one.startsWith('GET /a2a/tasks/'))).toBe(true);
  expect(seen.filter((one) => one === SEND)).toHaveLength(2);
});

test('stream() polls corvid, whose card claims streaming that it does not have', async () => {
  const { url } = await serveCorvid();
  const agent = await connected(url);
  expect((await all(agent.stream('hi'))).map(line)).toEqual(['task working', 'status completed: You said: hi']);
  expect((await all(agent.stream('fail'))).map(line)).toEqual(['task working', 'status failed']);
});

test('our client waits for a task of corvid from a handle', async () => {
  const { url, gate, seen } = await serveCorvid();
  const agent = await connected(url);
  const { handle = '', task, state } = await agent.send('wait', { wait: 'none' });
  expect(state).toBe('working');
  const again = await connected(handle);
  const reply = again.task(handle).wait();
  const polls = seen.length;
  await eventually(() => seen.length > polls);
  gate.resolve();
  expect(await reply).toMatchObject({ state: 'completed', text: 'You said: wait', contextId: task?.contextId });
  expect(seen.filter((one) => one === SEND)).toHaveLength(1);
});

test('send() passes metadata.timeoutMs to corvid, and the task fails when it takes longer', async () => {
  const { url } = await serveCorvid();
  const agent = await connected(url);
  const reply = await agent.send('wait', { metadata: { timeoutMs: 1 } });
  expect(reply).toMatchObject({ state: 'failed', text: 'Task timed out' });
});

test.each<[string, ErrorCode, (agent: AgentClient, id: string) => Promise<unknown>]>([
  ['getting an unknown task', 'TASK_NOT_FOUND', (agent) => agent.get('unknown')],
  ['canceling', 'METHOD_NOT_FOUND', (agent, id) => agent.cancel(id)],
  ['listing tasks', 'METHOD_NOT_FOUND', (agent) => agent.list()],
  ['sending no text', 'INVALID_PARAMS', (agent) => agent.ask({ parts: [{ data: 1 }] })],
])('%s at corvid rejects with %s', async (_, code, call) => {
  const { url } = await serveCorvid();
  const agent = await connected(url);
  const { task } = await agent.send('hi');
  await expect(call(agent, task?.id ?? '')).rejects.toMatchObject({ code });
});

test('subscribe() to an ended task of corvid yields the task, although corvid has no subscriptions', async () => {
  const { url } = await serveCorvid();
  const agent = await connected(url);
  const { task } = await agent.send('hi');
  expect(await all(agent.task(task?.id ?? '').subscribe())).toMatchObject([{ type: 'task', state: 'completed' }]);
});

test.each<[string, ErrorCode | 'You said: hi', string | undefined]>([
  ['its key', 'You said: hi', 'k'],
  ['another key', 'PERMISSION_DENIED', 'other'],
  ['no key', 'UNAUTHENTICATED', undefined],
])('ask() to corvid with %s resolves or rejects with %j', async (_, outcome, auth) => {
  const { url } = await serveCorvid({ key: 'k' });
  const agent = await connected(url, auth === undefined ? {} : { auth });
  const outcomeOfAsk = await agent.ask('hi').catch((error: { readonly code: string }) => error.code);
  expect(outcomeOfAsk).toBe(outcome);
});

test('our client reports a rate limit of corvid without a retry', async () => {
  const { url, seen } = await serveCorvid({ requestsPerMinute: 1 });
  const agent = await connected(url);
  await agent.ask('hi');
  await expect(agent.ask('hi')).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
  expect(seen.filter((one) => one === SEND)).toHaveLength(2);
});
