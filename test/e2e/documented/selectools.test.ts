/** The requests and tables of the A2A documentation of selectools, sent to an agent of ours. */
import { describe, expect, test } from 'vitest';

import type { ServeOptions } from '../../../src/node/serve.ts';
import type { AgentOptions } from '../../../src/agent/agent-options.ts';
import { agent as createAgent } from '../../../src/agent/agent.ts';
import { bearerTokens } from '../../../src/host/auth/bearer-tokens.ts';
import { memoryStore } from '../../../src/store/memory/store.ts';
import type { Answer } from '../kit/exchange.ts';
import { serveOnSocket } from '../kit/server.ts';

interface Documented {
  readonly send: (body: unknown, token?: string) => Promise<Answer>;
  readonly card: () => Promise<Answer>;
}

const TOKEN = 'sk-1234567890abcdef';

async function serveResearcher(options: ServeOptions = {}, more: Partial<AgentOptions> = {}): Promise<Documented> {
  const agent = createAgent({
    id: 'researcher',
    name: 'researcher',
    description: 'Research agent that summarizes topics',
    version: '0.21.0',
    skills: [{ id: 'summarize', name: 'summarize', description: 'Summarize a text', tags: ['tool'] }],
    run: async ({ text }) => ({ artifact: 'response', text: `Trends: ${text}` }),
    ...more,
  });
  const { ask } = await serveOnSocket(agent, {
    auth: bearerTokens({ ann: TOKEN, bob: 'sk-bob-1234567890' }),
    ...options,
  });
  return {
    send: (body, token = TOKEN) =>
      ask({ method: 'POST', path: '/a2a', body, headers: { authorization: `Bearer ${token}` } }),
    card: () => ask({ method: 'GET', path: '/.well-known/agent.json' }),
  };
}

const call = (method: string, params: unknown) => ({ jsonrpc: '2.0', id: 1, method, params });
const saying = (...parts: readonly unknown[]) => ({ message: { role: 'user', parts, messageId: crypto.randomUUID() } });
const text = (words: string) => ({ kind: 'text', text: words });
const resultOf = ({ json }: Answer): Record<string, unknown> =>
  (json as { readonly result: Record<string, unknown> }).result;
const codeOf = ({ json }: Answer): unknown => (json as { readonly error?: { readonly code: number } }).error?.code;

describe('Endpoints', () => {
  test('GET /.well-known/agent.json needs no credentials and has the members of the printed card', async () => {
    const { card } = await serveResearcher({ stateTransitionHistory: false });
    const { status, json } = await card();
    expect(status).toBe(200);
    expect(json).toMatchObject({
      name: 'researcher',
      description: 'Research agent that summarizes topics',
      url: expect.stringMatching(/\/a2a$/) as string,
      version: '0.21.0',
      capabilities: { pushNotifications: false, stateTransitionHistory: false },
      defaultOutputModes: expect.arrayContaining(['text/plain']) as string[],
      skills: [{ id: 'summarize', name: 'summarize', description: 'Summarize a text', tags: ['tool'] }],
    });
  });

  test('POST /a2a takes JSON-RPC 2.0 with a bearer token', async () => {
    const { send } = await serveResearcher();
    expect((await send(call('message/send', saying(text('hi'))))).status).toBe(200);
  });
});

describe('JSON-RPC methods', () => {
  test.each(['message/send', 'tasks/send'])('%s returns the final task', async (method) => {
    const { send } = await serveResearcher();
    const { json } = await send(call(method, saying(text('Research quantum computing trends'))));
    expect(json).toMatchObject({
      jsonrpc: '2.0',
      id: 1,
      result: {
        id: expect.any(String) as string,
        status: { state: 'completed', timestamp: expect.any(String) as string },
        artifacts: [{ name: 'response', parts: [{ text: 'Trends: Research quantum computing trends' }] }],
      },
    });
  });

  test('tasks/get fetches a task by its id', async () => {
    const { send } = await serveResearcher();
    const { id } = resultOf(await send(call('message/send', saying(text('hi')))));
    expect(resultOf(await send(call('tasks/get', { id })))).toMatchObject({ id, status: { state: 'completed' } });
  });

  // selectools always answers tasks/cancel with -32002, because its tasks end within the request. Ours can outlive it.
  test('tasks/cancel cancels a task that works', async () => {
    const run: AgentOptions['run'] = ({ signal }) =>
      new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    const { send } = await serveResearcher({}, { run });
    const params = { ...saying(text('hi')), configuration: { blocking: false } };
    const { id } = resultOf(await send(call('message/send', params)));
    expect(resultOf(await send(call('tasks/cancel', { id })))).toMatchObject({ id, status: { state: 'canceled' } });
  });
});

describe('Error mapping', () => {
  test('an invalid bearer token is HTTP 401, before the body is read as JSON-RPC', async () => {
    const { send } = await serveResearcher();
    expect((await send('{', 'sk-wrong')).status).toBe(401);
  });

  test.each<[string, number, unknown]>([
    ['a body that is not valid JSON', -32700, '{'],
    ['no valid JSON-RPC 2.0 request', -32600, { jsonrpc: '2.0', id: 1 }],
    ['an unknown method', -32601, call('tasks/unknown', {})],
    ['a missing message', -32602, call('message/send', {})],
    ['a message without parts', -32602, call('message/send', saying())],
    ['an unknown task id of tasks/get', -32001, call('tasks/get', { id: 'x' })],
    ['an unknown task id of tasks/cancel', -32001, call('tasks/cancel', { id: 'x' })],
  ])('%s is the JSON-RPC error %i', async (_, code, body) => {
    const { send } = await serveResearcher();
    expect(codeOf(await send(body))).toBe(code);
  });

  test('a body larger than maxBodyBytes is the JSON-RPC error -32600, checked before parsing', async () => {
    const { send } = await serveResearcher({ maxBodyBytes: 2 ** 20 });
    expect(codeOf(await send(`{${'x'.repeat(2 ** 20)}`))).toBe(-32600);
  });

  test('an evicted task id is the JSON-RPC error -32001', async () => {
    const { send } = await serveResearcher({ store: memoryStore({ maxTasks: 1 }) });
    const { id } = resultOf(await send(call('message/send', saying(text('one')))));
    await send(call('message/send', saying(text('two'))));
    await expect.poll(async () => codeOf(await send(call('tasks/get', { id })))).toBe(-32001);
  });

  test('a task that has ended is not cancelable: -32002', async () => {
    const { send } = await serveResearcher();
    const { id } = resultOf(await send(call('message/send', saying(text('hi')))));
    expect(codeOf(await send(call('tasks/cancel', { id })))).toBe(-32002);
  });

  // selectools shows the class of the exception. Ours shows a reference to the log, which shows a caller less.
  test('an agent that raises gives a task that has failed, without the message of the exception', async () => {
    const run = async (): Promise<string> => {
      throw new RangeError('password is hunter2');
    };
    const { send } = await serveResearcher({}, { run });
    const answer = await send(call('message/send', saying(text('hi'))));
    expect(resultOf(answer)).toMatchObject({ status: { state: 'failed', message: { role: 'agent' } } });
    expect(answer.text).not.toMatch(/hunter2|RangeError/);
  });
});

describe('Trust model', () => {
  // In selectools, every caller with the token can read every task.
  test('a task is visible to its owner only', async () => {
    const { send } = await serveResearcher();
    const { id } = resultOf(await send(call('message/send', saying(text('hi')))));
    expect(codeOf(await send(call('tasks/get', { id }), 'sk-bob-1234567890'))).toBe(-32001);
  });
});

describe('Text-first', () => {
  test('file and data parts are accepted, and reach the agent', async () => {
    let kinds: readonly string[] = [];
    const run: AgentOptions['run'] = async ({ message }) => {
      kinds = message.parts.map((part) => ['text', 'raw', 'data'].find((kind) => kind in part) ?? '');
      return 'ok';
    };
    const { send } = await serveResearcher({}, { run });
    const file = { kind: 'file', file: { name: 'a.bin', mimeType: 'application/octet-stream', bytes: 'AAEC' } };
    const parts = [text('read this'), file, { kind: 'data', data: { b: 1 } }];
    expect(resultOf(await send(call('message/send', saying(...parts))))).toMatchObject({
      status: { state: 'completed' },
    });
    expect(kinds).toEqual(['text', 'raw', 'data']);
  });
});
