/** Tenants of 1.0 (§8.3.2), which separate tasks; older versions have none. */
import { describe, expect, test } from 'vitest';

import type { Ask } from './kit/exchange.ts';
import { startServer } from './kit/server.ts';
import { sendTask } from './kit/tasks.ts';
import { REST_03, REST_1, RPC_1 } from './kit/wire-formats.ts';
import { rpc } from './kit/wire-formats/rpc.ts';

const MESSAGE = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'about' }] };

const WAYS = [
  {
    name: 'the params of JSON-RPC',
    format: RPC_1,
    send: (tenant: string): Ask => rpc('1.0', 'SendMessage', { tenant, message: MESSAGE }),
    get: (tenant: string, id: string): Ask => rpc('1.0', 'GetTask', { tenant, id }),
    list: (tenant: string): Ask => rpc('1.0', 'ListTasks', { tenant }),
    cancel: (tenant: string, id: string): Ask => rpc('1.0', 'CancelTask', { tenant, id }),
  },
  {
    name: 'the path of REST',
    format: REST_1,
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
    name: 'the body or query of REST',
    format: REST_1,
    send: (tenant: string): Ask => ({ method: 'POST', path: '/message:send', body: { tenant, message: MESSAGE } }),
    get: (tenant: string, id: string): Ask => ({
      method: 'GET',
      path: `/tasks/${id}?tenant=${encodeURIComponent(tenant)}`,
    }),
    list: (tenant: string): Ask => ({ method: 'GET', path: `/tasks?tenant=${encodeURIComponent(tenant)}` }),
    cancel: (tenant: string, id: string): Ask => ({ method: 'POST', path: `/tasks/${id}:cancel`, body: { tenant } }),
  },
];

describe.each(WAYS)('a tenant in $name', ({ format, send, get, list, cancel }) => {
  test.each(['acme', 'Ünser Haus/7', 'a:b'])('%s: its tasks are visible with this tenant only', async (tenant) => {
    const server = await startServer();
    const sent = format.sent(await server.ask(send(tenant)));
    if (!('task' in sent)) expect.fail('Expected a task');
    const { id, artifacts } = sent.task;

    expect(artifacts?.['about']).toContain(`"tenant":${JSON.stringify(tenant)}`);
    expect(format.task(await server.ask(get(tenant, id)))).toEqual(sent.task);
    expect((await server.ask(list(tenant))).text).toContain(id);
    for (const other of ['globex', 'ACME']) {
      expect(format.error(await server.ask(get(other, id)))).toMatchObject({ reason: 'TASK_NOT_FOUND' });
      expect(format.error(await server.ask(cancel(other, id)))).toMatchObject({ reason: 'TASK_NOT_FOUND' });
      expect((await server.ask(list(other))).text).toContain('"totalSize":0');
    }
    expect(format.error(await server.ask(format.get(id)))).toMatchObject({ reason: 'TASK_NOT_FOUND' });
  });
});

test('a task without a tenant is not visible in a tenant', async () => {
  const server = await startServer();
  const { id } = await sendTask(server, RPC_1, { text: 'hello' });

  const foreign = await server.ask({ method: 'GET', path: `/acme/tasks/${id}` });
  const empty = await server.ask(rpc('1.0', 'GetTask', { id, tenant: '' }));

  expect(foreign.status).toBe(404);
  expect(RPC_1.task(empty).id).toBe(id);
});

test('a tenant in the body that differs from the path is rejected', async () => {
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
  // The path is that of a task, which has no POST.
  { name: 'tasks', status: 405 },
])('/$name/message:send gets $status, because $name is a reserved name and not a tenant', async ({ name, status }) => {
  const server = await startServer({ rpcPaths: ['/a2a', '/rpc/deep'] });

  const answer = await server.ask({ method: 'POST', path: `/${name}/message:send`, body: { message: MESSAGE } });

  expect(answer.status).toBe(status);
  expect(server.runs()).toBe(0);
});

test('v1 is not a tenant, because the paths of 0.3 begin with it', async () => {
  const server = await startServer();

  const { artifacts } = await sendTask(server, REST_03, { text: 'about' });

  expect(artifacts?.['about']).toContain('"tenant":""');
});
