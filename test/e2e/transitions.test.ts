/** The state changes of a task: returned by GetTask to its owner, if the request names the extension. */
import { LINEAGE } from '../../src/model/lineage.ts';
import { QUESTIONS } from '../../src/model/question.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';

import type { BindingName } from '../../src/client/options.ts';
import { memoryStore } from '../../src/store/memory/store.ts';
import { sqlite } from '../../src/store/sqlite/store.ts';
import { fakePeer } from '../../src/testing/fake-peer.ts';
import type { ProtocolVersion } from '../../src/wire/version.ts';
import { connected } from './client/kit.ts';
import { as, knownCallers } from './kit/callers.ts';
import { countingStore } from './kit/counting-store.ts';
import type { Answer, Ask } from './kit/exchange.ts';
import { startServer } from './kit/server.ts';
import { sendTask } from './kit/tasks.ts';
import { REST_03, REST_03_KIND, RPC_1, WIRE_FORMATS, type WireFormat } from './kit/wire-formats.ts';

const URI = 'urn:tandem-a2a:transitions:1';

/** The handler reports nothing before its question, so there is no event with the state `working` before it. */
const PLAIN = ['submitted', 'input-required', 'working', 'completed'];

interface WireTransitions {
  readonly transitions: readonly { readonly state: string; readonly timestamp: string }[];
  readonly truncated?: boolean;
}

function withExtension(ask: Ask, header = 'a2a-extensions'): Ask {
  return { ...ask, headers: { ...ask.headers, [header]: URI } };
}

/** The data of the extension in the metadata of the task. */
function transitionsOf({ json }: Answer): WireTransitions | undefined {
  const { result } = json as { result?: unknown };
  const { metadata } = (result ?? json) as { metadata?: Readonly<Record<string, WireTransitions>> };
  return metadata?.[URI];
}

/** The states as written in a wire format. */
function statesIn(format: WireFormat, plain: readonly string[]): readonly string[] {
  const isPlain = format.version !== '1.0' && format !== REST_03;
  return isPlain ? plain : plain.map((word) => `TASK_STATE_${word.toUpperCase().replace('-', '_')}`);
}

describe('GetTask with the extension', () => {
  test.each([
    ...WIRE_FORMATS.map((format) => ({ name: format.name, format })),
    { name: '0.3 REST of the style kind', format: REST_03_KIND },
  ])('$name: returns the state changes of the task, oldest first, in the format of the version', async ({ format }) => {
    const server = await startServer(format === REST_03_KIND ? { restStyle: 'kind' } : {});
    const { id } = await sendTask(server, format, { text: 'ask' });
    await sendTask(server, format, { text: 'Paris', taskId: id });

    const answer = await server.ask(withExtension(format.get(id)));

    const { transitions = [], truncated } = transitionsOf(answer) ?? {};
    expect(transitions.map(({ state }) => state)).toEqual(statesIn(format, PLAIN));
    expect(truncated).toBeUndefined();
    const times = transitions.map(({ timestamp }) => Date.parse(timestamp));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(answer.headers[format.version === '1.0' ? 'a2a-extensions' : 'x-a2a-extensions']).toBe(URI);
  });

  test('accepts the header name of the versions before 1.0', async () => {
    const server = await startServer();
    const { id } = await sendTask(server, RPC_1, { text: 'hello' });

    const answer = await server.ask(withExtension(RPC_1.get(id), 'x-a2a-extensions'));

    expect(transitionsOf(answer)?.transitions.at(-1)?.state).toBe('TASK_STATE_COMPLETED');
  });

  test.each(WIRE_FORMATS)('$name: gets TaskNotFound for a task of another caller', async (format) => {
    const auth = knownCallers({ id: 'ann', isVerified: true }, { id: 'bob', isVerified: true });
    const server = await startServer({ auth });
    const input = { text: 'ask', ...(format.name.startsWith('0.1') && { taskId: 'mine' }) };
    const sent = format.sent(await server.ask(as('ann', format.send(input))));
    const id = 'task' in sent ? sent.task.id : '';

    const own = await server.ask(as('ann', withExtension(format.get(id))));
    const other = await server.ask(as('bob', withExtension(format.get(id))));

    expect(transitionsOf(own)?.transitions).not.toHaveLength(0);
    expect(format.error(other).reason).toBe('TASK_NOT_FOUND');
    expect(other.text).not.toContain(URI);
  });

  test('keeps the state changes across a restart on SQLite', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'transitions-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const store = sqlite(join(folder, 'tasks.db'));
    const first = await startServer({ store });
    const { id } = await sendTask(first, RPC_1, { text: 'ask' });
    await first.server.close({ finishMs: 0 });
    await store.close();
    const reopened = sqlite(join(folder, 'tasks.db'));
    onTestFinished(() => reopened.close());
    const second = await startServer({ store: reopened });
    await sendTask(second, RPC_1, { text: 'Paris', taskId: id });

    const { transitions = [] } = transitionsOf(await second.ask(withExtension(RPC_1.get(id)))) ?? {};

    expect(transitions.map(({ state }) => state)).toEqual(statesIn(RPC_1, PLAIN));
  });

  test('returns only the last state, marked as truncated, once retention has removed the events', async () => {
    const server = await startServer({ retention: { replayWindowMs: 0, everyMs: 10 } });
    const { id } = await sendTask(server, RPC_1, { text: 'hello' });

    await expect.poll(async () => transitionsOf(await server.ask(withExtension(RPC_1.get(id))))?.truncated).toBe(true);

    const { transitions = [] } = transitionsOf(await server.ask(withExtension(RPC_1.get(id)))) ?? {};
    expect(transitions.map(({ state }) => state)).toEqual(['TASK_STATE_COMPLETED']);
  });
});

test.each(WIRE_FORMATS)(
  '$name: GetTask without the extension reads no events and returns no state changes',
  async (format) => {
    const counting = countingStore(memoryStore());
    const server = await startServer({ store: counting.store });
    const { id } = await sendTask(server, format, { text: 'hello' });

    const { result, calls } = await counting.during(() => server.ask(format.get(id)));

    expect(transitionsOf(result)).toBeUndefined();
    expect(calls).not.toContain('events');
  },
);

test('with stateTransitionHistory false no card offers state changes, and a request for them is ignored', async () => {
  const server = await startServer({ stateTransitionHistory: false, profile: 'agent-native' });
  const { id } = await sendTask(server, RPC_1, { text: 'hello' });

  const cards = [await server.ask({ method: 'GET', path: '/_agent-native/a2a/.well-known/agent-card.json' })];
  for (const [path, version] of [
    ['agent-card.json', '1.0'],
    ['agent-card.json', '0.3'],
    ['agent.json', '0.2'],
    ['agent.json', '0.1'],
  ] as const) {
    cards.push(await server.ask({ method: 'GET', path: `/.well-known/${path}`, headers: { 'a2a-version': version } }));
  }
  const answer = await server.ask(withExtension(RPC_1.get(id)));

  for (const card of cards) {
    expect(card.status).toBe(200);
    expect(card.text).not.toMatch(/transitions:1|"stateTransitionHistory":true/);
  }
  expect(transitionsOf(answer)).toBeUndefined();
  expect(answer.headers['a2a-extensions']).toBeUndefined();
});

test('an agent that declares the extension itself has it once on its card', async () => {
  const server = await startServer({ agent: { extensions: [{ uri: URI, description: 'Own words' }] } });

  const { json } = await server.ask({
    method: 'GET',
    path: '/.well-known/agent-card.json',
    headers: { 'a2a-version': '1.0' },
  });

  expect(json).toMatchObject({
    capabilities: { extensions: [{ uri: URI, description: 'Own words' }, QUESTIONS, LINEAGE] },
  });
});

describe('task.transitions() of the client', () => {
  const WAYS: readonly (readonly [ProtocolVersion, BindingName])[] = [
    ['1.0', 'JSONRPC'],
    ['1.0', 'HTTP+JSON'],
    ['0.3', 'JSONRPC'],
    ['0.3', 'HTTP+JSON'],
    ['0.2', 'JSONRPC'],
    ['0.1', 'JSONRPC'],
  ];

  test.each(WAYS)('%s %s: returns the states in the spelling of the client, oldest first', async (version, binding) => {
    const server = await startServer();
    const agent = await connected(server.url, { version, binding });
    const asked = await agent.send('ask');
    const task = agent.task(asked.handle ?? '');
    await task.answer('Paris');
    const canceled = await agent.send('hold', { wait: 'none' });
    await agent.cancel(canceled.task?.id ?? '');

    const { transitions, truncated } = await task.transitions();
    const other = await agent.task(canceled.handle ?? '').transitions();

    expect(transitions.map(({ state }) => state)).toEqual(PLAIN);
    for (const { timestamp } of transitions) expect(timestamp).toMatch(/^\d{4}-.*Z$/);
    expect(truncated).toBe(false);
    expect(other.transitions.at(-1)?.state).toBe('canceled');
  });

  test('throws UNSUPPORTED_OPERATION with the missing extension for an agent without it', async () => {
    const peer = await fakePeer();
    onTestFinished(() => peer.close());
    const agent = await connected(peer.url);
    const sent = await agent.send('hello');

    await expect(agent.task(sent.handle ?? '').transitions()).rejects.toMatchObject({
      code: 'UNSUPPORTED_OPERATION',
      message: expect.stringContaining(URI) as string,
    });
  });
});
