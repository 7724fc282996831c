/** Cross-site requests from a browser to an agent without `auth`. */
import { describe, expect, onTestFinished, test } from 'vitest';

import { bearerTokens } from '../../src/host/auth/bearer-tokens.ts';
import { createHandler } from '../../src/server/handler.ts';
import { memoryStore } from '../../src/store/memory/store.ts';
import { recordingLog } from '../helpers/recording-log.ts';
import type { Ask } from './kit/exchange.ts';
import { scripted } from './kit/script.ts';
import { startServer, type TestServer } from './kit/server.ts';
import { RPC_1 } from './kit/wire-formats.ts';

const CARD = '/.well-known/agent-card.json';

const CROSS_SITE: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ['Origin of another site', { origin: 'https://evil.example' }],
  ['Origin null', { origin: 'null' }],
  ['Sec-Fetch-Site cross-site', { 'sec-fetch-site': 'cross-site' }],
  ['both', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
  [
    'Sec-Fetch-Site same-site from another name',
    { origin: 'https://127.0.0.1.evil.example', 'sec-fetch-site': 'same-site' },
  ],
];

const SAME_SITE: readonly (readonly [string, (url: string) => Readonly<Record<string, string>>])[] = [
  ['neither header', () => ({})],
  ['its own origin', (url) => ({ origin: url, 'sec-fetch-site': 'same-origin' })],
  [
    'a development server on this machine',
    () => ({ origin: 'http://localhost:5173', 'sec-fetch-site': 'same-origin' }),
  ],
  ['Sec-Fetch-Site none', () => ({ 'sec-fetch-site': 'none' })],
];

async function paused(server: TestServer): Promise<string> {
  const sent = RPC_1.sent(await server.ask(RPC_1.send({ text: 'ask' })));
  return 'task' in sent ? sent.task.id : expect.fail('Expected a task');
}

/** A request that a form can send without a CORS preflight. */
function cancel(id: string, headers: Readonly<Record<string, string>>): Ask {
  return {
    method: 'POST',
    path: `/tasks/${id}:cancel`,
    headers: { 'content-type': 'text/plain', 'content-length': '0', ...headers },
  };
}

function withHeaders(ask: Ask, headers: Readonly<Record<string, string>>): Ask {
  return { ...ask, headers: { ...ask.headers, ...headers } };
}

describe.each(CROSS_SITE)('a request with %s', (_, headers) => {
  test('cannot cancel a task with an empty form', async () => {
    const server = await startServer();
    const id = await paused(server);

    expect((await server.ask(cancel(id, headers))).status).toBe(403);
    expect((await server.ask(RPC_1.get(id))).text).toContain('TASK_STATE_INPUT_REQUIRED');
  });

  test('gets 403 for every operation, and can read the card and the health check', async () => {
    const server = await startServer();
    const ask = async (request: Ask): Promise<number> => (await server.ask(withHeaders(request, headers))).status;

    expect((await server.ask(withHeaders(RPC_1.send({ text: 'hello' }), headers))).text).toContain(
      'Cross-site request rejected',
    );
    expect(await ask({ method: 'GET', path: '/tasks', headers: { 'a2a-version': '1.0' } })).toBe(403);
    expect(server.runs()).toBe(0);
    for (const path of [CARD, '/healthz']) expect(await ask({ method: 'GET', path })).toBe(200);
  });

  test('gets 403 from a loopback agent with insecurePublic', async () => {
    const server = await startServer({ insecurePublic: true });

    expect((await server.ask({ method: 'GET', path: '/tasks/t', headers })).status).toBe(403);
  });

  test('gets 403 from a mounted handler if the browser needs no CORS preflight for it', async () => {
    const { agent } = scripted();
    const handler = createHandler(agent, { store: memoryStore(), log: recordingLog() });
    onTestFinished(() => handler.close({ finishMs: 0 }));
    const url = 'http://intranet.example/tasks/t';
    const statusOf = async (path: string, init: RequestInit): Promise<number> =>
      (await handler.fetch(new Request(url + path, init))).status;
    const withJson = { ...headers, 'content-type': 'application/json' };

    expect(await statusOf(':cancel', { method: 'POST', headers })).toBe(403);
    // CORS middleware in front of the handler decides about these.
    expect(await statusOf(':cancel', { method: 'POST', headers: withJson, body: '{}' })).toBe(404);
    expect(await statusOf('', { headers })).toBe(404);
  });

  test('is accepted by a public agent with insecurePublic, and by an agent with auth', async () => {
    const open = await startServer({ insecurePublic: true, publicUrl: 'https://agent.example', trustProxy: true });
    const known = await startServer({ auth: bearerTokens({ alice: 'secret-of-alice' }) });
    const proxied = { ...headers, 'x-forwarded-host': 'agent.example' };
    const authorization = 'Bearer secret-of-alice';

    expect((await open.ask({ method: 'GET', path: '/tasks/t', headers: proxied })).status).toBe(404);
    expect((await known.ask({ method: 'GET', path: '/tasks/t', headers: { ...headers, authorization } })).status).toBe(
      404,
    );
  });
});

test.each(SAME_SITE)('a request with %s is accepted', async (_, headers) => {
  const server = await startServer();
  const id = await paused(server);

  expect((await server.ask(cancel(id, headers(server.url)))).status).toBe(200);
});

test('the audit record of a rejected cross-site request names the guard', async () => {
  const records: unknown[] = [];
  const server = await startServer({ audit: (record) => void records.push(record) });
  await server.ask({ method: 'GET', path: '/tasks/t', headers: { origin: 'https://evil.example' } });

  expect(records).toMatchObject([{ outcome: 'rejected', reason: 'PERMISSION_DENIED', detail: 'origin' }]);
});
