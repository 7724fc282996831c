import { SignJWT } from 'jose';
import { expect, test } from 'vitest';
import type { AgentClient, ErrorCode } from '../../src/index.ts';
import { serveAgentNative } from '../fixtures/peers/agent-native.ts';
import { eventually } from '../streams/eventually.ts';
import { connected, line } from './our-client-behaviours.ts';
import { all } from './peer.ts';

const ENDPOINT = 'POST /_agent-native/a2a';
const PROCESSOR = `${ENDPOINT}/_process-task`;

function jwt(secret: string, sub: string, aud: string): Promise<string> {
  const token = new SignJWT({ sub, aud }).setProtectedHeader({ alg: 'HS256' });
  return token.setExpirationTime('15m').sign(new TextEncoder().encode(secret));
}

test('our client finds the endpoint of agent-native, although the url of its card responds with 404', async () => {
  const { url, seen } = await serveAgentNative();
  const agent = await connected(url);
  expect(agent.card).toMatchObject({ name: 'Analytics Agent', skills: [{ id: 'run-query' }] });
  expect(await agent.ask('hi')).toBe('You said: hi');
  expect(agent.chosen).toMatchObject({ url: `${url}/_agent-native/a2a`, binding: 'JSONRPC', version: '0.3' });
  const before = seen.length;
  await agent.ask('hi');
  expect(seen.slice(before)).toEqual([ENDPOINT]);
});

test('our client streams the snapshots of agent-native, and gets the task by its id', async () => {
  const { url } = await serveAgentNative();
  const agent = await connected(url);
  const stream = agent.stream('report');
  expect((await all(stream)).map(line)).toEqual([
    'task working: One, ',
    'task working: One, two, ',
    'task working: One, two, three.',
    'task completed: One, two, three.',
  ]);
  expect(await agent.get(stream.task?.id ?? '')).toMatchObject({ status: { state: 'TASK_STATE_COMPLETED' } });
  expect(new Set(agent.warnings.map(({ code }) => code))).toEqual(
    new Set(['member-missing', 'kind-missing', 'message-id-missing', 'part-type-tag']),
  );
});

test('our client polls a queued task of agent-native from a handle, and the task runs once', async () => {
  const { url, gate, seen } = await serveAgentNative();
  const agent = await connected(url);
  const { handle = '', state } = await agent.send('wait', { wait: 'none' });
  expect(state).toBe('working');
  const again = await connected(handle);
  const reply = again.task(handle).wait({ wait: 'poll' });
  const polls = seen.length;
  await eventually(() => seen.length > polls);
  gate.resolve();
  expect(await reply).toMatchObject({ state: 'completed', text: 'Went on.' });
  expect(seen.filter((one) => one === PROCESSOR)).toHaveLength(1);
});

test('ask() polls an agent-native server without streaming', async () => {
  const { url, seen } = await serveAgentNative({ streaming: false });
  const agent = await connected(url);
  expect(await agent.ask('report')).toBe('One, two, three.');
  expect(seen).toContain(PROCESSOR);
  // The first request sends the message, the others poll.
  expect(seen.filter((one) => one === ENDPOINT).length).toBeGreaterThan(1);
});

test('our client polls after a broken stream of agent-native', async () => {
  const { url, gate, cut } = await serveAgentNative();
  const agent = await connected(url);
  const events: string[] = [];
  for await (const event of agent.stream('wait')) {
    events.push(line(event));
    if (events.length > 1) continue;
    cut();
    gate.resolve();
  }
  expect(events[0]).toBe('task working: Waiting…');
  expect(events.at(-1)).toBe('status completed: Went on.');
});

test('our client gives ids to the artifacts of agent-native, which have none', async () => {
  const { url } = await serveAgentNative();
  const agent = await connected(url);
  const { task, text } = await agent.send('chart');
  expect([text, task?.artifacts]).toEqual([
    '▁▃▇',
    [{ artifactId: 'artifact-0', name: 'chart', parts: [{ text: '▁▃▇' }] }],
  ]);
});

test('send() to agent-native keeps the contextId', async () => {
  const { url } = await serveAgentNative();
  const agent = await connected(url);
  expect(await agent.send('hi', { contextId: 'c' })).toMatchObject({ contextId: 'c' });
});

test('a question of agent-native is input-required when polled, and a completed task when streamed', async () => {
  const { url } = await serveAgentNative();
  const agent = await connected(url);
  expect(await agent.send('ask', { wait: 'poll' })).toMatchObject({ state: 'input-required', text: 'Which month?' });
  expect(await agent.send('ask', { wait: 'stream' })).toMatchObject({ state: 'completed', text: 'Which month?' });
});

test('an exception in agent-native is an error when streamed, and a failed task when polled', async () => {
  const { url } = await serveAgentNative();
  const agent = await connected(url);
  await expect(agent.send('fail')).rejects.toMatchObject({ code: 'INTERNAL_ERROR', message: 'The query broke' });
  expect(await agent.send('fail', { wait: 'poll' })).toMatchObject({ state: 'failed', text: 'The query broke' });
});

test('our client cancels a running task of agent-native, and the task stays canceled', async () => {
  const { url, gate } = await serveAgentNative();
  const agent = await connected(url);
  const { task } = await agent.send('wait', { wait: 'none' });
  const canceled = { status: { state: 'TASK_STATE_CANCELED' } };
  expect(await agent.cancel(task?.id ?? '')).toMatchObject(canceled);
  gate.resolve();
  expect(await agent.get(task?.id ?? '')).toMatchObject(canceled);
});

test.each<[string, ErrorCode, (agent: AgentClient, id: string) => Promise<unknown>]>([
  ['getting an unknown task', 'TASK_NOT_FOUND', (agent) => agent.get('unknown')],
  ['canceling an unknown task', 'TASK_NOT_FOUND', (agent) => agent.cancel('unknown')],
  ['listing tasks', 'METHOD_NOT_FOUND', (agent) => agent.list()],
])('%s at agent-native rejects with %s', async (_, code, call) => {
  const { url } = await serveAgentNative();
  const agent = await connected(url);
  const { task } = await agent.send('hi');
  await expect(call(agent, task?.id ?? '')).rejects.toMatchObject({ code });
});

test('subscribe() to an ended task of agent-native yields the task, although agent-native has no subscriptions', async () => {
  const { url } = await serveAgentNative();
  const agent = await connected(url);
  const { task } = await agent.send('hi');
  expect(await all(agent.task(task?.id ?? '').subscribe())).toMatchObject([{ type: 'task', state: 'completed' }]);
});

test('our client authenticates to agent-native with a JWT or a key, and gets only its own tasks', async () => {
  const { url } = await serveAgentNative({ secret: 's', key: 'k' });
  const as = (name: string) => connected(url, { auth: () => jwt('s', `${name}@example.com`, url) });
  const [ann, bob] = [await as('ann'), await as('bob')];
  const { task, state } = await ann.send('hi');
  expect(state).toBe('completed');
  expect(await ann.get(task?.id ?? '')).toMatchObject({ id: task?.id });
  await expect(bob.get(task?.id ?? '')).rejects.toMatchObject({ code: 'TASK_NOT_FOUND' });
  expect(await (await connected(url, { auth: ['old', 'k'] })).ask('hi')).toBe('You said: hi');
});

test.each<[string, string | undefined]>([
  ['no token', undefined],
  ['a wrong token', 'wrong'],
])(
  'our client rejects with UNAUTHENTICATED when agent-native responds to %s with its error for unknown tasks',
  async (_, auth) => {
    const { url } = await serveAgentNative({ secret: 's' });
    const agent = await connected(url, auth === undefined ? {} : { auth });
    await expect(agent.ask('hi')).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  },
);
