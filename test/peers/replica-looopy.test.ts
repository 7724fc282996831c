import { describe, expect, test } from 'vitest';
import { type Ask, exchange, openStream } from '../e2e/kit/exchange.ts';
import { serveLooopy } from '../fixtures/peers/looopy.ts';
import { summarize } from './summarize.ts';

const PARTS = (text: string) => [{ kind: 'text', text }];
const message = (text: string, more = {}) => ({
  kind: 'message',
  role: 'user',
  messageId: 'm',
  parts: PARTS(text),
  ...more,
});

function rpc(method: string, params: unknown): Ask {
  return { method: 'POST', path: '/api/a2a', body: { jsonrpc: '2.0', id: 4, method, params } };
}

function rest(path: 'send' | 'stream', body: unknown): Ask {
  return { method: 'POST', path: `/v1/message:${path}`, body };
}

const STREAMED = [
  'task submitted',
  'status working "Processing..."',
  'status working',
  'artifact Result ',
  'artifact + of ',
  'artifact +. sales.',
  'status completed',
];

describe.each<[string, (text: string) => Ask]>([
  ['JSON-RPC', (text) => rpc('message/stream', { message: message(text) })],
  ['REST', (text) => rest('stream', { message: message(text) })],
])('the Looopy replica over %s', (binding, stream) => {
  test('streams in the format of the text of its document, with kind first in each object', async () => {
    const { url } = await serveLooopy();
    const live = await openStream(url, stream('sales'));
    expect(live.headers).toMatchObject({ 'content-type': 'text/event-stream', 'x-ratelimit-limit': '100' });
    const events = await live.rest();
    expect(events.map(({ json }) => summarize(json))).toEqual(STREAMED);
    const start = binding === 'REST' ? 'data: {"kind":' : 'data: {"jsonrpc":"2.0","id":4,"result":{"kind":';
    expect(
      live
        .raw()
        .split('\n\n')
        .filter(Boolean)
        .every((event) => event.startsWith(start)),
    ).toBe(true);
    expect(live.raw().match(/"final":true/g)).toHaveLength(1);
  });

  test('streams in the format of the sample code of its document', async () => {
    const { url } = await serveLooopy({ form: 'sample-code' });
    const [first, ...rest] = await (await openStream(url, stream('sales'))).rest();
    expect(summarize(first?.json)).toBe('task started');
    const chunks = rest.map(({ json }) => (binding === 'REST' ? json : (json as { readonly result: unknown }).result));
    expect(chunks).toContainEqual({
      kind: 'artifact-update',
      taskId: expect.any(String),
      contextId: expect.any(String),
      index: 0,
      part: { kind: 'text', text: 'of ', index: 1, append: true },
      timestamp: expect.any(String),
    });
  });

  test('ends a stream with the error that the agent threw', async () => {
    const { url } = await serveLooopy();
    const events = await (await openStream(url, stream('fail'))).rest();
    expect(events.at(-1)?.json).toMatchObject({
      error:
        binding === 'REST'
          ? { code: 500, message: 'The tool broke' }
          : { code: -32603, data: { error: 'The tool broke' } },
    });
  });

  test('asks a question, and continues the same stream when the tool result arrives in another', async () => {
    const { url } = await serveLooopy();
    const live = await openStream(url, stream('book'));
    const task = resultOf((await live.next())?.json);
    await live.next();
    const asked = (await live.next())?.json;
    expect(summarize(asked)).toBe('status input-required "Which city?"');
    expect(resultOf(asked)).toMatchObject({
      final: false,
      status: { message: { inputRequest: { kind: 'input-request', prompt: 'Which city?', requestId: 'input-1' } } },
    });
    const parts = [{ kind: 'tool-result', toolUseId: 'input-1', result: { value: 'Rome' } }];
    const answer = message('', { parts, referenceTaskIds: [task['id']] });
    const other = await openStream(url, rpc('message/stream', { message: answer }));
    const rest = (await live.rest()).map(({ json }) => summarize(json));
    expect(rest).toEqual([
      'status working',
      'artifact Booked ',
      'artifact + a ',
      'artifact +. train to Rome.',
      'status completed',
    ]);
    expect((await other.rest()).map(({ json }) => summarize(json)).slice(1)).toEqual(rest);
  });
});

test('the Looopy replica supports sending only over REST, and responds with a task without a wrapper', async () => {
  const { url } = await serveLooopy();
  const { status, json } = await exchange(url, rest('send', { message: message('sales', { taskId: 't' }) }));
  expect([status, summarize(json), json]).toMatchObject([
    200,
    'task completed [Result of sales.]',
    { kind: 'task', id: 't' },
  ]);
});

test.each<[string, Ask, number, string]>([
  ['a send over JSON-RPC', rpc('message/send', { message: message('sales') }), 200, 'error -32601'],
  ['a cancel', rpc('tasks/cancel', { id: 'x' }), 200, 'error -32601'],
  ['a message without a kind', rpc('message/stream', { message: { parts: [] } }), 200, 'error -32602'],
  [
    'an envelope without an id',
    { method: 'POST', path: '/api/a2a', body: { jsonrpc: '2.0', method: 'x' } },
    400,
    'error -32600',
  ],
  ['a message whose agent fails', rest('send', { message: message('fail') }), 500, 'error 500'],
  [
    'a message with content instead of parts',
    rest('send', { message: { content: [{ text: 'sales' }] } }),
    500,
    'error 500',
  ],
])('the Looopy replica responds to %s with an error', async (_, ask, status, summary) => {
  const { url } = await serveLooopy();
  const response = await exchange(url, ask);
  expect([response.status, summarize(response.json)]).toEqual([status, summary]);
});

test('the Looopy replica resumes a stream by tasks/get with taskId', async () => {
  const { url, gate } = await serveLooopy();
  const live = await openStream(url, rpc('message/stream', { message: message('wait') }));
  const { id } = resultOf((await live.next())?.json);
  await live.next();
  live.leave();
  const again = await openStream(url, rpc('tasks/get', { taskId: id }));
  expect(summarize((await again.next())?.json)).toBe('status working "Processing..."');
  gate.resolve();
  expect((await again.rest()).map(({ json }) => summarize(json)).at(-1)).toBe('status completed');
  const unknown = await openStream(url, rpc('tasks/get', { id }));
  expect(summarize((await unknown.next())?.json)).toBe('error -32004');
});

test('the Looopy replica cancels a task when its REST stream is disconnected', async () => {
  const { url } = await serveLooopy();
  const live = await openStream(url, rest('stream', { message: message('wait') }));
  const { id } = resultOf((await live.next())?.json);
  live.leave();
  const state = async () =>
    (await (await openStream(url, rpc('tasks/get', { taskId: id }))).rest()).map(({ json }) => summarize(json));
  // The first stream ends with the run, so the second one starts after the cancellation.
  await state();
  expect(await state()).toEqual(['status canceled']);
});

test('the Looopy replica requires a bearer token except for the card, and returns the trace id', async () => {
  const { url } = await serveLooopy({ token: 't' });
  const card = await exchange(url, { method: 'GET', path: '/.well-known/agent-card.json' });
  expect(card.json).toMatchObject({ url: `${url}/api/a2a`, security: [{ bearer: [] }] });
  const stream = rpc('message/stream', { message: message('sales') });
  expect((await exchange(url, stream)).status).toBe(401);
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const headers = { authorization: 'Bearer t', traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
  const events = await (await openStream(url, { ...stream, headers })).rest();
  expect(resultOf(events.at(-1)?.json)).toMatchObject({
    metadata: { traceId, spanId: expect.stringMatching(/^[0-9a-f]{16}$/) },
  });
});

function resultOf(json: unknown): Readonly<Record<string, unknown>> {
  const { result = json } = json as { readonly result?: unknown };
  return result as Readonly<Record<string, unknown>>;
}
