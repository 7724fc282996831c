import { silentLog } from '../../src/observe/log.ts';
import { type Context, Hono } from 'hono';
import { cors } from 'hono/cors';
import { expect, onTestFinished, test } from 'vitest';
import { type AgentHandler, createHandler, memoryStore, toHono } from '../../src/server/index.ts';
import { createTestAgent, type TestAgent } from '../peers/test-agent.ts';
import { type Mount, mountBehaviours, APP_ROUTES, waitRequest } from './mount-behaviours.ts';
import { listenWith } from './listen.ts';

/** @param basePath The `basePath` of the handler. */
function mount(
  name: string,
  prefix: string,
  build: (app: Hono, handler: AgentHandler) => unknown,
  basePath = prefix,
): Mount {
  return {
    name,
    prefix,
    ...(basePath !== '' && { basePath }),
    open(handler) {
      const app = new Hono();
      build(app, handler);
      app.get(APP_ROUTES.home, (c) => c.text('home'));
      app.get(APP_ROUTES.below, (c) => c.text('below'));
      app.post(APP_ROUTES.echo, async (c) => c.text(JSON.stringify(await c.req.json())));
      return listenWith((request) => app.fetch(request));
    },
  };
}

mountBehaviours('Hono 4', [
  mount('at the root', '', (app, handler) => app.use(toHono(handler))),
  mount('at the root for every path', '', (app, handler) => app.all('*', toHono(handler))),
  mount('under a prefix', '/agent', (app, handler) => app.all('/agent/*', toHono(handler))),
  mount('in its own app', '/v2/agent', (app, handler) => app.route('/v2/agent', new Hono().all('/*', toHono(handler)))),
  mount('under a prefix without basePath', '/agent', (app, handler) => app.all('/agent/*', toHono(handler)), ''),
  mount(
    'in its own app without basePath',
    '/v2/agent',
    (app, handler) => app.route('/v2/agent', new Hono().all('/*', toHono(handler))),
    '',
  ),
  mount('after middleware that reads JSON', '/agent', (app, handler) =>
    app
      .use(async (c, next) => {
        if (c.req.method === 'POST') await c.req.json().catch(() => {});
        await next();
      })
      .all('/agent/*', toHono(handler)),
  ),
]);

/** Creates an app that is called without a socket. */
function appWithAgent(before: (app: Hono) => void = () => {}): TestAgent & { readonly app: Hono } {
  const testAgent = createTestAgent({ onDisconnect: 'cancel' });
  const handler = createHandler(testAgent.agent, { store: memoryStore(), log: silentLog });
  onTestFinished(() => handler.close({ finishMs: 0 }));
  const app = new Hono();
  before(app);
  app.use(toHono(handler));
  return { ...testAgent, app };
}

test.each<[string, (c: Context) => Promise<unknown>]>([
  ['json', (c) => c.req.json()],
  ['text', (c) => c.req.text()],
  ['arrayBuffer', (c) => c.req.arrayBuffer()],
  ['blob', (c) => c.req.blob()],
])('a body that a Hono middleware has read with c.req.%s() can be read by the agent', async (_, read) => {
  const { app, gate } = appWithAgent((app) =>
    app.use(async (c, next) => {
      await read(c);
      await next();
    }),
  );
  gate.resolve();
  const response = await app.request('/message:send', waitRequest());
  expect(await response.json()).toMatchObject({ task: { status: { state: 'TASK_STATE_COMPLETED' } } });
});

test('a request whose body a Hono middleware has consumed gets 500 with the cause', async () => {
  const { app } = appWithAgent((app) =>
    app.use(async (c, next) => {
      await c.req.raw.text();
      await next();
    }),
  );
  const response = await app.request('/message:send', waitRequest());
  expect(response.status).toBe(500);
  expect(await response.json()).toMatchObject({
    error: { message: expect.stringContaining('consumed the request body') },
  });
});

test('headers that a Hono middleware sets are sent with a response of the agent', async () => {
  const { app } = appWithAgent((app) => app.use(cors({ origin: 'https://example.com' })));
  const response = await app.request('/tasks', { headers: { origin: 'https://example.com' } });
  expect(response.headers.get('access-control-allow-origin')).toBe('https://example.com');
  expect(await response.json()).toMatchObject({ tasks: [] });
});

test('a task with onDisconnect: cancel is aborted when its stream is canceled, without a socket', async () => {
  const { app, begun, stopped } = appWithAgent();
  const { body } = await app.request('/message:stream', waitRequest());
  await begun.promise;
  await body?.cancel();
  await stopped.promise;
});

test('a serverless handler calls waitUntil of the execution context of Hono', async () => {
  const works: Promise<unknown>[] = [];
  const host = { waitUntil: (work: Promise<unknown>) => void works.push(work), passThroughOnException() {}, props: {} };
  const { agent } = createTestAgent();
  const serverless = { secret: 'a secret of the agent alone' };
  const handler = createHandler(agent, { store: memoryStore(), log: silentLog, serverless });
  onTestFinished(() => handler.close({ finishMs: 0 }));
  const app = new Hono().all('*', toHono(handler));
  const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hello' }] };
  const request = new Request('https://example.com/message:send', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
    body: JSON.stringify({ message, configuration: { returnImmediately: true } }),
  });
  const { task } = (await (await app.fetch(request, {}, host)).json()) as { readonly task: { readonly id: string } };
  expect(works).toHaveLength(1);
  await Promise.all(works);
  const got = await app.request(`/tasks/${task.id}`, { headers: { 'a2a-version': '1.0' } });
  expect(await got.json()).toMatchObject({ status: { state: expect.not.stringMatching(/SUBMITTED|WORKING/) } });
});

test('a prefix with parameters and no basePath is logged once, with the basePath to set', async () => {
  const warnings: unknown[] = [];
  const log = { ...silentLog, warn: (...line: unknown[]) => void warnings.push(line) };
  const handler = createHandler(createTestAgent().agent, { store: memoryStore(), log, auth: false });
  onTestFinished(() => handler.close({ finishMs: 0 }));
  const app = new Hono().all('/:team/agent/*', toHono(handler));
  for (let i = 0; i < 2; i++) expect((await app.request('/blue/agent/.well-known/agent-card.json')).status).toBe(404);
  expect(warnings.filter((line) => JSON.stringify(line).includes('basePath'))).toEqual([
    [
      'Request does not match the agent; basePath may be missing',
      { path: '/blue/agent/.well-known/agent-card.json', basePath: '/blue/agent' },
    ],
  ]);
});
