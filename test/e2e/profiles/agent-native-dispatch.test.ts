/** The signed request of an agent to itself, at the path that agent-native documents. */
import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';

import { agent } from '../../../src/agent/agent.ts';
import { SECRET, startHost, URL_OF_AGENT } from '../serverless/host.ts';

const PATH = '/_agent-native/a2a';
const echo = agent({ name: 'Echo', description: 'Returns the text.', run: ({ text }) => `${text}!` });

function start() {
  return startHost(echo, { profile: 'agent-native' });
}

/** A token as agent-native signs it. */
function tokenOf(taskId: string, signedAt = Date.now(), secret = SECRET): Record<string, string> {
  const signature = createHmac('sha256', secret).update(`${taskId}:${signedAt}`).digest('hex');
  return { authorization: `Bearer ${signedAt}.${signature}` };
}

async function sendAsync(host: ReturnType<typeof start>): Promise<string> {
  const message = { role: 'user', parts: [{ type: 'text', text: 'hello' }] };
  const body = { jsonrpc: '2.0', id: 1, method: 'message/send', params: { message, async: true } };
  const headers = { 'content-type': 'application/json' };
  const response = await host.fetch(PATH, { method: 'POST', headers, body: JSON.stringify(body) });
  const { result } = (await response.json()) as { readonly result: { readonly id: string } };
  return result.id;
}

test('async: true dispatches the task to _process-task of the agent itself', async () => {
  const host = start();
  const id = await sendAsync(host);
  await host.settled();
  expect(host.own.map(({ method, url }) => [method, url])).toEqual([['POST', `${URL_OF_AGENT}${PATH}/_process-task`]]);
  expect(await host.stateOf(id)).toBe('completed');
});

test('_process-task runs a task for a token that agent-native has signed with the same secret', async () => {
  const network = { isDown: true };
  const host = startHost(echo, { profile: 'agent-native' }, network);
  const id = await sendAsync(host);
  expect(await host.stateOf(id)).toBe('submitted');
  const response = await host.post(`${PATH}/_process-task`, { taskId: id }, tokenOf(id));
  expect(response.status).toBe(204);
  expect(await host.stateOf(id)).toBe('completed');
});

const MINUTE_MS = 60_000;

test.each<[string, (id: string) => Record<string, string>]>([
  ['without a token', () => ({})],
  ['with a token for another task', () => tokenOf('another')],
  ['with a token of another secret', (id) => tokenOf(id, Date.now(), 'another secret of some length')],
  ['with a token that is older than five minutes', (id) => tokenOf(id, Date.now() - 5 * MINUTE_MS - 1)],
  ['with a token from more than a minute ahead', (id) => tokenOf(id, Date.now() + 2 * MINUTE_MS)],
])('_process-task rejects a request %s', async (_, headersOf) => {
  const host = startHost(echo, { profile: 'agent-native' }, { isDown: true });
  const id = await sendAsync(host);
  const response = await host.post(`${PATH}/_process-task`, { taskId: id }, headersOf(id));
  expect(response.status).toBe(401);
  expect(await host.stateOf(id)).toBe('submitted');
});

test('_process-task accepts only POST, and does not exist without the profile', async () => {
  expect((await start().fetch(`${PATH}/_process-task`)).status).toBe(405);
  expect((await startHost(echo).post(`${PATH}/_process-task`, {})).status).toBe(404);
});

test('a token that agent-native has signed is not accepted at the path of other agents', async () => {
  const host = startHost(echo, {}, { isDown: true });
  const task = await host.send('hello');
  expect((await host.post('/_tandem/run', { taskId: task.id }, tokenOf(task.id))).status).toBe(401);
});
