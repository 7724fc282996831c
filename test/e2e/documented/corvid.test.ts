/**
 * The types, functions, invariants, scenarios, error cases and variables of the A2A specification of corvid-agent: its requests
 * are sent to an agent of ours, and our client calls an agent like that of corvid where the specification describes a caller.
 *
 * In test/e2e/profiles/corvid.test.ts: `invokeRemoteAgent()` of corvid against our server (Scenario: Remote agent invocation) and the
 * scenario "Inbound task timeout" (invariant 6). In test/engine/timeout.test.ts, on a fake clock: invariant 7.
 * In test/fixtures/wire (003-…): each printed request and task, decoded and encoded.
 */
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';

import type { Handler } from '../../../src/engine/handler.ts';
import { connect, tryDiscover } from '../../../src/index.ts';
import { listenAddress } from '../../../src/node/listen-address.ts';
import { serve, type ServeOptions } from '../../../src/node/serve.ts';
import { silentLog } from '../../../src/observe/log.ts';
import { agent as createAgent } from '../../../src/agent/agent.ts';
import type { AgentOptions } from '../../../src/agent/agent-options.ts';
import { memoryStore } from '../../../src/store/memory/store.ts';
import { type Clock, systemClock } from '../../../src/support/time/clock.ts';
import { deferred } from '../../../src/support/deferred.ts';
import { serveCorvid } from '../../fixtures/peers/corvid.ts';
import { json, startPeer } from '../client/peer.ts';
import type { Ask } from '../kit/exchange.ts';
import { serveOnSocket, type TestServer } from '../kit/server.ts';

interface FlatTask {
  readonly id: string;
  readonly state: string;
  readonly messages: readonly { readonly role: string; readonly parts: readonly { readonly text: string }[] }[];
}

const ID = expect.stringMatching(/^[\w-]{10,}$/) as string;
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string;
const CARD = '/.well-known/agent-card.json';

/** A card like that of corvid. */
const CORVID = {
  name: 'Corvid',
  description: 'Works on tasks.',
  version: '1.0.0',
  url: 'https://agent.example.com',
  capabilities: {},
  authentication: { schemes: ['Bearer'] },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [],
};

const createCorvid = (run: Handler, more: Partial<AgentOptions> = {}) =>
  createAgent({ name: 'Corvid', description: 'Works on tasks.', run, ...more });

const serveRun = (run: Handler, options: ServeOptions = {}, more: Partial<AgentOptions> = {}) =>
  serveOnSocket(createCorvid(run, more), { profile: 'corvid', ...options });

const send = (body: object): Ask => ({ method: 'POST', path: '/a2a/tasks/send', body });
const get = (id: string): Ask => ({ method: 'GET', path: `/a2a/tasks/${id}` });
const said = (role: 'user' | 'agent', text: string) => ({ role, parts: [{ type: 'text', text }] });
const sent = async ({ ask }: Pick<TestServer, 'ask'>, body: object): Promise<FlatTask> =>
  (await ask(send(body))).json as FlatTask;

/** Polls a task until it is in this state. */
async function reached({ ask }: Pick<TestServer, 'ask'>, id: string, state: string): Promise<FlatTask> {
  await expect.poll(async () => (await ask(get(id))).json).toMatchObject({ state });
  return (await ask(get(id))).json as FlatTask;
}

describe('Public API: Exported Types', () => {
  test.each<[string, Handler]>([
    ['working', async ({ ask }) => void (await ask('Which part?'))],
    ['completed', () => 'Hi there'],
    [
      'failed',
      () => {
        throw new Error('The tool broke');
      },
    ],
  ])('A2ATaskState: a task can be %s', async (state, run) => {
    const server = await serveRun(run);
    const task = await sent(server, { message: 'Hello' });
    await reached(server, task.id, state);
  });

  test('A2ATaskState: a task that waits for its turn is submitted', async () => {
    const gate = deferred<void>();
    const server = await serveRun(() => gate.promise, {}, { concurrency: 1 });
    const first = await sent(server, { message: 'Hello' });
    await reached(server, first.id, 'working');
    const second = await sent(server, { message: 'Hello' });
    expect((await server.ask(get(second.id))).json).toMatchObject({ state: 'submitted' });
    gate.resolve();
    await reached(server, second.id, 'completed');
  });

  // A2A has more states than the union of corvid. An end that is not a success is failed there.
  test('A2ATaskState: a rejected task is failed, with its reason as the last message', async () => {
    const server = await serveRun(({ reject }) => reject('Not for me'));
    const { id } = await sent(server, { message: 'Hello' });
    expect((await reached(server, id, 'failed')).messages.at(-1)).toEqual(said('agent', 'Not for me'));
  });

  test('A2AMessage: messages have the role user or agent, and text parts', async () => {
    const server = await serveRun(() => 'Hi there');
    const { id } = await sent(server, { message: 'Hello' });
    expect((await reached(server, id, 'completed')).messages).toEqual([
      said('user', 'Hello'),
      said('agent', 'Hi there'),
    ]);
  });

  test('A2ATask: a task has id, state, messages, sessionId and timestamps', async () => {
    const server = await serveRun(async ({ ask }) => ask('Which part?'));
    expect(await sent(server, { message: 'Hello' })).toEqual({
      id: ID,
      state: expect.stringMatching(/^(?:submitted|working)$/) as string,
      messages: [said('user', 'Hello')],
      sessionId: ID,
      createdAt: TIME,
      updatedAt: TIME,
    });
  });

  test.each([
    ['at the top of the body', { message: 'Hello', skill: 'greet' }],
    ['under params', { params: { message: 'Hello', skill: 'greet' } }],
  ])('A2ATaskSendRequest: tasks/send takes the message %s', async (_, body) => {
    const server = await serveRun(({ text, metadata }) => `${text} ${JSON.stringify(metadata)}`);
    const { id } = await sent(server, body);
    const { messages } = await reached(server, id, 'completed');
    expect(messages.at(-1)?.parts[0]?.text).toMatch(/^Hello \{.*"skill":"greet"/);
  });
});

describe('Public API: Exported Functions', () => {
  test('fetchAgentCard: GET /.well-known/agent-card.json has name and version, which corvid requires', async () => {
    const { ask } = await serveRun(() => 'Hi there');
    const { status, json: card } = await ask({ method: 'GET', path: CARD });
    expect([status, card]).toMatchObject([200, { name: 'Corvid', version: '1.0.0', skills: [{ id: 'corvid' }] }]);
  });

  test('fetchAgentCard with our client: connect(url) has the card', async () => {
    const { url } = await serveCorvid();
    await using agent = await connect(url);
    expect(agent.card).toMatchObject({ name: 'CorvidAgent', version: '0.9.0' });
  });

  test('discoverAgent with our client: tryDiscover(url) has the card', async () => {
    const { url } = await serveCorvid();
    expect(await tryDiscover(url)).toMatchObject({ card: { name: 'CorvidAgent' } });
  });

  test('clearAgentCardCache with our client: cache: false asks for the card again', async () => {
    const { url, seen } = await serveCorvid();
    for (const cache of [true, false]) await (await connect(url, { cache })).close();
    expect(seen.filter((one) => one === `GET ${CARD}`)).toHaveLength(2);
  });

  test('invokeRemoteAgent with our client: send() submits the task and polls it to its end', async () => {
    const { url, seen } = await serveCorvid();
    await using agent = await connect(url);
    expect(await agent.send('Summarize this')).toMatchObject({ state: 'completed', text: 'You said: Summarize this' });
    expect(seen).toContain('POST /a2a/tasks/send');
  });

  test('handleTaskSend: POST /a2a/tasks/send returns the task at once', async () => {
    const { ask } = await serveRun(async ({ ask: askCaller }) => askCaller('Which part?'));
    const { status, json: task } = await ask(send({ message: 'Hello' }));
    expect([status, task]).toMatchObject([200, { id: ID, messages: [said('user', 'Hello')] }]);
  });

  test('handleTaskGet: GET /a2a/tasks/:id returns the task, and 404 where corvid has null', async () => {
    const server = await serveRun(() => 'Hi there');
    const { id } = await sent(server, { message: 'Hello' });
    expect((await server.ask(get(id))).json).toMatchObject({ id });
    const unknown = await server.ask(get('unknown'));
    expect([unknown.status, unknown.json]).toEqual([404, { error: 'Task not found' }]);
  });

  test('buildAgentCard, buildAgentCardForAgent: each agent has a card of its own options at its own address', async () => {
    const skill = { id: 'review', name: 'Review', description: 'Reviews code', tags: ['code'] };
    const { ask, url } = await serveRun(() => 'Hi there', {}, { name: 'Reviewer', version: '2.0.0', skills: [skill] });
    expect((await ask({ method: 'GET', path: `/a2a/tasks${CARD}` })).json).toMatchObject({
      name: 'Reviewer',
      description: 'Works on tasks.',
      url,
      version: '2.0.0',
      skills: [skill],
    });
  });
});

describe('Invariants', () => {
  // In corvid a late error turns a completed task into a failed one, against this invariant. Ours stays completed.
  test('1. Task state machine is forward-only: a completed task cannot be canceled', async () => {
    const server = await serveRun(() => 'Hi there');
    const { id } = await sent(server, { message: 'Hello' });
    await reached(server, id, 'completed');
    await using agent = await connect(server.url);
    await expect(agent.cancel(id)).rejects.toMatchObject({ code: 'TASK_NOT_CANCELABLE' });
    expect((await server.ask(get(id))).json).toMatchObject({ state: 'completed' });
  });

  test('2. Task state transitions are event-driven: a task completes when its handler returns', async () => {
    const gate = deferred<void>();
    const server = await serveRun(async () => {
      await gate.promise;
      return 'Hi there';
    });
    const { id } = await sent(server, { message: 'Hello' });
    await reached(server, id, 'working');
    gate.resolve();
    await reached(server, id, 'completed');
  });

  // corvid keeps 1000 tasks in memory. Ours are in a store; the memory store takes a limit, SQLite and PostgreSQL a retention.
  test('4. Task store is capped: the oldest ended task gives way to a new one', async () => {
    const server = await serveRun(({ text }) => text, { store: memoryStore({ maxTasks: 1 }) });
    const first = await sent(server, { message: 'One' });
    await reached(server, first.id, 'completed');
    const second = await sent(server, { message: 'Two' });
    await reached(server, second.id, 'completed');
    expect((await server.ask(get(first.id))).status).toBe(404);
  });

  test('5. Active tasks are never pruned: a new task is rejected while the store is full of them', async () => {
    const server = await serveRun(async ({ ask }) => ask('Which part?'), { store: memoryStore({ maxTasks: 1 }) });
    const { id } = await sent(server, { message: 'One' });
    await reached(server, id, 'working');
    expect((await server.ask(send({ message: 'Two' }))).status).toBe(503);
    expect((await server.ask(get(id))).json).toMatchObject({ state: 'working' });
  });

  test('6. Timeout produces a failed task: the default is 5 minutes', () => {
    expect(createCorvid(() => 'Hi there').limits.timeoutMs).toBe(300_000);
  });

  test('10. Remote invocation polls GET /a2a/tasks/:id until the task has ended', async () => {
    const { url, gate, seen } = await serveCorvid();
    await using agent = await connect(url);
    const reply = agent.send('wait');
    const polls = () => seen.filter((one) => one.startsWith('GET /a2a/tasks/')).length;
    await expect.poll(polls).toBeGreaterThan(1);
    gate.resolve();
    expect(await reply).toMatchObject({ state: 'completed', text: 'You said: wait' });
  });

  test('11. Remote invocation extracts last agent message', async () => {
    const { url } = await serveCorvid();
    await using agent = await connect(url);
    expect(await agent.ask('report')).toBe('Three.');
  });

  test('12. Agent cards include all registered tools as skills, with humanized names and tags', async () => {
    const tools = [{ name: 'corvid_web_search', description: 'Searches the web' }];
    const { ask } = await serveRun(() => 'Hi there', {}, { tools });
    expect((await ask({ method: 'GET', path: CARD })).json).toMatchObject({
      skills: [
        {
          id: 'corvid_web_search',
          name: 'Corvid web search',
          description: 'Searches the web',
          tags: expect.arrayContaining([expect.any(String)]) as string[],
        },
      ],
    });
  });

  test('14. Agent-specific cards respect permissions: a hidden tool is not on the card', async () => {
    const tools = [{ name: 'corvid_web_search' }, { name: 'corvid_wallet', visibility: 'hidden' as const }];
    const { ask } = await serveRun(() => 'Hi there', {}, { tools });
    const { json: card } = await ask({ method: 'GET', path: CARD });
    expect(card).toMatchObject({ skills: [{ id: 'corvid_web_search' }] });
    expect(JSON.stringify(card)).not.toContain('corvid_wallet');
  });
});

describe('Behavioral Examples', () => {
  test('Scenario: Inbound task lifecycle', async () => {
    const gates = { reply: deferred<void>(), exit: deferred<void>() };
    const server = await serveRun(async function* () {
      await gates.reply.promise;
      yield 'Hi there';
      await gates.exit.promise;
    });
    const { id, state } = await sent(server, { message: 'Hello' });
    expect(state).toMatch(/^(?:submitted|working)$/);
    await reached(server, id, 'working');
    gates.reply.resolve();
    await expect
      .poll(async () => (await server.ask(get(id))).json)
      .toMatchObject({ state: 'working', messages: [said('user', 'Hello'), said('agent', 'Hi there')] });
    gates.exit.resolve();
    expect((await reached(server, id, 'completed')).messages).toEqual([
      said('user', 'Hello'),
      said('agent', 'Hi there'),
    ]);
  });

  test('Scenario: Remote agent invocation, with our client', async () => {
    const polled = { state: 'completed', messages: [{ role: 'agent', parts: [{ text: 'Summary...' }] }] };
    const { url, got } = await startPeer(
      ({ method, path }, response) => {
        if (!path.startsWith('/a2a/tasks/')) return void response.writeHead(404).end();
        json(response, { id: 't-1', ...(method === 'POST' ? { state: 'working', messages: [] } : polled) });
      },
      { card: (_, response, peer) => json(response, { ...CORVID, url: peer.url }) },
    );
    await using agent = await connect(url);
    const reply = await agent.send('Summarize this');
    expect(reply).toMatchObject({ state: 'completed', text: 'Summary...', task: { id: 't-1' } });
    const submitted = got.find(({ path }) => path === '/a2a/tasks/send');
    expect(JSON.parse(submitted?.body ?? '')).toEqual({ params: { message: 'Summarize this' } });
  });

  test.each([
    ['2 minutes later the card is not asked for again', 2, 1],
    ['6 minutes later it is', 6, 2],
  ])('Scenario: Agent card caching, with our client: %s', async (_, minutes, requests) => {
    let ahead = 0;
    const clock: Clock = {
      now: () => systemClock.now() + ahead,
      callAt: (time, run) => systemClock.callAt(time - ahead, run),
    };
    const { url, seen } = await serveCorvid();
    await (await connect(url, { clock })).close();
    ahead = minutes * 60_000;
    await (await connect(url, { clock })).close();
    expect(seen.filter((one) => one === `GET ${CARD}`)).toHaveLength(requests);
  });
});

describe('Error Cases', () => {
  const unused = () => {};

  test('Remote agent card fetch fails (non-2xx): connect() throws DISCOVERY_FAILED with the HTTP status', async () => {
    const { url } = await startPeer(unused, { card: (_, response) => void response.writeHead(500).end() });
    await expect(connect(url)).rejects.toMatchObject({
      code: 'DISCOVERY_FAILED',
      message: expect.stringContaining('500') as string,
    });
  });

  const withoutField = (field: string) =>
    startPeer(unused, { card: (_, response) => json(response, { ...CORVID, [field]: undefined }) });

  test('Remote agent card missing name: connect() throws an error that names the field', async () => {
    const { url } = await withoutField('name');
    await expect(connect(url)).rejects.toMatchObject({ message: expect.stringContaining('name') as string });
  });

  // corvid throws. Ours connects with a warning, because nothing depends on the version; `strict` throws.
  test('Remote agent card missing version: connect() warns, and throws with strict', async () => {
    const { url } = await withoutField('version');
    await using agent = await connect(url);
    expect(JSON.stringify(agent.warnings)).toContain('version');
    await expect(connect(url, { strict: true })).rejects.toMatchObject({
      message: expect.stringContaining('version') as string,
    });
  });

  test('Remote agent discovery fails: tryDiscover() returns null', async () => {
    const { url } = await startPeer(unused, { card: false });
    expect(await tryDiscover(url)).toBeNull();
  });

  test('Task submission to remote fails (non-2xx): send() throws an error with the cause as its code', async () => {
    const { url } = await serveCorvid({ requestsPerMinute: 0 });
    await using agent = await connect(url);
    await expect(agent.send('Summarize this')).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
  });

  test('Remote task poll times out: wait() throws TIMEOUT, with the handle of the task', async () => {
    const { url } = await serveCorvid();
    await using agent = await connect(url);
    const { handle = '' } = await agent.send('wait', { wait: 'none' });
    await expect(agent.task(handle).wait({ timeoutMs: 50 })).rejects.toMatchObject({
      code: 'TIMEOUT',
      details: { handle },
    });
  });

  test('Remote task enters failed state: send() returns it, and throws TASK_FAILED with failed: "throw"', async () => {
    const { url } = await serveCorvid();
    await using agent = await connect(url);
    expect(await agent.send('fail')).toMatchObject({ state: 'failed', text: '' });
    await expect(agent.send('fail', { failed: 'throw' })).rejects.toMatchObject({
      code: 'TASK_FAILED',
      message: 'The task was failed',
    });
  });

  test('Process manager emits error event: a handler that throws fails the task', async () => {
    const server = await serveRun(() => {
      throw new Error('The process died');
    });
    const { id } = await sent(server, { message: 'Hello' });
    const { messages } = await reached(server, id, 'failed');
    expect(messages.at(-1)?.parts[0]?.text).toMatch(/^The agent failed\. Reference: /);
  });
});

describe('Configuration', () => {
  beforeEach(() => {
    for (const name of ['PORT', 'BIND_HOST', 'A2A_SECRET']) vi.stubEnv(name, '');
    onTestFinished(() => void vi.unstubAllEnvs());
  });

  // The default of corvid is 3000, where many development servers listen. Ours is 4100.
  test('PORT: the server listens there, and at 4100 by default', () => {
    expect(listenAddress({}).port).toBe(4100);
    vi.stubEnv('PORT', '3000');
    expect(listenAddress({}).port).toBe(3000);
  });

  test('BIND_HOST: the server listens there, and at 127.0.0.1 by default', () => {
    expect(listenAddress({}).host).toBe('127.0.0.1');
    vi.stubEnv('BIND_HOST', '0.0.0.0');
    expect(listenAddress({}).host).toBe('0.0.0.0');
  });

  test('PORT and BIND_HOST are in the url of the agent card', async () => {
    vi.stubEnv('PORT', '0');
    vi.stubEnv('BIND_HOST', 'localhost');
    const server = await serve(
      createCorvid(() => 'Hi there'),
      { profile: 'corvid', store: memoryStore(), log: silentLog },
    );
    onTestFinished(() => server.close());
    const card = await fetch(`${server.url}/a2a/tasks${CARD}`);
    expect(await card.json()).toMatchObject({ url: `http://localhost:${server.port}` });
  });
});
