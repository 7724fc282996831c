/** Tenants: whose tasks a call sees, in 1.0 (§8.3.2); older versions have none. */
import { describe, expect, test } from 'vitest';

import type { Ask } from './kit/exchange.ts';
import { startServer } from './kit/server.ts';
import { sendTask } from './kit/talk.ts';
import { REST_03, REST_1, RPC_1 } from './kit/voices.ts';
import { rpc } from './kit/voices/rpc.ts';

const MESSAGE = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'about' }] };

const WAYS = [
  {
    name: 'JSON-RPC',
    voice: RPC_1,
    send: (tenant: string): Ask => rpc('1.0', 'SendMessage', { tenant, message: MESSAGE }),
    get: (tenant: string, id: string): Ask => rpc('1.0', 'GetTask', { tenant, id }),
    list: (tenant: string): Ask => rpc('1.0', 'ListTasks', { tenant }),
    cancel: (tenant: string, id: string): Ask => rpc('1.0', 'CancelTask', { tenant, id }),
  },
  {
    name: 'the path',
    voice: REST_1,
    send: (tenant: string): Ask => ({
      method: 'POST',
      path: `/${encodeURIComponent(tenant)}/message:send`,
      body: { message: MESSAGE },
    }),
    get: (tenant: string, id: string): Ask => ({ method: 'GET', path: `/${encodeURIComponent(tenant)}/tasks/${id}` }),
    list: (tenant: string): Ask => ({ method: 'GET', path: `/${encodeURIComponent(tenant)}/tasks` }),
    cancel: (tenant: string, id: string): Ask => ({
      method: 'POST',
      path: `/${encodeURIComponent(tenant)}/tasks/${id}:cancel`,
    }),
  },
  {
    name: 'body and query',
    voice: REST_1,
    send: (tenant: string): Ask => ({ method: 'POST', path: '/message:send', body: { tenant, message: MESSAGE } }),
    get: (tenant: string, id: string): Ask => ({
      method: 'GET',
      path: `/tasks/${id}?tenant=${encodeURIComponent(tenant)}`,
    }),
    list: (tenant: string): Ask => ({ method: 'GET', path: `/tasks?tenant=${encodeURIComponent(tenant)}` }),
    cancel: (tenant: string, id: string): Ask => ({ method: 'POST', path: `/tasks/${id}:cancel`, body: { tenant } }),
  },
];

describe.each(WAYS)('a tenant in $name', ({ voice, send, get, list, cancel }) => {
  test.each(['acme', 'Ünser Haus/7', 'a:b'])('%s: sees its own tasks, and nobody else does', async (tenant) => {
    const server = await startServer();
    const sent = voice.sent(await server.ask(send(tenant)));
    if (!('task' in sent)) expect.fail('Expected a task');
    const { id, artifacts } = sent.task;

    expect(artifacts?.['about']).toContain(`"tenant":${JSON.stringify(tenant)}`);
    expect(voice.task(await server.ask(get(tenant, id)))).toEqual(sent.task);
    expect((await server.ask(list(tenant))).text).toContain(id);
    for (const other of ['globex', 'ACME']) {
      expect(voice.error(await server.ask(get(other, id)))).toMatchObject({ reason: 'TASK_NOT_FOUND' });
      expect(voice.error(await server.ask(cancel(other, id)))).toMatchObject({ reason: 'TASK_NOT_FOUND' });
      expect((await server.ask(list(other))).text).toContain('"totalSize":0');
    }
    expect(voice.error(await server.ask(voice.get(id)))).toMatchObject({ reason: 'TASK_NOT_FOUND' });
  });
});

test('who names no tenant has tasks of his own', async () => {
  const server = await startServer();
  const { id } = await sendTask(server, RPC_1, { text: 'hello' });

  const foreign = await server.ask({ method: 'GET', path: `/acme/tasks/${id}` });
  const empty = await server.ask(rpc('1.0', 'GetTask', { id, tenant: '' }));

  expect(foreign.status).toBe(404);
  expect(RPC_1.task(empty).id).toBe(id);
});

test('the path and the body must name the same one', async () => {
  const server = await startServer();

  const body = { tenant: 'globex', message: MESSAGE };
  const { status, json } = await server.ask({ method: 'POST', path: '/acme/message:send', body });

  expect(status).toBe(400);
  expect(json).toMatchObject({ error: { details: [{}, { fieldViolations: [{ field: 'tenant' }] }] } });
  expect(server.runs()).toBe(0);
});

test.each([
  { name: 'a2a', status: 404 },
  { name: 'rpc', status: 404 },
  { name: 'agents', status: 404 },
  { name: 'healthz', status: 404 },
  { name: 'readyz', status: 404 },
  { name: 'metrics', status: 404 },
  { name: 'console', status: 404 },
  { name: '.well-known', status: 404 },
  { name: 'extendedAgentCard', status: 404 },
  // The path of a task, which cannot be posted to.
  { name: 'tasks', status: 405 },
])('$name is no tenant: the name is taken', async ({ name, status }) => {
  const server = await startServer({ rpcPaths: ['/a2a', '/rpc/deep'] });

  const answer = await server.ask({ method: 'POST', path: `/${name}/message:send`, body: { message: MESSAGE } });

  expect(answer.status).toBe(status);
  expect(server.runs()).toBe(0);
});

test('v1 is no tenant: it is where 0.3 has its paths', async () => {
  const server = await startServer();

  const { artifacts } = await sendTask(server, REST_03, { text: 'about' });

  expect(artifacts?.['about']).toContain('"tenant":""');
});
