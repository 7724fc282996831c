import { expect, test } from 'vitest';
import { type Ask, exchange } from '../e2e/kit/exchange.ts';
import { serveSelectools } from '../fixtures/peers/selectools.ts';
import { summarize } from './summarize.ts';

const CALL = { jsonrpc: '2.0', id: 'a', method: 'message/send' };

function post(body: unknown, headers = {}): Ask {
  return { method: 'POST', path: '/a2a', body, headers };
}

function sendOf(...parts: readonly unknown[]): Ask {
  return post({ ...CALL, params: { message: { role: 'user', parts } } });
}

function requestOf(method: string, params: unknown): Ask {
  return post({ ...CALL, method, params });
}

const text = (content: string) => ({ kind: 'text', text: content });

test.each<[string, Ask, string]>([
  ['a text', sendOf(text('hi')), 'task completed [You asked: hi]'],
  [
    'the method tasks/send',
    requestOf('tasks/send', { message: { parts: [text('hi')] } }),
    'task completed [You asked: hi]',
  ],
  [
    'texts, data and a file',
    sendOf(text('a'), { kind: 'file', file: {} }, { kind: 'data', data: { b: 1 } }),
    'task completed [You asked: a\n{"b":1}]',
  ],
  ['a message whose agent fails', sendOf(text('fail')), 'task failed "Agent execution failed (RuntimeError)"'],
  ['message/stream', requestOf('message/stream', {}), 'error -32601'],
  ['a get of an unknown task', requestOf('tasks/get', { id: 'x' }), 'error -32001'],
  ['a cancel of an unknown task', requestOf('tasks/cancel', { id: 'x' }), 'error -32001'],
  ['params without a message', requestOf('message/send', {}), 'error -32602'],
  ['a message without parts', sendOf(), 'error -32602'],
  ['a part that is not an object', sendOf('hi'), 'error -32602'],
  ['a message without text', sendOf({ kind: 'data', data: 1 }), 'error -32602'],
  ['params that are an array', requestOf('message/send', []), 'error -32600'],
  ['the JSON-RPC version 1.0', post({ ...CALL, jsonrpc: '1.0' }), 'error -32600'],
  ['a method that is a number', post({ ...CALL, method: 1 }), 'error -32600'],
  ['a batch', post([CALL]), 'error -32600'],
  ['a body that is not JSON', post('{'), 'error -32700'],
  ['a body over 1 MiB', post(`"${'x'.repeat(1_048_576)}"`), 'error -32600'],
])('the selectools replica responds to %s with HTTP 200', async (_, ask, summary) => {
  const { url } = await serveSelectools();
  const { status, json } = await exchange(url, ask);
  expect([status, summarize(json)]).toEqual([200, summary]);
});

test('the selectools replica keeps the newest ended tasks, which cannot be canceled', async () => {
  const { url } = await serveSelectools({ maxTasks: 1 });
  const { json } = await exchange(url, sendOf(text('hi')));
  const { result } = json as { readonly result: { readonly id: string } };
  expect(result).toMatchObject({
    kind: 'task',
    contextId: expect.any(String),
    status: { timestamp: expect.stringMatching(/\.\d{6}\+00:00$/) },
    history: [{ role: 'user', parts: [text('hi')] }],
  });
  expect((await exchange(url, requestOf('tasks/get', { id: result.id }))).json).toMatchObject({ result });
  expect(summarize((await exchange(url, requestOf('tasks/cancel', { id: result.id }))).json)).toBe('error -32002');
  await exchange(url, sendOf(text('more')));
  expect(summarize((await exchange(url, requestOf('tasks/get', { id: result.id }))).json)).toBe('error -32001');
});

test('the selectools replica requires its token before it reads a body, except for the card', async () => {
  const { url } = await serveSelectools({ token: 'sk-1' });
  const card = await exchange(url, { method: 'GET', path: '/.well-known/agent.json' });
  expect(card.json).toMatchObject({ protocolVersion: '0.2.6', url: '' });
  for (const headers of [{}, { authorization: 'Bearer sk-2' }]) {
    const { status, json } = await exchange(url, post('{', headers));
    expect([status, json]).toEqual([401, { error: { message: expect.any(String) } }]);
  }
  expect((await exchange(url, post('{', { authorization: 'Bearer sk-1' }))).status).toBe(200);
});
