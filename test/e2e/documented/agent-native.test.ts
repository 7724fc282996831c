/**
 * The configuration, card, methods, states and client snippets of the A2A documentation of agent-native, run against an agent of ours:
 * with requests as its client sends them, and with our client.
 *
 * In test/e2e/profiles/agent-native.test.ts: `callAgent("How many signups last week?")` with and without `async`, `A2AClient.send()`,
 * `stream()` and `cancel()` of agent-native, secrets of organisations, and the message with parts of three types.
 * In test/e2e/profiles/agent-native-dispatch.test.ts: `_process-task` and its HMAC token (JSON-RPC methods, Serverless gotchas).
 * In test/e2e/without-auth.test.ts: each variable that means production. In test/fixtures/wire (004-…): each printed example, decoded and encoded.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { SignJWT } from 'jose';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';

import type { Handler } from '../../../src/engine/handler.ts';
import { connect } from '../../../src/index.ts';
import type { ServeOptions } from '../../../src/node/serve.ts';
import { agent as createAgent } from '../../../src/agent/agent.ts';
import type { AgentOptions } from '../../../src/agent/agent-options.ts';
import { sqlite } from '../../../src/store/sqlite/store.ts';
import { callAgent, NativeClient, type NativeTask } from '../../fixtures/peers/agent-native-client.ts';
import type { Answer, Ask } from '../kit/exchange.ts';
import { serveOnSocket } from '../kit/server.ts';
import { eventsOf } from '../kit/sse-text.ts';

const ENDPOINT = '/_agent-native/a2a';
const CARD = '/.well-known/agent-card.json';
const SECRET = 'the A2A_SECRET that all apps share';
const SIGNUPS = 'There were 1,247 signups last week';
const ID = expect.stringMatching(/^[\w-]{10,}$/) as string;

/** The skill that the document prints. */
const RUN_QUERY = {
  id: 'run-query',
  name: 'Run Query',
  description: 'Execute a SQL query against the analytics database',
  tags: ['analytics', 'sql'],
  examples: ['Show me signups by source this month'],
};

const serveAnalytics = (run: Handler = () => SIGNUPS, options: ServeOptions = {}, more: Partial<AgentOptions> = {}) =>
  serveOnSocket(
    createAgent({
      name: 'Analytics Agent',
      description: 'Runs analytics queries and returns chart data',
      skills: [RUN_QUERY],
      run,
      ...more,
    }),
    { profile: 'agent-native', ...options },
  );

const says = (text: string) => ({ role: 'user', parts: [{ type: 'text', text }] });
const rpc = (method: string, params: unknown, headers: Readonly<Record<string, string>> = {}): Ask => ({
  method: 'POST',
  path: ENDPOINT,
  headers,
  body: { jsonrpc: '2.0', id: 1, method, params },
});
const taskIn = ({ json }: Answer): NativeTask => (json as { readonly result: NativeTask }).result;
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** A JWT as agent-native signs it for a caller. */
function signed(claims: Record<string, string> = {}): Promise<string> {
  const jwt = new SignJWT({ sub: 'ann@example.com', ...claims }).setProtectedHeader({ alg: 'HS256' });
  return jwt.setExpirationTime('15m').sign(new TextEncoder().encode(SECRET));
}

/** A handler that works until it is canceled. */
const untilStopped: Handler = async ({ status, signal }) => {
  await status('Querying…');
  await new Promise((_, reject) => signal.addEventListener('abort', reject));
};

const HOSTS = ['NETLIFY', 'AWS_LAMBDA_FUNCTION_NAME', 'CF_PAGES', 'VERCEL', 'RENDER', 'FLY_APP_NAME', 'K_SERVICE'];

beforeEach(() => {
  for (const name of ['A2A_SECRET', 'A2A_API_KEY', 'ANALYTICS_API_KEY', 'NODE_ENV', ...HOSTS]) vi.stubEnv(name, '');
  onTestFinished(() => void vi.unstubAllEnvs());
});

describe('Overview', () => {
  test('JSON-RPC: POST /_agent-native/a2a has the form of agent-native, POST /a2a that of A2A 0.3', async () => {
    const { ask } = await serveAnalytics();
    const call = rpc('message/send', { message: says('Show signups') });
    expect(taskIn(await ask(call)).status.message?.parts).toEqual([{ type: 'text', text: SIGNUPS }]);
    expect(taskIn(await ask({ ...call, path: '/a2a' }))).toMatchObject({
      kind: 'task',
      artifacts: [{ parts: [{ kind: 'text', text: SIGNUPS }] }],
    });
  });
});

describe('Server setup', () => {
  test.each([
    ['GET /.well-known/agent-card.json', { method: 'GET', path: CARD }, 200],
    ['POST /_agent-native/a2a', rpc('message/send', { message: says('Show signups') }), 200],
  ])('mountA2A() mounts %s, as the profile does', async (_, call: Ask, status) => {
    const { ask } = await serveAnalytics();
    expect((await ask(call)).status).toBe(status);
  });

  test('streaming: true enables message/stream: here it is always on', async () => {
    const { ask } = await serveAnalytics();
    const { headers, text } = await ask(rpc('message/stream', { message: says('Show signups') }));
    expect(headers['content-type']).toBe('text/event-stream');
    expect(eventsOf(text).length).toBeGreaterThan(1);
  });

  test('apiKeyEnv: "A2A_API_KEY" reads the bearer key from that variable', async () => {
    vi.stubEnv('A2A_API_KEY', 'my-api-key');
    const { ask } = await serveAnalytics(undefined, { apiKeyEnv: 'A2A_API_KEY' });
    const params = { message: says('Show signups') };
    expect((await ask(rpc('message/send', params, bearer('my-api-key')))).status).toBe(200);
    expect((await ask(rpc('message/send', params, bearer('another-key')))).status).toBe(401);
  });

  test('without A2A_SECRET a hosted runtime fails closed with 503 and runs nothing', async () => {
    vi.stubEnv('NETLIFY', 'true');
    const run = vi.fn<Handler>(() => SIGNUPS);
    const { ask } = await serveAnalytics(run);
    expect((await ask(rpc('message/send', { message: says('Show signups') }))).status).toBe(503);
    expect(run).not.toHaveBeenCalled();
  });
});

describe('Agent card', () => {
  const PRINTED = {
    name: 'Analytics Agent',
    description: 'Runs analytics queries and returns chart data',
    version: '1.0.0',
    skills: [RUN_QUERY],
    securitySchemes: { apiKey: { type: 'http', scheme: expect.stringMatching(/^bearer$/i) as string } },
    security: [{ apiKey: [] }],
  };
  const start = () => {
    vi.stubEnv('A2A_API_KEY', 'my-api-key');
    return serveAnalytics(undefined, { apiKeyEnv: 'A2A_API_KEY' });
  };

  test('GET /.well-known/agent-card.json has the printed members, and the address of the server', async () => {
    const { ask, url } = await start();
    expect((await ask({ method: 'GET', path: CARD })).json).toMatchObject({
      ...PRINTED,
      url: `${url}/`,
      capabilities: { streaming: true, pushNotifications: false },
    });
  });

  // Every client of A2A reads the well-known card, so that it has the version of the standard endpoint. The card below the path of the
  // profile is that of agent-native.
  test('GET /_agent-native/a2a/.well-known/agent-card.json has its protocolVersion and capabilities, too', async () => {
    const { ask, url } = await start();
    expect((await ask({ method: 'GET', path: ENDPOINT + CARD })).json).toMatchObject({
      ...PRINTED,
      url: url + ENDPOINT,
      protocolVersion: '0.3',
      capabilities: { streaming: true, pushNotifications: false, stateTransitionHistory: true },
    });
  });

  test.each([CARD, ENDPOINT + CARD])(
    'Per-tenant skill filtering: %s has no skill of a user or an organisation',
    async (path) => {
      const ids = ['mcp__user_5f0c_gmail', 'mcp__org_acme_crm', 'mcp__files__read', 'run-query'];
      const skills = ids.map((id) => ({ ...RUN_QUERY, id }));
      const { ask } = await serveAnalytics(undefined, {}, { skills });
      expect((await ask({ method: 'GET', path })).json).toMatchObject({
        skills: [{ id: 'mcp__files__read' }, { id: 'run-query' }],
      });
    },
  );
});

describe('JSON-RPC methods', () => {
  test('message/send waits for the completed task', async () => {
    const { ask } = await serveAnalytics();
    expect(
      taskIn(await ask(rpc('message/send', { message: says('Show signups by source'), contextId: 'c-1' }))),
    ).toMatchObject({
      id: ID,
      contextId: 'c-1',
      status: { state: 'completed', message: { role: 'agent', parts: [{ type: 'text', text: SIGNUPS }] } },
    });
  });

  test('message/send with async: true returns immediately in working state', async () => {
    const { ask } = await serveAnalytics(untilStopped);
    const task = taskIn(await ask(rpc('message/send', { message: says('Show signups'), async: true })));
    expect(task).toMatchObject({ id: ID, status: { state: 'working' } });
  });

  test('message/stream sends SSE task updates, each the whole task', async () => {
    const { ask } = await serveAnalytics();
    const { text } = await ask(rpc('message/stream', { message: says('Show signups'), contextId: 'c-1' }));
    const tasks = eventsOf(text).map(({ json }) => taskIn({ json } as Answer));
    expect(tasks.every(({ id, contextId }) => id === tasks[0]?.id && contextId === 'c-1')).toBe(true);
    expect(tasks.at(-1)?.status).toMatchObject({ state: 'completed', message: { parts: [{ text: SIGNUPS }] } });
  });

  test('tasks/get polls an async task to completion', async () => {
    const { ask } = await serveAnalytics();
    const { id } = taskIn(await ask(rpc('message/send', { message: says('Show signups'), async: true })));
    await expect
      .poll(async () => taskIn(await ask(rpc('tasks/get', { id }))))
      .toMatchObject({ id, status: { state: 'completed' } });
  });

  test('tasks/cancel cancels a running task', async () => {
    const { ask } = await serveAnalytics(untilStopped);
    const { id } = taskIn(await ask(rpc('message/send', { message: says('Show signups'), async: true })));
    expect(taskIn(await ask(rpc('tasks/cancel', { id })))).toMatchObject({ id, status: { state: 'canceled' } });
  });

  // "..." stands for the content of the file. Base64 has no dots, and the server names the part.
  test('the printed message, with the bytes "...", is -32602 with the place of the mistake', async () => {
    const { ask } = await serveAnalytics();
    const message = {
      role: 'user',
      parts: [
        { type: 'text', text: 'Show signups by source' },
        { type: 'data', data: { dateRange: 'last-30d' } },
        { type: 'file', file: { name: 'report.csv', mimeType: 'text/csv', bytes: '...' } },
      ],
    };
    const { json, text } = await ask(rpc('message/send', { message }));
    expect(json).toMatchObject({ error: { code: -32602 } });
    expect(text).toContain('message.parts[2].file.bytes');
  });
});

describe('Client', () => {
  const start = () => {
    vi.stubEnv('A2A_API_KEY', 'my-api-key');
    return serveAnalytics(({ text }) => `Report: ${text}`, { apiKeyEnv: 'A2A_API_KEY' });
  };

  test('new A2AClient(url, "my-api-key"): getAgentCard(), send() and stream() of the snippet', async () => {
    const { url } = await start();
    const client = new NativeClient(url, 'my-api-key');
    expect((await client.getAgentCard())['skills']).toEqual([RUN_QUERY]);
    const task = await client.send(says('Show signups by source this month'));
    expect(task.status).toMatchObject({
      state: 'completed',
      message: { parts: [{ text: 'Report: Show signups by source this month' }] },
    });
    const updates: string[] = [];
    for await (const { status } of client.stream(says('Generate a full quarterly report'))) updates.push(status.state);
    expect([updates[0], updates.at(-1)]).toEqual(['submitted', 'completed']);
  });

  test('the snippet with our client: connect(url, { auth: "my-api-key" }), agent.card, agent.send() and agent.stream()', async () => {
    const { url } = await start();
    await using agent = await connect(url, { auth: 'my-api-key' });
    expect(agent.card.skills).toEqual([RUN_QUERY]);
    const reply = await agent.send('Show signups by source this month');
    expect(reply).toMatchObject({ state: 'completed', text: 'Report: Show signups by source this month' });
    const stream = agent.stream('Generate a full quarterly report');
    for await (const _ of stream);
    expect(stream.task?.status.state).toBe('TASK_STATE_COMPLETED');
  });

  test('Convenience helper with our client: (await connect(url, { auth: apiKey })).ask("How many signups last week?")', async () => {
    vi.stubEnv('ANALYTICS_API_KEY', 'the-analytics-key');
    const { url } = await serveAnalytics(undefined, { apiKeyEnv: 'ANALYTICS_API_KEY' });
    await using agent = await connect(url, { auth: process.env['ANALYTICS_API_KEY'] ?? '' });
    expect(await agent.ask('How many signups last week?')).toBe(SIGNUPS);
  });
});

describe('Task lifecycle', () => {
  test('submitted: the first update of a stream is a task that was created', async () => {
    const { ask } = await serveAnalytics();
    const { text } = await ask(rpc('message/stream', { message: says('Show signups') }));
    expect(taskIn(eventsOf(text)[0] as unknown as Answer).status.state).toBe('submitted');
  });

  test('working: the handler is processing the message', async () => {
    const { ask } = await serveAnalytics(untilStopped);
    const { id } = taskIn(await ask(rpc('message/send', { message: says('Show signups'), async: true })));
    await expect
      .poll(async () => taskIn(await ask(rpc('tasks/get', { id }))).status)
      .toMatchObject({ state: 'working', message: { parts: [{ type: 'text', text: 'Querying…' }] } });
  });

  test.each<[string, string, Handler]>([
    ['completed', 'the handler finished successfully', () => SIGNUPS],
    [
      'failed',
      'the handler threw an error',
      () => {
        throw new Error('The query broke');
      },
    ],
    ['input-required', 'the handler needs more information', async ({ ask }) => ask('Which week?')],
  ])('%s: %s', async (state, _, run) => {
    const { ask } = await serveAnalytics(run);
    expect(taskIn(await ask(rpc('message/send', { message: says('Show signups') }))).status.state).toBe(state);
  });

  // In agent-native a task that has ended can be canceled. Ours cannot: a completed task stays completed.
  test('canceled: tasks/cancel of a completed task is -32002', async () => {
    const { ask } = await serveAnalytics();
    const { id } = taskIn(await ask(rpc('message/send', { message: says('Show signups') })));
    expect((await ask(rpc('tasks/cancel', { id }))).json).toMatchObject({ error: { code: -32002 } });
  });

  // Its tasks are in the SQL table `a2a_tasks`. Ours are in a store: SQLite by default.
  test('tasks persist and can be retrieved later by tasks/get, after a restart, too', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tandem-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const open = () => sqlite(join(folder, 'tasks.db'));
    const before = open();
    const first = await serveAnalytics(undefined, { store: before });
    const { id } = taskIn(await first.ask(rpc('message/send', { message: says('Show signups') })));
    await first.server.close();
    await before.close();
    const after = open();
    const second = await serveAnalytics(undefined, { store: after });
    expect(taskIn(await second.ask(rpc('tasks/get', { id })))).toMatchObject({
      id,
      status: { state: 'completed', message: { parts: [{ type: 'text', text: SIGNUPS }] } },
    });
    await second.server.close();
    await after.close();
  });
});

describe('Security', () => {
  const SEND = { message: says('Show signups') };

  test('A2A_SECRET: a JWT signed with it identifies the caller by its sub', async () => {
    vi.stubEnv('A2A_SECRET', SECRET);
    const { ask } = await serveAnalytics(({ caller }) => caller.id);
    const task = taskIn(await ask(rpc('message/send', SEND, bearer(await signed()))));
    expect(task.status.message?.parts).toEqual([{ type: 'text', text: 'shared#ann@example.com' }]);
  });

  test('A2A_SECRET: a call without a token, or with another one, is 401 before the handler runs', async () => {
    vi.stubEnv('A2A_SECRET', SECRET);
    const run = vi.fn<Handler>(() => SIGNUPS);
    const { ask } = await serveAnalytics(run);
    expect((await ask(rpc('message/send', SEND))).status).toBe(401);
    expect((await ask(rpc('message/send', SEND, bearer('not-a-jwt')))).status).toBe(401);
    expect(run).not.toHaveBeenCalled();
  });

  test('A2A_API_KEY is accepted beside JWTs of A2A_SECRET', async () => {
    vi.stubEnv('A2A_SECRET', SECRET);
    vi.stubEnv('A2A_API_KEY', 'my-api-key');
    const { ask } = await serveAnalytics(undefined, { apiKeyEnv: 'A2A_API_KEY' });
    for (const token of [await signed(), 'my-api-key'])
      expect((await ask(rpc('message/send', SEND, bearer(token)))).status).toBe(200);
  });

  test('new A2AClient(url, process.env.A2A_API_KEY) with our client: connect(url, { auth: process.env.A2A_API_KEY })', async () => {
    vi.stubEnv('A2A_API_KEY', 'my-api-key');
    const { url } = await serveAnalytics(undefined, { apiKeyEnv: 'A2A_API_KEY' });
    await using agent = await connect(url, { auth: process.env['A2A_API_KEY'] ?? '' });
    expect(await agent.ask('Show signups')).toBe(SIGNUPS);
  });

  test('the agent card is public, whatever the endpoint requires', async () => {
    vi.stubEnv('A2A_SECRET', SECRET);
    const { ask } = await serveAnalytics();
    expect((await ask({ method: 'GET', path: CARD })).status).toBe(200);
  });

  test('in local development auth can be omitted', async () => {
    const { ask } = await serveAnalytics();
    expect((await ask(rpc('message/send', SEND))).status).toBe(200);
  });

  describe('Auth policy boundary', () => {
    test.each(HOSTS)('isA2AProductionRuntime(): with %s, missing auth is 503, also at _process-task', async (name) => {
      vi.stubEnv(name, '1');
      const { ask } = await serveAnalytics();
      expect((await ask(rpc('message/send', SEND))).status).toBe(503);
      const process = { method: 'POST', path: `${ENDPOINT}/_process-task`, body: { taskId: 't-1' } };
      expect((await ask(process)).status).toBe(503);
    });

    test('hasConfiguredA2ASecret(): with A2A_SECRET a production runtime serves callers with a token', async () => {
      vi.stubEnv('NETLIFY', 'true');
      vi.stubEnv('A2A_SECRET', SECRET);
      const { ask } = await serveAnalytics();
      expect((await ask(rpc('message/send', SEND, bearer(await signed())))).status).toBe(200);
    });

    test.each([
      ['has the scheme jwtBearer with A2A_SECRET', SECRET, ['jwtBearer']],
      ['has no scheme without it', '', []],
    ])('shouldAdvertiseJwtA2AAuth(): the card %s', async (_, secret, names) => {
      vi.stubEnv('A2A_SECRET', secret);
      const { ask } = await serveAnalytics();
      const { json } = await ask({ method: 'GET', path: ENDPOINT + CARD });
      expect(Object.keys((json as { readonly securitySchemes?: object }).securitySchemes ?? {})).toEqual(names);
    });

    test('verifyA2AToken: the aud of a token must be the agent', async () => {
      vi.stubEnv('A2A_SECRET', SECRET);
      const { ask, url } = await serveAnalytics();
      const statusFor = async (aud: string) =>
        (await ask(rpc('message/send', SEND, bearer(await signed({ aud }))))).status;
      expect([await statusFor(url), await statusFor('https://mail.example.com')]).toEqual([200, 401]);
    });
  });
});

describe('Continuations', () => {
  test('callAgent(url, "Generate the quarterly report", { userEmail }): polls, with a JWT for the user', async () => {
    vi.stubEnv('A2A_SECRET', SECRET);
    const { url } = await serveAnalytics(({ text, caller }) => `${text} for ${caller.id}`);
    const apiKey = await signed();
    expect(await callAgent(url, 'Generate the quarterly report', { apiKey })).toBe(
      'Generate the quarterly report for shared#ann@example.com',
    );
  });

  test('callAgent(url, "Generate the quarterly report", { userEmail }) with our client: auth: { secret, subject: userEmail }', async () => {
    vi.stubEnv('A2A_SECRET', SECRET);
    const { url } = await serveAnalytics(({ text, caller }) => `${text} for ${caller.id}`);
    await using agent = await connect(url, { auth: { secret: SECRET, subject: 'ann@example.com' } });
    expect(await agent.ask('Generate the quarterly report', { wait: 'poll' })).toBe(
      'Generate the quarterly report for shared#ann@example.com',
    );
  });

  test('callAgent(url, "Quick lookup", { async: false }): one blocking request', async () => {
    const { url } = await serveAnalytics();
    expect(await callAgent(url, 'Quick lookup', { async: false })).toBe(SIGNUPS);
  });

  test('callAgent(url, "Quick lookup", { async: false }) with our client: wait: "block"', async () => {
    const { url } = await serveAnalytics();
    await using agent = await connect(url);
    expect(await agent.ask('Quick lookup', { wait: 'block' })).toBe(SIGNUPS);
  });

  test('message/send with async: true with our client: wait: "none", and task.wait() later', async () => {
    const { url } = await serveAnalytics();
    await using agent = await connect(url);
    const { handle = '' } = await agent.send('Generate the quarterly report', { wait: 'none' });
    expect(await agent.task(handle).wait({ wait: 'poll' })).toMatchObject({ state: 'completed', text: SIGNUPS });
  });
});

describe('Example: cross-agent query', () => {
  test('the mail agent asks the analytics agent with its API key, and uses the text of the response', async () => {
    vi.stubEnv('ANALYTICS_API_KEY', 'the-analytics-key');
    const { url } = await serveAnalytics(({ text }) => `Result of: ${text}`, { apiKeyEnv: 'ANALYTICS_API_KEY' });
    const mail = await serveAnalytics(
      async () => {
        await using analytics = await connect(url, { auth: process.env['ANALYTICS_API_KEY'] ?? '' });
        return await analytics.ask('How many emails were sent last week by category?');
      },
      {},
      { name: 'Mail Agent' },
    );
    expect(await callAgent(mail.url, 'Report on my emails')).toBe(
      'Result of: How many emails were sent last week by category?',
    );
  });
});
