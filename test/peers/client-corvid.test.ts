import { expect, test } from 'vitest';
import type { AgentClient, ErrorCode } from '../../src/index.ts';
import { serveCorvid } from '../fixtures/peers/corvid.ts';
import { eventually } from '../streams/eventually.ts';
import { connected, line } from './client-behaviours.ts';
import { all } from './peer.ts';

const SEND = 'POST /a2a/tasks/send';

test('our client finds corvid, where nobody speaks what its card says', async () => {
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

test('the streams that the card of corvid promises are made by asking', async () => {
  const { url } = await serveCorvid();
  const agent = await connected(url);
  expect((await all(agent.stream('hi'))).map(line)).toEqual(['task working', 'status completed: You said: hi']);
  expect((await all(agent.stream('fail'))).map(line)).toEqual(['task working', 'status failed']);
});

test('a task of corvid is waited for, later and from elsewhere', async () => {
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

test('corvid is told how long it may take, and fails when it takes longer', async () => {
  const { url } = await serveCorvid();
  const agent = await connected(url);
  const reply = await agent.send('wait', { metadata: { timeoutMs: 1 } });
  expect(reply).toMatchObject({ state: 'failed', text: 'Task timed out' });
});

test.each<[string, ErrorCode, (agent: AgentClient, id: string) => Promise<unknown>]>([
  ['get what is not there', 'TASK_NOT_FOUND', (agent) => agent.get('unknown')],
  ['cancel', 'METHOD_NOT_FOUND', (agent, id) => agent.cancel(id)],
  ['list', 'METHOD_NOT_FOUND', (agent) => agent.list()],
  ['send no text', 'INVALID_PARAMS', (agent) => agent.ask({ parts: [{ data: 1 }] })],
])('nobody can %s at corvid', async (_, code, call) => {
  const { url } = await serveCorvid();
  const agent = await connected(url);
  const { task } = await agent.send('hi');
  await expect(call(agent, task?.id ?? '')).rejects.toMatchObject({ code });
});

test('subscribe() to an ended task of corvid gives the task, although corvid has no subscriptions', async () => {
  const { url } = await serveCorvid();
  const agent = await connected(url);
  const { task } = await agent.send('hi');
  expect(await all(agent.task(task?.id ?? '').subscribe())).toMatchObject([{ type: 'task', state: 'completed' }]);
});

test.each<[string, ErrorCode | 'You said: hi', string | undefined]>([
  ['the key', 'You said: hi', 'k'],
  ['another key', 'PERMISSION_DENIED', 'other'],
  ['no key', 'UNAUTHENTICATED', undefined],
])('corvid meets %s', async (_, outcome, auth) => {
  const { url } = await serveCorvid({ key: 'k' });
  const agent = await connected(url, auth === undefined ? {} : { auth });
  const said = await agent.ask('hi').catch((error: { readonly code: string }) => error.code);
  expect(said).toBe(outcome);
});

test('corvid has a limit, and is not asked again by itself', async () => {
  const { url, seen } = await serveCorvid({ requestsPerMinute: 1 });
  const agent = await connected(url);
  await agent.ask('hi');
  await expect(agent.ask('hi')).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
  expect(seen.filter((one) => one === SEND)).toHaveLength(2);
});
