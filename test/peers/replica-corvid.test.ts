import { expect, test } from 'vitest';
import { type Ask, exchange } from '../e2e/kit/exchange.ts';
import { serveCorvid } from '../fixtures/peers/corvid.ts';
import { eventually } from '../streams/eventually.ts';

interface Flat {
  readonly id: string;
  readonly state: string;
  readonly messages: readonly { readonly role: string; readonly parts: readonly { readonly text: string }[] }[];
}

const send = (body: unknown, headers = {}): Ask => ({ method: 'POST', path: '/a2a/tasks/send', body, headers });

/** Polls a task until it has ended. */
async function ended(url: string, id: string): Promise<Flat> {
  let task: Flat | undefined;
  await eventually(async () => {
    task = (await exchange(url, { method: 'GET', path: `/a2a/tasks/${id}` })).json as Flat;
    return task.state !== 'working';
  });
  return task as Flat;
}

function textsIn({ messages }: Flat): readonly string[] {
  return messages.map(({ role, parts }) => `${role}: ${parts.map(({ text }) => text).join('')}`);
}

test.each([
  [{ message: 'hi' }, 'completed', ['user: hi', 'agent: You said: hi']],
  [{ params: { message: 'hi', skill: 'ignored' } }, 'completed', ['user: hi', 'agent: You said: hi']],
  [{ message: 'report' }, 'completed', ['user: report', 'agent: One, two.', 'agent: Three.']],
  [{ message: 'fail' }, 'failed', ['user: fail']],
  [{ message: 'wait', timeoutMs: 1 }, 'failed', ['user: wait', 'agent: Task timed out']],
])('the corvid replica responds to %j at once, and the task ends as %s', async (body, state, texts) => {
  const { url } = await serveCorvid();
  const { status, json } = await exchange(url, send(body));
  expect([status, json]).toMatchObject([200, { state: 'working', sessionId: expect.any(String) }]);
  expect(json).toMatchObject({ messages: [{ role: 'user', parts: [{ type: 'text' }] }] });
  const task = await ended(url, (json as Flat).id);
  expect([task.state, textsIn(task)]).toEqual([state, texts]);
});

test('a task of the corvid replica completes when the gate opens, and a late error makes it fail', async () => {
  const { url, gate, failLate } = await serveCorvid();
  const { id } = (await exchange(url, send({ message: 'wait' }))).json as Flat;
  const get = async () => (await exchange(url, { method: 'GET', path: `/a2a/tasks/${id}` })).json;
  expect(await get()).toMatchObject({ state: 'working' });
  gate.resolve();
  expect((await ended(url, id)).state).toBe('completed');
  failLate(id);
  expect(await get()).toMatchObject({ state: 'failed' });
});

test.each<[string, Ask, number]>([
  ['a request without a message', send({}), 400],
  ['a blank message', send({ message: ' ' }), 400],
  ['a body that is not JSON', send('{'), 400],
  ['a wrong key', send({ message: 'hi' }, { authorization: 'Bearer other' }), 403],
  ['an unknown task', { method: 'GET', path: '/a2a/tasks/x' }, 404],
  ['a request to the url of its card', { method: 'POST', path: '/', body: {} }, 404],
])('the corvid replica rejects %s', async (_, ask, status) => {
  const { url } = await serveCorvid({ key: 'k' });
  const response = await exchange(url, { ...ask, headers: { authorization: 'Bearer k', ...ask.headers } });
  expect([response.status, response.json]).toEqual([status, { error: expect.any(String) }]);
});

test('the corvid replica responds with 401 without a key, and with 429 over its rate limit', async () => {
  const { url } = await serveCorvid({ key: 'k', requestsPerMinute: 1 });
  const { status, headers } = await exchange(url, send({ message: 'hi' }));
  expect([status, headers['www-authenticate']]).toEqual([401, 'Bearer']);
  const statuses = [];
  for (const message of ['one', 'two']) {
    statuses.push((await exchange(url, send({ message }, { authorization: 'Bearer k' }))).status);
  }
  expect(statuses).toEqual([200, 429]);
});

test('the corvid replica serves its card without a key, and the card claims streaming', async () => {
  const { url } = await serveCorvid({ key: 'k' });
  const { json } = await exchange(url, { method: 'GET', path: '/.well-known/agent-card.json' });
  expect(json).toMatchObject({ url, capabilities: { streaming: true }, authentication: { schemes: ['Bearer'] } });
  expect(json).not.toHaveProperty('protocolVersion');
});
