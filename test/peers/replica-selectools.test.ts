import { expect, test } from 'vitest';
import { type Ask, exchange } from '../e2e/kit/exchange.ts';
import { serveSelectools } from '../fixtures/peers/selectools.ts';
import { gist } from './gist.ts';

const CALL = { jsonrpc: '2.0', id: 'a', method: 'message/send' };

function post(body: unknown, headers = {}): Ask {
  return { method: 'POST', path: '/a2a', body, headers };
}

function saying(...parts: readonly unknown[]): Ask {
  return post({ ...CALL, params: { message: { role: 'user', parts } } });
}

function calling(method: string, params: unknown): Ask {
  return post({ ...CALL, method, params });
}

const text = (words: string) => ({ kind: 'text', text: words });

test.each<[string, Ask, string]>([
  ['answers with a finished task', saying(text('hi')), 'task completed [You asked: hi]'],
  ['knows the old name', calling('tasks/send', { message: { parts: [text('hi')] } }), 'task completed [You asked: hi]'],
  [
    'joins texts and data, and drops files',
    saying(text('a'), { kind: 'file', file: {} }, { kind: 'data', data: { b: 1 } }),
    'task completed [You asked: a\n{"b":1}]',
  ],
  ['fails with the kind of error', saying(text('fail')), 'task failed "Agent execution failed (RuntimeError)"'],
  ['does not stream', calling('message/stream', {}), 'error -32601'],
  ['does not know a task', calling('tasks/get', { id: 'x' }), 'error -32001'],
  ['cannot cancel what is not there', calling('tasks/cancel', { id: 'x' }), 'error -32001'],
  ['wants a message', calling('message/send', {}), 'error -32602'],
  ['wants parts', saying(), 'error -32602'],
  ['wants objects as parts', saying('hi'), 'error -32602'],
  ['wants a text', saying({ kind: 'data', data: 1 }), 'error -32602'],
  ['wants an object as params', calling('message/send', []), 'error -32600'],
  ['wants a version', post({ ...CALL, jsonrpc: '1.0' }), 'error -32600'],
  ['wants a method', post({ ...CALL, method: 1 }), 'error -32600'],
  ['wants an object', post([CALL]), 'error -32600'],
  ['wants JSON', post('{'), 'error -32700'],
  ['wants no more than a mebibyte', post(`"${'x'.repeat(1_048_576)}"`), 'error -32600'],
])('selectools %s, with HTTP 200', async (_, ask, said) => {
  const { url } = await serveSelectools();
  const { status, json } = await exchange(url, ask);
  expect([status, gist(json)]).toEqual([200, said]);
});

test('selectools keeps a finished task, which cannot be canceled, and forgets the oldest', async () => {
  const { url } = await serveSelectools({ maxTasks: 1 });
  const { json } = await exchange(url, saying(text('hi')));
  const { result } = json as { readonly result: { readonly id: string } };
  expect(result).toMatchObject({
    kind: 'task',
    contextId: expect.any(String),
    status: { timestamp: expect.stringMatching(/\.\d{6}\+00:00$/) },
    history: [{ role: 'user', parts: [text('hi')] }],
  });
  expect((await exchange(url, calling('tasks/get', { id: result.id }))).json).toMatchObject({ result });
  expect(gist((await exchange(url, calling('tasks/cancel', { id: result.id }))).json)).toBe('error -32002');
  await exchange(url, saying(text('more')));
  expect(gist((await exchange(url, calling('tasks/get', { id: result.id }))).json)).toBe('error -32001');
});

test('selectools wants its token for all but the card, before it reads anything', async () => {
  const { url } = await serveSelectools({ token: 'sk-1' });
  const card = await exchange(url, { method: 'GET', path: '/.well-known/agent.json' });
  expect(card.json).toMatchObject({ protocolVersion: '0.2.6', url: '' });
  for (const headers of [{}, { authorization: 'Bearer sk-2' }]) {
    const { status, json } = await exchange(url, post('{', headers));
    expect([status, json]).toEqual([401, { error: { message: expect.any(String) } }]);
  }
  expect((await exchange(url, post('{', { authorization: 'Bearer sk-1' }))).status).toBe(200);
});
