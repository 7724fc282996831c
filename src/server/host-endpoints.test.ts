/** Several agents on one host: each at its own path, with one engine, one store and one set of callers. */
import { expect, onTestFinished, test } from 'vitest';
import { agent } from '../agent/agent.ts';
import { bearerTokens } from '../host/auth/bearer-tokens.ts';
import { silentLog } from '../observe/log.ts';
import { memoryStore } from '../store/memory/store.ts';
import { type AgentHandler, createHandler } from './handler.ts';
import type { HandlerOptions } from './options/handler-options.ts';

const ORIGIN = 'https://agents.example';
const MAIL = agent({ name: 'Mail', description: 'Reads mail.', run: ({ text }) => `Mail: ${text}` });
const CRM = agent({
  name: 'CRM',
  description: 'Knows customers.',
  id: 'crm.übersicht',
  run: async ({ text, authorize }) =>
    text === 'log in'
      ? `Logged in: ${await authorize({ text: 'Log in', url: 'https://login.example' })}`
      : `CRM: ${text}`,
});
const CRM_PATH = '/a/crm.%C3%BCbersicht';

function handlerOf(options: HandlerOptions = {}): AgentHandler {
  const handler = createHandler([MAIL, CRM], { store: memoryStore(), log: silentLog, auth: false, ...options });
  onTestFinished(() => handler.close());
  return handler;
}

function get(handler: AgentHandler, path: string, headers: Record<string, string> = {}): Promise<Response> {
  return handler.fetch(new Request(ORIGIN + path, { headers }));
}

function send(handler: AgentHandler, path: string, text: string, headers: Record<string, string> = {}) {
  const message = { messageId: `${path} ${text}`, role: 'ROLE_USER', parts: [{ text }] };
  const configuration = { returnImmediately: text === 'log in' };
  return handler.fetch(
    new Request(`${ORIGIN}${path}/message:send`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'a2a-version': '1.0', ...headers },
      body: JSON.stringify({ message, configuration }),
    }),
  );
}

async function taskOf(response: Promise<Response>) {
  return ((await (await response).json()) as { task: { id: string; artifacts?: unknown; status: unknown } }).task;
}

test.each([
  ['/a/mail', 'Mail'],
  [CRM_PATH, 'CRM'],
])('the card of an agent at %s lists addresses below its path', async (path, name) => {
  const handler = handlerOf();

  const card = (await (await get(handler, `${path}/.well-known/agent-card.json`, { 'a2a-version': '1.0' })).json()) as {
    name: string;
    supportedInterfaces: readonly { readonly url: string }[];
  };

  expect(card.name).toBe(name);
  expect(new Set(card.supportedInterfaces.map(({ url }) => url))).toEqual(
    new Set([`${ORIGIN}${path}/a2a`, `${ORIGIN}${path}`]),
  );
});

test('with a public URL, the cards list addresses below it', async () => {
  const handler = handlerOf({ publicUrl: 'https://public.example/team' });

  const card = await (await get(handler, '/a/mail/.well-known/agent-card.json')).text();

  expect(card).toContain('"https://public.example/team/a/mail/a2a"');
  expect(card).not.toContain(ORIGIN);
});

test('a message reaches the agent of its path, and its task is unknown to the other agent', async () => {
  const handler = handlerOf();

  const task = await taskOf(send(handler, '/a/mail', 'hello'));
  const rpc = await handler.fetch(
    new Request(`${ORIGIN}${CRM_PATH}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: task.id } }),
    }),
  );

  expect(JSON.stringify(task.artifacts)).toContain('Mail: hello');
  expect(JSON.stringify(await taskOf(send(handler, CRM_PATH, 'hello')))).toContain('CRM: hello');
  expect(await rpc.text()).toContain('does not exist');
  expect((await get(handler, `/a/mail/tasks/${task.id}`)).status).toBe(200);
});

test.each(['/', '/a2a', '/a', '/a/calendar', '/a/%ZZ/a2a', '/.well-known/agent-card.json'])(
  'the path %s gets 404 with the paths of the agents',
  async (path) => {
    const response = await get(handlerOf(), path);

    expect(response.status).toBe(404);
    expect(await response.text()).toContain(
      `No endpoint at GET ${path}. This host serves its agents at /a/mail, ${CRM_PATH}`,
    );
  },
);

test('the pages of the host are at its root only', async () => {
  const handler = handlerOf({ metrics: true, auth: bearerTokens({ ann: 'secret' }) });
  const headers = { authorization: 'Bearer secret' };

  expect((await get(handler, '/readyz')).status).toBe(200);
  expect(await (await get(handler, '/metrics', headers)).text()).toContain('tandem_runs{agent="mail"}');
  expect((await get(handler, '/a/mail/readyz', headers)).status).toBe(404);
});

test('callers and their limits are those of the host', async () => {
  const limits = { rate: { perMinute: 1, burst: 2 } };
  const handler = handlerOf({ auth: bearerTokens({ ann: 'secret' }), limits });
  const headers = { authorization: 'Bearer secret' };

  const statuses: number[] = [];
  for (const path of ['/a/mail', CRM_PATH, '/a/mail']) {
    statuses.push((await send(handler, path, 'hello', headers)).status);
  }

  expect(statuses).toEqual([200, 200, 429]);
  expect((await send(handler, '/a/mail', 'hello')).status).toBe(401);
});

test('a credential reaches the task that waits for it, whichever agent it belongs to', async () => {
  const handler = handlerOf();
  const { id } = await taskOf(send(handler, CRM_PATH, 'log in'));
  const state = async () => (await get(handler, `${CRM_PATH}/tasks/${id}`)).text();
  await expect.poll(state).toContain('AUTH_REQUIRED');

  await handler.authorize({ taskId: id, callerId: 'anonymous' }, 'token');

  await expect.poll(state).toContain('Logged in');
});

test.each([
  ['/a/mail/a2a', 'POST', true],
  ['/a/mail', 'POST', true],
  ['/a/mail', 'GET', false],
  ['/a/mail/.well-known/agent-card.json', 'GET', true],
  ['/a/calendar/a2a', 'POST', false],
  ['/a2a', 'POST', false],
  ['/', 'POST', false],
  ['/healthz', 'GET', true],
])('a handler of several agents owns %s for %s: %s', (path, method, owns) => {
  expect(handlerOf().owns(path, method)).toBe(owns);
});

test('one agent in the list is served at the root', async () => {
  const handler = createHandler([MAIL], { store: memoryStore(), log: silentLog, auth: false });
  onTestFinished(() => handler.close());

  expect((await get(handler, '/.well-known/agent-card.json')).status).toBe(200);
  expect((await get(handler, '/a/mail/.well-known/agent-card.json')).status).toBe(404);
});

test.each([
  ['no agent', [], 'createHandler() expects at least one agent, got an empty array'],
  ['another value', [MAIL, {}], 'createHandler() expects an agent created with agent(), got an object'],
  ['an agent twice', [MAIL, MAIL], 'Two agents have the id mail'],
])('a list with %s is rejected', (_what, agents, message) => {
  expect(() => createHandler(agents as never)).toThrow(message);
});
