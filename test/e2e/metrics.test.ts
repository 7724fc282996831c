/** The metrics of an agent, and that only its operator can read them. */
import { describe, expect, test } from 'vitest';

import type { Caller, TaskContext } from '../../src/engine/handler.ts';
import type { Authenticator } from '../../src/host/auth/authenticator.ts';
import { agent } from '../../src/agent/agent.ts';
import { createHandler } from '../../src/server/handler.ts';
import { memoryStore } from '../../src/store/memory/store.ts';
import { verifies } from '../helpers/verifies.ts';
import type { Ask } from './kit/exchange.ts';
import { serveOnSocket, startServer, type TestServer } from './kit/server.ts';
import { getTask, sendTask } from './kit/tasks.ts';
import { REST_1, RPC_03, RPC_1 } from './kit/wire-formats.ts';

const METRICS: Ask = { method: 'GET', path: '/metrics' };

/** The lines of the response: name, labels and value. */
async function metricsOf(server: Pick<TestServer, 'ask'>): Promise<readonly string[]> {
  const { status, text } = await server.ask(METRICS);
  expect(status).toBe(200);
  return text.trimEnd().split('\n');
}

describe('GET /metrics', () => {
  test(verifies('O-04', 'counts operations, failures and task states, and measures their duration'), async () => {
    const server = await startServer({ metrics: true });
    await sendTask(server, RPC_1, { text: 'hello' });
    await sendTask(server, RPC_03, { text: 'hello' });
    await server.ask(REST_1.get('unknown'));
    await server.ask({ method: 'POST', path: '/a2a', headers: { 'content-type': 'application/json' }, body: '{' });

    const lines = await metricsOf(server);

    const operation = (labels: string): string => `tandem_operation_seconds_count{operation=${labels}} 1`;
    expect(lines).toContain(operation('"SendMessage",binding="JSONRPC",version="1.0",code="OK"'));
    expect(lines).toContain(operation('"SendMessage",binding="JSONRPC",version="0.3",code="OK"'));
    expect(lines).toContain(operation('"GetTask",binding="HTTP+JSON",version="1.0",code="TASK_NOT_FOUND"'));
    expect(lines).toContain('tandem_failures_total{binding="HTTP+JSON",code="TASK_NOT_FOUND"} 1');
    expect(lines).toContain('tandem_failures_total{binding="JSONRPC",code="PARSE_ERROR"} 1');
    expect(lines).toContain('tandem_task_states_total{agent="script",state="TASK_STATE_COMPLETED"} 2');
    expect(lines).toContain('tandem_task_seconds_count{agent="script",state="TASK_STATE_COMPLETED"} 2');
  });

  test('reports running tasks, queued tasks and open streams', async () => {
    const server = await startServer({ metrics: true, agent: { concurrency: 1, queue: 1 } });
    const held = await server.open(REST_1.stream({ text: 'hold on' }));
    await held.next();
    const queued = await sendTask(server, REST_1, { text: 'hello', returnImmediately: true });
    await server.ask(REST_1.send({ text: 'too many', returnImmediately: true }));

    const busy = await metricsOf(server);
    server.release();
    await held.rest();
    await expect.poll(async () => (await getTask(server, REST_1, queued.id)).state).toBe('completed');
    const idle = await metricsOf(server);

    expect(busy).toContain('tandem_runs{agent="script"} 1');
    expect(busy).toContain('tandem_queue{agent="script"} 1');
    expect(busy).toContain('tandem_open_streams 1');
    expect(busy).toContain('tandem_limits_hit_total{limit="queue"} 1');
    expect(idle).toContain('tandem_queue{agent="script"} 0');
    await expect.poll(async () => metricsOf(server)).toContain('tandem_runs{agent="script"} 0');
    await expect.poll(async () => metricsOf(server)).toContain('tandem_open_streams 0');
  });

  test.each([
    ['a message', false],
    ['handler.authorize()', true],
  ])('counts that a task resumes after a credential from %s', async (_, isAside) => {
    const run = async (ctx: TaskContext): Promise<string> =>
      `${(await ctx.authorize('May I?', { inBand: true })).length}`;
    const asking = agent({ name: 'Asking', description: 'Asks first', run });
    const { ask, open, server } = await serveOnSocket(asking, { metrics: true });
    const { id: taskId } = await sendTask({ ask, open }, RPC_1, { text: 'go' });

    if (isAside) await server.handler.authorize({ taskId, callerId: 'anonymous' }, 'key');
    else await sendTask({ ask, open }, RPC_1, { text: 'key', taskId });
    await expect.poll(async () => (await getTask({ ask, open }, RPC_1, taskId)).state).toBe('completed');

    expect(await metricsOf({ ask })).toContain('tandem_task_states_total{agent="asking",state="TASK_STATE_WORKING"} 1');
  });

  test('is in the format of Prometheus, with one TYPE line per name and cumulative buckets', async () => {
    const server = await startServer({ metrics: true });
    await sendTask(server, RPC_1, { text: 'hello' });

    const lines = await metricsOf(server);

    const types = lines.filter((line) => line.startsWith('# TYPE ')).map((line) => line.split(' ')[2] ?? '');
    expect(new Set(types).size).toBe(types.length);
    for (const line of lines.filter((each) => !each.startsWith('#'))) {
      expect(line).toMatch(/^[a-z_]+(?:\{(?:[a-z]+="[^"]*",?)+\})? [\d.e+-]+$/);
      expect(types.some((type) => line.startsWith(type))).toBe(true);
    }
    const buckets = lines.filter((line) => line.startsWith('tandem_operation_seconds_bucket'));
    const counts = buckets.map((line) => Number(line.split(' ').at(-1)));
    expect(counts).toEqual(counts.toSorted((a, b) => a - b));
    expect(buckets.at(-1)).toMatch(/le="\+Inf"\} 1$/);
  });
});

const KNOWN: Authenticator = {
  schemes: {},
  challenge: 'Bearer',
  authenticate: (request): Caller | undefined => {
    const word = request.header('authorization');
    return word === undefined ? undefined : { id: word, isVerified: word === 'ann' };
  },
};

describe('access to GET /metrics', () => {
  test.each([
    ['a caller on this machine gets 200', {}, {}, 200],
    ['a caller behind a proxy gets 403', {}, { 'x-forwarded-for': '203.0.113.7' }, 403],
    ['a caller with valid credentials gets 200', { auth: KNOWN }, { authorization: 'ann', via: '1.1 proxy' }, 200],
    ['a caller without credentials gets 401 from an agent with auth', { auth: KNOWN }, {}, 401],
    [
      'a caller whose credentials do not verify its identity gets 403',
      { auth: KNOWN },
      { authorization: 'eve', via: '1.1 proxy' },
      403,
    ],
    ['every caller gets 404 unless metrics is true', { metrics: false }, {}, 404],
  ])('%s', async (_, options, headers, status) => {
    const server = await startServer({ metrics: true, ...options });

    expect((await server.ask({ ...METRICS, headers })).status).toBe(status);
  });

  test('a caller of fetch without a remote address gets 403', async () => {
    const echo = agent({ name: 'Echo', description: 'Returns the text', run: ({ text }) => text });
    await using handler = createHandler(echo, { metrics: true, store: memoryStore() });

    expect((await handler.fetch(new Request('http://127.0.0.1/metrics'))).status).toBe(403);
    expect(handler.owns('/metrics', 'GET')).toBe(true);
  });

  test('other methods than GET and HEAD get an Allow header', async () => {
    const server = await startServer({ metrics: true });

    expect((await server.ask({ method: 'POST', path: '/metrics' })).headers).toMatchObject({ allow: 'GET, HEAD' });
  });
});
