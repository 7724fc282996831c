import { SignJWT } from 'jose';
import { expect, test } from 'vitest';
import { type Ask, exchange, openStream } from '../e2e/kit/exchange.ts';
import { type AgentNativeOptions, serveAgentNative } from '../fixtures/peers/agent-native.ts';
import { eventually } from '../streams/eventually.ts';
import { gist } from './gist.ts';

const PATH = '/_agent-native/a2a';

function call(method: string, params: unknown, headers = {}): Ask {
  return { method: 'POST', path: PATH, headers, body: { jsonrpc: '2.0', id: 9, method, params } };
}

function saying(text: string, tag: 'type' | 'kind' = 'type') {
  return { message: { role: 'user', parts: [{ [tag]: 'text', text }] } };
}

function jwt(secret: string, claims: Record<string, string> = {}): Promise<string> {
  const token = new SignJWT({ sub: 'ann@example.com', ...claims }).setProtectedHeader({ alg: 'HS256' });
  return token.setExpirationTime('15m').sign(new TextEncoder().encode(secret));
}

test.each([
  ['hi', 'task completed "You said: hi"', ['task working "You said: hi"', 'task completed "You said: hi"']],
  [
    'report',
    'task completed "One, two, three."',
    [
      'task working "One, "',
      'task working "One, two, "',
      'task working "One, two, three."',
      'task completed "One, two, three."',
    ],
  ],
  [
    'chart',
    'task completed "See the chart." [▁▃▇]',
    ['task working "See the chart." [▁▃▇]', 'task completed "See the chart." [▁▃▇]'],
  ],
  ['ask', 'task input-required "Which month?"', ['task working "Which month?"', 'task completed "Which month?"']],
  ['fail', 'error -32000', ['error -32000']],
])('agent-native answers %s, and streams whole tasks under the id 0', async (text, answer, events) => {
  const { url } = await serveAgentNative();
  const { json } = await exchange(url, call('message/send', saying(text)));
  expect([gist(json), json]).toMatchObject([answer, { id: 9 }]);
  const streamed = await (await openStream(url, call('message/stream', saying(text)))).rest();
  expect(streamed.map((event) => gist(event.json))).toEqual(events);
  expect(streamed.every((event) => (event.json as { readonly id: unknown }).id === 0)).toBe(true);
});

test.each([
  ['hi', 'task completed "You said: hi"'],
  ['fail', 'task failed "The query broke"'],
  ['ask', 'task input-required "Which month?"'],
])('agent-native queues %s, runs it elsewhere, and is polled', async (text, end) => {
  const { url, seen } = await serveAgentNative();
  const { json } = await exchange(url, call('message/send', { ...saying(text), async: true }));
  expect(gist(json)).toBe('task working');
  const { id } = (json as { readonly result: { readonly id: string } }).result;
  await eventually(async () => gist((await exchange(url, call('tasks/get', { id }))).json) === end);
  expect(seen.filter((one) => one === `POST ${PATH}/_process-task`)).toHaveLength(1);
});

test('agent-native leaks the state of its queue, and cancels whatever the state is', async () => {
  const { url, gate } = await serveAgentNative();
  const { json } = await exchange(url, call('message/send', { ...saying('wait'), async: true }));
  const { id } = (json as { readonly result: { readonly id: string } }).result;
  const get = async () => gist((await exchange(url, call('tasks/get', { id }))).json);
  await eventually(async () => (await get()) === 'task processing');
  expect(gist((await exchange(url, call('tasks/cancel', { id }))).json)).toBe('task canceled');
  gate.resolve();
  expect(await get()).toBe('task canceled');
});

test('agent-native has no kinds and no ids but those of tasks', async () => {
  const { url } = await serveAgentNative();
  const { json } = await exchange(url, call('message/send', { ...saying('chart'), contextId: 'c' }));
  expect((json as { readonly result: unknown }).result).toEqual({
    id: expect.any(String),
    contextId: 'c',
    status: {
      state: 'completed',
      message: { role: 'agent', parts: [{ type: 'text', text: 'See the chart.' }] },
      timestamp: expect.any(String),
    },
    history: [saying('chart').message],
    artifacts: [{ name: 'chart', parts: [{ type: 'text', text: '▁▃▇' }] }],
  });
});

test.each<[string, Ask, AgentNativeOptions, number, string]>([
  [
    'parts tagged kind',
    call('message/send', saying('hi', 'kind')),
    {},
    200,
    'task completed "No text content in message"',
  ],
  ['no message', call('message/send', {}), {}, 200, 'error -32602'],
  ['no id', call('tasks/get', {}), {}, 200, 'error -32602'],
  ['an unknown task', call('tasks/get', { id: 'x' }), {}, 200, 'error -32001'],
  ['an unknown method', call('tasks/resubscribe', { id: 'x' }), {}, 200, 'error -32601'],
  ['a stream that is off', call('message/stream', saying('hi')), { streaming: false }, 200, 'error -32601'],
  ['no envelope', { method: 'POST', path: PATH, body: {} }, {}, 400, 'error -32600'],
  ['no token', call('message/send', saying('hi')), { secret: 's' }, 401, 'error -32001'],
  ['another key', call('message/send', saying('hi'), { authorization: 'Bearer b' }), { key: 'a' }, 401, 'error -32001'],
  [
    'its key',
    call('message/send', saying('hi'), { authorization: 'Bearer a' }),
    { key: 'a' },
    200,
    'task completed "You said: hi"',
  ],
])('agent-native takes %s as it does', async (_, ask, options, status, said) => {
  const { url } = await serveAgentNative(options);
  const answer = await exchange(url, ask);
  expect([answer.status, gist(answer.json)]).toEqual([status, said]);
});

test('agent-native knows a caller by its JWT, and shows a task to none but its owner', async () => {
  const { url } = await serveAgentNative({ secret: 's' });
  const as = async (method: string, params: unknown, token: Promise<string>) =>
    exchange(url, call(method, params, { authorization: `Bearer ${await token}` }));
  const { json } = await as('message/send', saying('hi'), jwt('s', { aud: url }));
  const { id } = (json as { readonly result: { readonly id: string } }).result;
  expect(gist((await as('tasks/get', { id }, jwt('s'))).json)).toBe('task completed "You said: hi"');
  expect(gist((await as('tasks/get', { id }, jwt('s', { sub: 'bob@example.com' }))).json)).toBe('error -32001');
  expect((await as('tasks/get', { id }, jwt('other'))).status).toBe(401);
  expect((await as('tasks/get', { id }, jwt('s', { aud: 'https://elsewhere.example' }))).status).toBe(401);
});

test.each([
  [{}, 400],
  [{ taskId: 'x' }, 401],
])('agent-native does not process %j for strangers', async (body, status) => {
  const { url } = await serveAgentNative({ secret: 's' });
  expect((await exchange(url, { method: 'POST', path: `${PATH}/_process-task`, body })).status).toBe(status);
});

test('agent-native has a card whose address answers nothing', async () => {
  const { url } = await serveAgentNative({ secret: 's', key: 'a' });
  const { json } = await exchange(url, { method: 'GET', path: '/.well-known/agent-card.json' });
  expect(json).toMatchObject({ protocolVersion: '0.3', url, security: [{ jwtBearer: [] }, { apiKey: [] }] });
  expect(json).not.toHaveProperty('defaultInputModes');
  expect((await exchange(url, { ...call('message/send', saying('hi')), path: '/' })).status).toBe(404);
});
