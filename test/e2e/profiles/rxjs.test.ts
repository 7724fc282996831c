/** The examples in the design of the RxJS agent, sent as written there. */
import { describe, expect, test } from 'vitest';

import { agent } from '../../../src/agent/agent.ts';
import { bearerTokens } from '../../../src/host/auth/bearer-tokens.ts';
import { deferred } from '../../../src/support/deferred.ts';
import type { Ask } from '../kit/exchange.ts';
import { serveOnSocket } from '../kit/server.ts';
import { eventsOf } from '../kit/sse-text.ts';

const PATH = '/api/a2a';
const STREAM = { accept: 'text/event-stream' };

interface Shown {
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: unknown;
}

interface Question {
  readonly taskId: string;
  readonly contextId: string;
  readonly final: boolean;
  readonly status: {
    readonly state: string;
    readonly message: { readonly inputRequest: Readonly<Record<string, unknown>> & { readonly requestId: string } };
  };
}

function analyst(gate = deferred<void>()) {
  return agent({
    name: 'Analyst',
    description: 'Analyzes sales data.',
    skills: [
      { id: 'analysis', name: 'Analysis', description: 'Analyzes sales' },
      { id: 'admin-tools', name: 'Admin tools', description: 'Changes settings', scopes: ['admin'] },
    ],
    async *run({ text, ask, artifact }) {
      switch (text) {
        case 'key':
          return yield `Key: ${await ask('Please provide your API key', { sensitive: true })}`;
        case 'size':
          return yield `Size: ${await ask({ choose: 'Which size?', options: ['S', 'M'] })}`;
        case 'two':
          return yield `${await ask('First?')}, ${await ask('Second?')}`;
        case 'patience':
          return yield await ask('Anybody?', { timeoutMs: 300 });
        case 'wait':
          yield { status: 'working', text: 'Processing...' };
          yield 'Half. ';
          await gate.promise;
          return yield 'Whole.';
        case 'fail':
          throw new Error('the password is in /etc/shadow');
        default: {
          const report = artifact('art-1');
          await report.append('Analysis: ');
          await report.append('Sales increased');
          await report.append(', by 15%', { lastChunk: true });
        }
      }
    },
  });
}

const serveAnalyst = (options = {}) => serveOnSocket(analyst(), { profile: 'rxjs', ...options });

function message(text: string, more: object = {}) {
  return { kind: 'message', role: 'user', parts: [{ kind: 'text', text }], messageId: 'msg-123', ...more };
}

function rpc(method: string, params: unknown, headers: Readonly<Record<string, string>> = {}, id: unknown = 1): Ask {
  return { method: 'POST', path: PATH, headers, body: { jsonrpc: '2.0', id, method, params } };
}

function resultOf(json: unknown): Readonly<Record<string, unknown>> {
  return (json as Shown).result ?? {};
}

/** Reads a stream up to its question. */
async function asked(server: Awaited<ReturnType<typeof serveAnalyst>>, text: string, headers = {}) {
  const live = await server.open(rpc('message/stream', { message: message(text) }, { ...STREAM, ...headers }));
  for (let event = await live.next(); event !== undefined; event = await live.next()) {
    const result = resultOf(event.json) as unknown as Question;
    if (result.status?.state === 'input-required') return { live, question: result };
  }
  throw new Error('The stream ended without a question');
}

function toolResult({ taskId, status }: Question, result: unknown, more: object = {}) {
  const parts = [
    { kind: 'text', text: 'Here is the requested input:' },
    { kind: 'tool-result', toolUseId: status.message.inputRequest.requestId, result },
  ];
  return { message: { ...message(''), parts, messageId: 'msg-6', referenceTaskIds: [taskId], ...more } };
}

describe('Transport Layer', () => {
  const params = {
    message: message('Analyze sales data and generate report'),
    configuration: { acceptedOutputModes: ['application/json', 'text/plain'], historyLength: 10 },
  };

  test('message/stream at /api/a2a is a stream of JSON-RPC responses, kind first, with one final event', async () => {
    const { ask } = await serveAnalyst();
    const { headers, text } = await ask(rpc('message/stream', params, STREAM));
    expect(headers['content-type']).toBe('text/event-stream');
    const events = eventsOf(text);
    expect(events.map(({ json }) => resultOf(json))).toMatchObject([
      { kind: 'task', status: { state: 'submitted' }, history: [{ messageId: 'msg-123' }] },
      { kind: 'status-update', status: { state: 'working' }, final: false },
      { kind: 'artifact-update', artifact: { parts: [{ kind: 'text', text: 'Analysis: ' }] } },
      { kind: 'artifact-update', append: true, artifact: { parts: [{ text: 'Sales increased' }] } },
      { kind: 'artifact-update', append: true, lastChunk: true, artifact: { parts: [{ text: ', by 15%' }] } },
      { kind: 'status-update', status: { state: 'completed' }, final: true },
    ]);
    const data = text.split('\n').filter((line) => line.startsWith('data: '));
    expect(data.every((line) => line.startsWith('data: {"jsonrpc":"2.0","id":1,"result":{"kind":'))).toBe(true);
  });

  test('POST /v1/message:stream is a stream of bare events', async () => {
    const { ask } = await serveAnalyst();
    const { text } = await ask({ method: 'POST', path: '/v1/message:stream', headers: STREAM, body: params });
    const kinds = eventsOf(text).map(({ json }) => (json as { readonly kind: string }).kind);
    expect([kinds[0], kinds.at(-1)]).toEqual(['task', 'status-update']);
  });

  test('POST /v1/message:send returns the bare task', async () => {
    const { ask } = await serveAnalyst();
    const { status, json } = await ask({ method: 'POST', path: '/v1/message:send', body: params });
    expect([status, json]).toMatchObject([200, { kind: 'task', status: { state: 'completed' }, artifacts: [{}] }]);
  });

  test('message/send at /api/a2a, which its sample server lacks and its sample client calls, returns the task', async () => {
    const { ask } = await serveAnalyst();
    expect((await ask(rpc('message/send', params))).json).toMatchObject({ id: 1, result: { kind: 'task' } });
  });

  test('a REST request of standard A2A 0.3 gets a response in its own format', async () => {
    const { ask } = await serveAnalyst();
    const body = { message: { messageId: 'm', role: 'ROLE_USER', content: [{ text: 'sales' }] } };
    expect((await ask({ method: 'POST', path: '/v1/message:send', body })).json).toHaveProperty('task');
  });
});

describe('Client Tool Invocation', () => {
  test('a question is an inputRequest, and the stream continues when its tool result arrives in another request', async () => {
    const server = await serveAnalyst();
    const { live, question } = await asked(server, 'key');
    expect(question).toMatchObject({
      final: false,
      status: {
        message: {
          parts: [{ kind: 'text', text: 'Please provide your API key' }],
          inputRequest: {
            kind: 'input-request',
            prompt: 'Please provide your API key',
            sensitive: true,
            requestId: expect.any(String),
          },
        },
      },
    });
    const answer = rpc('message/stream', toolResult(question, { value: 'secret-key-123' }), STREAM, 3);
    const other = eventsOf((await server.ask(answer)).text).map(({ json }) => resultOf(json));
    expect(other[0]).toMatchObject({ kind: 'task', id: question.taskId });
    expect(other.at(-1)).toMatchObject({ taskId: question.taskId, status: { state: 'completed' }, final: true });
    const rest = (await live.rest()).map(({ json }) => resultOf(json));
    expect(rest).toMatchObject([
      { status: { state: 'working' }, final: false },
      { artifact: { parts: [{ text: 'Key: secret-key-123' }] } },
      { status: { state: 'completed' }, final: true },
    ]);
    const { text } = await server.ask(rpc('tasks/get', { id: question.taskId }));
    expect(text.match(/secret-key-123/g)).toHaveLength(1);
    expect(text).toContain('[redacted]');
  });

  test.each([
    ['a text', 'M'],
    ['a value', { value: 'M' }],
  ])('a typed question takes %s as the result', async (_, result) => {
    const server = await serveAnalyst();
    const { live, question } = await asked(server, 'size');
    expect(question.status.message.inputRequest).toMatchObject({ sensitive: false });
    await server.ask(rpc('message/send', toolResult(question, result)));
    const rest = (await live.rest()).map(({ json }) => resultOf(json));
    expect(rest).toContainEqual(
      expect.objectContaining({ artifact: expect.objectContaining({ parts: [{ kind: 'text', text: 'Size: M' }] }) }),
    );
  });

  test('a tool result for a question that the task does not ask is rejected, and the question stays open', async () => {
    const server = await serveAnalyst();
    const { question } = await asked(server, 'size');
    const { message: said } = toolResult(question, 'M');
    const parts = [{ kind: 'tool-result', toolUseId: 'input-1', result: 'M' }];
    const { json } = await server.ask(rpc('message/send', { message: { ...said, parts } }));
    expect(json).toMatchObject({
      error: { code: -32602, message: 'Invalid params', data: { taskId: question.taskId } },
    });
    const task = await server.ask(rpc('tasks/get', { id: question.taskId }));
    expect(resultOf(task.json)).toMatchObject({ status: { state: 'input-required' } });
  });

  test('a repeated tool result with the same Idempotency-Key returns the task after the question is closed', async () => {
    const server = await serveAnalyst();
    const { question } = await asked(server, 'size');
    const send = () => server.ask(rpc('message/send', toolResult(question, 'M'), { 'idempotency-key': 'key-1' }));
    const first = resultOf((await send()).json);
    expect(first).toMatchObject({ id: question.taskId, status: { state: 'completed' } });
    expect(resultOf((await send()).json)).toEqual(first);
  });

  test('a new tool result for a closed question is -32602', async () => {
    const server = await serveAnalyst();
    const { question } = await asked(server, 'size');
    await server.ask(rpc('message/send', toolResult(question, 'M'), { 'idempotency-key': 'key-1' }));
    const late = rpc('message/send', toolResult(question, 'S'), { 'idempotency-key': 'key-2' });
    expect((await server.ask(late)).json).toMatchObject({
      error: { code: -32602, message: 'Invalid params', data: { taskId: question.taskId } },
    });
  });

  test('two tool results for one question at the same time never answer the question after it', async () => {
    const server = await serveAnalyst();
    const { question } = await asked(server, 'two');
    const send = (messageId: string) => server.ask(rpc('message/send', toolResult(question, 'A', { messageId })));
    const both = (await Promise.all([send('msg-6'), send('msg-7')])).map(({ json }) => json as Shown);
    expect(both.flatMap(({ error }) => error ?? [])).toMatchObject([{ code: -32602 }]);
    const task = await server.ask(rpc('tasks/get', { id: question.taskId }));
    expect(resultOf(task.json)).toMatchObject({ status: { state: 'input-required' } });
  });

  test('a follow-up by taskId, as in standard A2A, answers a question, too', async () => {
    const server = await serveAnalyst();
    const { question } = await asked(server, 'size');
    const { taskId } = question;
    const { json } = await server.ask(rpc('message/send', { message: message('M', { taskId, messageId: 'msg-7' }) }));
    expect(resultOf(json)).toMatchObject({ id: taskId, status: { state: 'completed' } });
  });

  test('a message with referenceTaskIds and without a tool result starts a new task, as a sub-agent call does', async () => {
    const server = await serveAnalyst();
    const { question } = await asked(server, 'size');
    const said = message('Analyze Q4 sales data', { referenceTaskIds: [question.taskId], messageId: 'msg-3' });
    const { json } = await server.ask(rpc('message/send', { message: said }));
    expect(resultOf(json)['id']).not.toBe(question.taskId);
  });

  test('a question that is not answered in time ends the stream with the error "Input timeout"', async () => {
    const server = await serveAnalyst();
    const { live, question } = await asked(server, 'patience');
    const rest = await live.rest();
    expect(rest.at(-1)?.json).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: {
        code: -32001,
        message: 'Input timeout',
        data: { taskId: question.taskId, timeoutSeconds: 0.3 },
      },
    });
    const task = await server.ask(rpc('tasks/get', { id: question.taskId }));
    expect(resultOf(task.json)).toMatchObject({ status: { state: 'failed' } });
  });
});

describe('Task Resubscription', () => {
  test('tasks/get with taskId is a stream from the current state on', async () => {
    const gate = deferred<void>();
    const server = await serveOnSocket(analyst(gate), { profile: 'rxjs' });
    const live = await server.open(rpc('message/stream', { message: message('wait') }, STREAM));
    const { id } = resultOf((await live.next())?.json);
    await expect
      .poll(async () => resultOf((await server.ask(rpc('tasks/get', { taskId: id }))).json))
      .toMatchObject({ artifacts: [{}] });
    const again = await server.open(rpc('tasks/get', { taskId: id }, STREAM, 4));
    expect([(await again.next())?.json, (await again.next())?.json]).toMatchObject([
      { id: 4, result: { kind: 'artifact-update', artifact: { parts: [{ text: 'Half. ' }] } } },
      { id: 4, result: { kind: 'status-update', taskId: id, status: { state: 'working' }, final: false } },
    ]);
    gate.resolve();
    expect(resultOf((await again.rest()).at(-1)?.json)).toMatchObject({ status: { state: 'completed' }, final: true });
  });

  test('tasks/get of a task that has ended is one final status', async () => {
    const server = await serveAnalyst();
    const sent = await server.ask(rpc('message/send', { message: message('fail') }));
    const { id } = resultOf(sent.json);
    const events = eventsOf((await server.ask(rpc('tasks/get', { taskId: id }, STREAM))).text);
    expect(events.map(({ json }) => resultOf(json))).toMatchObject([
      { kind: 'status-update', status: { state: 'failed' }, final: true },
    ]);
  });

  test('tasks/get of a caller that does not accept a stream is the task', async () => {
    const server = await serveAnalyst();
    const { id } = resultOf((await server.ask(rpc('message/send', { message: message('sales') }))).json);
    expect((await server.ask(rpc('tasks/get', { taskId: id }))).json).toMatchObject({ result: { kind: 'task', id } });
  });
});

describe('JSON-RPC Error Codes', () => {
  test.each<[string, Ask, number, object]>([
    [
      'no JSON',
      { method: 'POST', path: PATH, headers: { 'content-type': 'application/json' }, body: '{' },
      200,
      {
        code: -32700,
        message: 'Parse error',
      },
    ],
    [
      'no id',
      { method: 'POST', path: PATH, body: { jsonrpc: '2.0', method: 'tasks/get', params: { taskId: 't' } } },
      400,
      { code: -32600, message: 'Invalid Request' },
    ],
    [
      'no method',
      { method: 'POST', path: PATH, body: { jsonrpc: '2.0', id: 1 } },
      400,
      {
        code: -32600,
        message: 'Invalid Request',
        data: { reason: expect.any(String) },
      },
    ],
    [
      'an unknown method',
      rpc('foo/bar', {}),
      200,
      {
        code: -32601,
        message: 'Method not found',
        data: { method: 'foo/bar' },
      },
    ],
    ['no message', rpc('message/stream', {}), 200, { code: -32602, message: 'Invalid params' }],
    [
      'an unknown task',
      rpc('tasks/get', { taskId: 'task-999' }),
      200,
      {
        code: -32004,
        message: 'Task not found',
        data: { taskId: 'task-999' },
      },
    ],
  ])('%s', async (_, ask, status, error) => {
    const server = await serveAnalyst();
    const answer = await server.ask(ask);
    expect([answer.status, answer.json]).toMatchObject([status, { error }]);
  });

  test('a context that is not that of the task is -32003', async () => {
    const server = await serveAnalyst();
    const { question } = await asked(server, 'size');
    const said = message('M', { taskId: question.taskId, contextId: 'ctx-999', messageId: 'msg-8' });
    const { json } = await server.ask(rpc('message/send', { message: said }));
    expect(json).toMatchObject({ error: { code: -32003, message: 'Context not found' } });
  });

  test('a handler that throws fails the task with a reference, where the design sends the text of the exception', async () => {
    const server = await serveAnalyst();
    const { text } = await server.ask(rpc('message/stream', { message: message('fail') }, STREAM));
    expect(text).not.toContain('/etc/shadow');
    expect(resultOf(eventsOf(text).at(-1)?.json)).toMatchObject({ status: { state: 'failed' }, final: true });
  });
});

describe('Security', () => {
  const auth = bearerTokens({ ann: 'a'.repeat(32), bob: 'b'.repeat(32) });
  const as = (letter: string) => ({ authorization: `Bearer ${letter.repeat(32)}` });

  test('a caller without the scope of a skill gets 403 and an error that names the skill', async () => {
    const server = await serveAnalyst({ auth });
    const params = { message: message('reset'), metadata: { skillId: 'admin-tools' } };
    const { status, json } = await server.ask(rpc('message/send', params, as('a')));
    expect([status, json]).toMatchObject([
      403,
      { error: { code: -32603, message: "Forbidden: Insufficient permissions for skill 'admin-tools'" } },
    ]);
  });

  test('responses have the rate limit headers', async () => {
    const server = await serveAnalyst({ auth, limits: { rate: { perMinute: 100, burst: 100 } } });
    const { headers } = await server.ask(rpc('message/send', { message: message('sales') }, as('a')));
    expect(headers).toMatchObject({ 'x-ratelimit-limit': '100', 'x-ratelimit-remaining': '99' });
    expect(Number(headers['x-ratelimit-reset'])).toBeGreaterThan(1_698_662_400);
  });

  test('a tool result never answers the question of another caller', async () => {
    const server = await serveAnalyst({ auth });
    const { question } = await asked(server, 'size', as('a'));
    const { json } = await server.ask(rpc('message/send', toolResult(question, 'M'), as('b')));
    expect(json).toMatchObject({ error: { code: -32004, message: 'Task not found' } });
    const task = await server.ask(rpc('tasks/get', { id: question.taskId }, as('a')));
    expect(resultOf(task.json)).toMatchObject({ status: { state: 'input-required' } });
  });
});

describe('Tracing', () => {
  test('every event has the trace of the request in its metadata', async () => {
    const server = await serveAnalyst();
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const headers = { ...STREAM, traceparent: `00-${traceId}-00f067aa0ba902b7-01`, tracestate: 'vendor=value' };
    const body = { message: message('sales') };
    const { text } = await server.ask({ method: 'POST', path: '/v1/message:stream', headers, body });
    const updates = eventsOf(text).slice(1);
    expect(updates.length).toBeGreaterThan(2);
    for (const { json } of updates) {
      expect(json).toMatchObject({ metadata: { traceId, spanId: expect.stringMatching(/^[0-9a-f]{16}$/) } });
    }
  });
});
