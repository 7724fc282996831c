import { SignJWT } from 'jose';
import { expect, test } from 'vitest';
import { type Ask, exchange, openStream } from '../e2e/kit/exchange.ts';
import { type AgentNativeOptions, serveAgentNative } from '../fixtures/peers/agent-native.ts';
import { eventually } from '../streams/eventually.ts';
import { summarize } from './summarize.ts';

const PATH = '/_agent-native/a2a';

function call(method: string, params: unknown, headers = {}): Ask {
  return { method: 'POST', path: PATH, headers, body: { jsonrpc: '2.0', id: 9, method, params } };
}

function params(text: string, tag: 'type' | 'kind' = 'type') {
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
])(
  'the agent-native replica responds to %s, and streams whole tasks with the JSON-RPC id 0',
  async (text, answer, events) => {
    const { url } = await serveAgentNative();
    const { json } = await exchange(url, call('message/send', params(text)));
    expect([summarize(json), json]).toMatchObject([answer, { id: 9 }]);
    const streamed = await (await openStream(url, call('message/stream', params(text)))).rest();
    expect(streamed.map((event) => summarize(event.json))).toEqual(events);
    expect(streamed.every((event) => (event.json as { readonly id: unknown }).id === 0)).toBe(true);
  },
);

test.each([
  ['hi', 'task completed "You said: hi"'],
  ['fail', 'task failed "The query broke"'],
  ['ask', 'task input-required "Which month?"'],
])('the agent-native replica queues %s, runs it in a request to itself, and can be polled', async (text, end) => {
  const { url, seen } = await serveAgentNative();
  const { json } = await exchange(url, call('message/send', { ...params(text), async: true }));
  expect(summarize(json)).toBe('task working');
  const { id } = (json as { readonly result: { readonly id: string } }).result;
  await eventually(async () => summarize((await exchange(url, call('tasks/get', { id }))).json) === end);
  expect(seen.filter((one) => one === `POST ${PATH}/_process-task`)).toHaveLength(1);
});

test('the agent-native replica shows the state processing of its queue, and cancels in any state', async () => {
  const { url, gate } = await serveAgentNative();
  const { json } = await exchange(url, call('message/send', { ...params('wait'), async: true }));
  const { id } = (json as { readonly result: { readonly id: string } }).result;
  const get = async () => summarize((await exchange(url, call('tasks/get', { id }))).json);
  await eventually(async () => (await get()) === 'task processing');
  expect(summarize((await exchange(url, call('tasks/cancel', { id }))).json)).toBe('task canceled');
  gate.resolve();
  expect(await get()).toBe('task canceled');
});

test('the agent-native replica writes no kinds, and no ids except those of tasks', async () => {
  const { url } = await serveAgentNative();
  const { json } = await exchange(url, call('message/send', { ...params('chart'), contextId: 'c' }));
  expect((json as { readonly result: unknown }).result).toEqual({
    id: expect.any(String),
    contextId: 'c',
    status: {
      state: 'completed',
      message: { role: 'agent', parts: [{ type: 'text', text: 'See the chart.' }] },
      timestamp: expect.any(String),
    },
    history: [params('chart').message],
    artifacts: [{ name: 'chart', parts: [{ type: 'text', text: '▁▃▇' }] }],
  });
});

test.each<[string, Ask, AgentNativeOptions, number, string]>([
  [
    'parts tagged kind',
    call('message/send', params('hi', 'kind')),
    {},
    200,
    'task completed "No text content in message"',
  ],
  ['a request without a message', call('message/send', {}), {}, 200, 'error -32602'],
  ['a request without an id', call('tasks/get', {}), {}, 200, 'error -32602'],
  ['an unknown task', call('tasks/get', { id: 'x' }), {}, 200, 'error -32001'],
  ['an unknown method', call('tasks/resubscribe', { id: 'x' }), {}, 200, 'error -32601'],
  ['a stream when streaming is off', call('message/stream', params('hi')), { streaming: false }, 200, 'error -32601'],
  ['a body without an envelope', { method: 'POST', path: PATH, body: {} }, {}, 400, 'error -32600'],
  ['a request without a token', call('message/send', params('hi')), { secret: 's' }, 401, 'error -32001'],
  ['a wrong key', call('message/send', params('hi'), { authorization: 'Bearer b' }), { key: 'a' }, 401, 'error -32001'],
  [
    'its key',
    call('message/send', params('hi'), { authorization: 'Bearer a' }),
    { key: 'a' },
    200,
    'task completed "You said: hi"',
  ],
])('the agent-native replica responds to %s like agent-native', async (_, ask, options, status, summary) => {
  const { url } = await serveAgentNative(options);
  const response = await exchange(url, ask);
  expect([response.status, summarize(response.json)]).toEqual([status, summary]);
});

test('the agent-native replica authenticates a caller by JWT, and shows a task only to its owner', async () => {
  const { url } = await serveAgentNative({ secret: 's' });
  const as = async (method: string, params: unknown, token: Promise<string>) =>
    exchange(url, call(method, params, { authorization: `Bearer ${await token}` }));
  const { json } = await as('message/send', params('hi'), jwt('s', { aud: url }));
  const { id } = (json as { readonly result: { readonly id: string } }).result;
  expect(summarize((await as('tasks/get', { id }, jwt('s'))).json)).toBe('task completed "You said: hi"');
  expect(summarize((await as('tasks/get', { id }, jwt('s', { sub: 'bob@example.com' }))).json)).toBe('error -32001');
  expect((await as('tasks/get', { id }, jwt('other'))).status).toBe(401);
  expect((await as('tasks/get', { id }, jwt('s', { aud: 'https://elsewhere.example' }))).status).toBe(401);
});

test.each([
  [{}, 400],
  [{ taskId: 'x' }, 401],
])('the agent-native replica rejects a request without a signature to process %j', async (body, status) => {
  const { url } = await serveAgentNative({ secret: 's' });
  expect((await exchange(url, { method: 'POST', path: `${PATH}/_process-task`, body })).status).toBe(status);
});

test('the agent-native replica has a card whose url responds with 404', async () => {
  const { url } = await serveAgentNative({ secret: 's', key: 'a' });
  const { json } = await exchange(url, { method: 'GET', path: '/.well-known/agent-card.json' });
  expect(json).toMatchObject({ protocolVersion: '0.3', url, security: [{ jwtBearer: [] }, { apiKey: [] }] });
  expect(json).not.toHaveProperty('defaultInputModes');
  expect((await exchange(url, { ...call('message/send', params('hi')), path: '/' })).status).toBe(404);
});
