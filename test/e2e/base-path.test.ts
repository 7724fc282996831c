/** `basePath`: the agent responds below this path only. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { describe, expect, onTestFinished, test } from 'vitest';
import { toNodeListener } from '../../src/node/listener.ts';
import { silentLog } from '../../src/observe/log.ts';
import { type AgentHandler, createHandler } from '../../src/server/handler.ts';
import { memoryStore } from '../../src/store/memory/store.ts';
import { bridge } from './kit/bridge.ts';
import { exchange } from './kit/exchange.ts';
import { scripted } from './kit/script.ts';
import { serveOnSocket } from './kit/server.ts';

function handlerOf(): AgentHandler {
  const handler = createHandler(scripted().agent, { store: memoryStore(), log: silentLog, basePath: '/api' });
  onTestFinished(() => handler.close({ finishMs: 0 }));
  return handler;
}

async function listening(handler: AgentHandler): Promise<string> {
  const http = createServer(toNodeListener(handler)).listen(0, '127.0.0.1');
  onTestFinished(() => void http.close());
  await once(http, 'listening');
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
}

/** Each opens an agent below `/api` and returns the origin of its server. */
const SERVERS: Readonly<Record<string, () => Promise<string>>> = {
  fetch: () => bridge(handlerOf().fetch),
  'node:http': () => listening(handlerOf()),
  serve: async () => new URL((await serveOnSocket(scripted().agent, { basePath: '/api/' })).url).origin,
};

describe.each(Object.entries(SERVERS))('an agent with basePath over %s', (_name, open) => {
  test('serves its card, REST and JSON-RPC below basePath, and its card has this URL', async () => {
    const url = await open();

    const card = await exchange(url, { method: 'GET', path: '/api/.well-known/agent-card.json' });
    const tasks = await exchange(url, { method: 'GET', path: '/api/tasks' });
    const rpc = await exchange(url, { method: 'POST', path: '/api', body: { jsonrpc: '2.0', id: 1 } });

    expect(card.json).toMatchObject({ url: `${url}/api/a2a` });
    expect(tasks.json).toMatchObject({ tasks: [] });
    expect(rpc.json).toMatchObject({ id: 1, error: { code: -32600 } });
  });

  test.each([
    ['GET', '/tasks'],
    ['GET', '/other/tasks'],
    ['GET', '/apitasks'],
    ['GET', '/healthz'],
    ['GET', '/.well-known/agent-card.json'],
    ['POST', '/a2a'],
    ['POST', '/'],
    ['POST', '/message:send'],
  ])('responds with 404 to %s %s outside of basePath', async (method, path) => {
    const url = await open();

    const { status, json } = await exchange(url, { method, path, ...(method === 'POST' && { body: {} }) });

    expect(status).toBe(404);
    expect(json).toMatchObject({ error: { code: 404, message: expect.stringContaining('No endpoint at') } });
  });
});

test('the url of a server includes basePath', async () => {
  const { url, server, ask } = await serveOnSocket(scripted().agent, { basePath: '/api' });

  expect(url).toBe(`http://127.0.0.1:${server.port}/api`);
  expect((await ask({ method: 'GET', path: '/readyz' })).json).toEqual({ status: 'ready' });
});
