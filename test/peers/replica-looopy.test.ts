import { describe, expect, test } from 'vitest';
import { type Ask, exchange, openStream } from '../e2e/kit/exchange.ts';
import { serveLooopy } from '../fixtures/peers/looopy.ts';
import { gist } from './gist.ts';

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
])('Looopy over %s', (binding, stream) => {
  test('streams as its texts have it, kind first', async () => {
    const { url } = await serveLooopy();
    const live = await openStream(url, stream('sales'));
    expect(live.headers).toMatchObject({ 'content-type': 'text/event-stream', 'x-ratelimit-limit': '100' });
    const events = await live.rest();
    expect(events.map(({ json }) => gist(json))).toEqual(STREAMED);
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

  test('streams as its sample code has it', async () => {
    const { url } = await serveLooopy({ form: 'sample-code' });
    const [first, ...rest] = await (await openStream(url, stream('sales'))).rest();
    expect(gist(first?.json)).toBe('task started');
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

  test('ends a stream with what the agent threw', async () => {
    const { url } = await serveLooopy();
    const events = await (await openStream(url, stream('fail'))).rest();
    expect(events.at(-1)?.json).toMatchObject({
      error:
        binding === 'REST'
          ? { code: 500, message: 'The tool broke' }
          : { code: -32603, data: { error: 'The tool broke' } },
    });
  });

  test('asks, and goes on in the same stream when the result of the tool comes in another', async () => {
    const { url } = await serveLooopy();
    const live = await openStream(url, stream('book'));
    const task = unwrapped((await live.next())?.json);
    await live.next();
    const asked = (await live.next())?.json;
    expect(gist(asked)).toBe('status input-required "Which city?"');
    expect(unwrapped(asked)).toMatchObject({
      final: false,
      status: { message: { inputRequest: { kind: 'input-request', prompt: 'Which city?', requestId: 'input-1' } } },
    });
    const parts = [{ kind: 'tool-result', toolUseId: 'input-1', result: { value: 'Rome' } }];
    const answer = message('', { parts, referenceTaskIds: [task['id']] });
    const other = await openStream(url, rpc('message/stream', { message: answer }));
    const rest = (await live.rest()).map(({ json }) => gist(json));
    expect(rest).toEqual([
      'status working',
      'artifact Booked ',
      'artifact + a ',
      'artifact +. train to Rome.',
      'status completed',
    ]);
    expect((await other.rest()).map(({ json }) => gist(json)).slice(1)).toEqual(rest);
  });
});

test('Looopy sends over REST only, and answers with a bare task', async () => {
  const { url } = await serveLooopy();
  const { status, json } = await exchange(url, rest('send', { message: message('sales', { taskId: 't' }) }));
  expect([status, gist(json), json]).toMatchObject([
    200,
    'task completed [Result of sales.]',
    { kind: 'task', id: 't' },
  ]);
});

test.each<[string, Ask, number, string]>([
  ['to send over JSON-RPC', rpc('message/send', { message: message('sales') }), 200, 'error -32601'],
  ['to cancel', rpc('tasks/cancel', { id: 'x' }), 200, 'error -32601'],
  ['a message of no kind', rpc('message/stream', { message: { parts: [] } }), 200, 'error -32602'],
  [
    'an envelope without id',
    { method: 'POST', path: '/api/a2a', body: { jsonrpc: '2.0', method: 'x' } },
    400,
    'error -32600',
  ],
  ['a failing agent', rest('send', { message: message('fail') }), 500, 'error 500'],
  ['content instead of parts', rest('send', { message: { content: [{ text: 'sales' }] } }), 500, 'error 500'],
])('Looopy refuses %s', async (_, ask, status, said) => {
  const { url } = await serveLooopy();
  const answer = await exchange(url, ask);
  expect([answer.status, gist(answer.json)]).toEqual([status, said]);
});

test('Looopy has a way back into a stream, for those who say taskId', async () => {
  const { url, gate } = await serveLooopy();
  const live = await openStream(url, rpc('message/stream', { message: message('wait') }));
  const { id } = unwrapped((await live.next())?.json);
  await live.next();
  live.leave();
  const again = await openStream(url, rpc('tasks/get', { taskId: id }));
  expect(gist((await again.next())?.json)).toBe('status working "Processing..."');
  gate.resolve();
  expect((await again.rest()).map(({ json }) => gist(json)).at(-1)).toBe('status completed');
  const unknown = await openStream(url, rpc('tasks/get', { id }));
  expect(gist((await unknown.next())?.json)).toBe('error -32004');
});

test('Looopy cancels the task of one who leaves a stream over REST', async () => {
  const { url } = await serveLooopy();
  const live = await openStream(url, rest('stream', { message: message('wait') }));
  const { id } = unwrapped((await live.next())?.json);
  live.leave();
  const state = async () =>
    (await (await openStream(url, rpc('tasks/get', { taskId: id }))).rest()).map(({ json }) => gist(json));
  // The first is there when it happens, and ends with the run.
  await state();
  expect(await state()).toEqual(['status canceled']);
});

test('Looopy wants a bearer for all but the card, and hands on the trace', async () => {
  const { url } = await serveLooopy({ token: 't' });
  const card = await exchange(url, { method: 'GET', path: '/.well-known/agent-card.json' });
  expect(card.json).toMatchObject({ url: `${url}/api/a2a`, security: [{ bearer: [] }] });
  const stream = rpc('message/stream', { message: message('sales') });
  expect((await exchange(url, stream)).status).toBe(401);
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const headers = { authorization: 'Bearer t', traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
  const events = await (await openStream(url, { ...stream, headers })).rest();
  expect(unwrapped(events.at(-1)?.json)).toMatchObject({
    metadata: { traceId, spanId: expect.stringMatching(/^[0-9a-f]{16}$/) },
  });
});

function unwrapped(json: unknown): Readonly<Record<string, unknown>> {
  const { result = json } = json as { readonly result?: unknown };
  return result as Readonly<Record<string, unknown>>;
}
