/** Errors of calls that a handler makes to another agent must not reach the caller of the handler. */
import { describe, expect, test } from 'vitest';

import type { AgentClient } from '../../src/client/client.ts';
import { connect, tryDiscover } from '../../src/client/connect.ts';
import type { Handler } from '../../src/engine/handler.ts';
import { A2AError, isNested } from '../../src/errors.ts';
import { agent } from '../../src/agent/agent.ts';
import type { Authenticator } from '../../src/host/auth/authenticator.ts';
import { recordingLog } from '../helpers/recording-log.ts';
import { connected, unusedAddress } from './client/kit.ts';
import { serveOnSocket, startServer } from './kit/server.ts';
import { REST_1, RPC_1 } from './kit/wire-formats.ts';

const INTERNAL = /^The agent failed\. Reference: [\w-]+$/;

/** The agent that the handler calls. */
const WORKER = agent({
  name: 'Worker',
  description: 'Fails, or asks.',
  async run({ text, ask }) {
    if (text === 'fail') throw new A2AError('UNAVAILABLE', 'SECRET-REASON');
    return `Off to ${await ask('Which city?')}`;
  },
});

interface Outcome {
  /** The status text that the outer caller reads. */
  readonly text: string;
  /** The whole response to the outer caller. */
  readonly whole: string;
  readonly logged: string;
}

async function outcomeOf(run: Handler): Promise<Outcome> {
  const log = recordingLog();
  const server = await serveOnSocket(agent({ name: 'Boss', description: 'Calls others.', run }), { log });
  const { text: whole } = await server.ask(RPC_1.send({ text: 'go' }));
  const outer = await connected(server.url);
  const reply = await outer.send('go');
  return { text: reply.text, whole, logged: JSON.stringify(log.lines, withErrors) };
}

/** A replacer, because JSON.stringify omits the message and the cause of an error. */
function withErrors(_: string, value: unknown): unknown {
  return value instanceof Error ? { message: value.message, cause: value.cause } : value;
}

/** Calls to another agent that fail inside a handler, and a text that their error contains. */
const CALLS: readonly (readonly [string, (worker: string, dead: string) => Promise<unknown>, string])[] = [
  ['an agent that cannot be reached', (_, dead) => connect(dead, { reconnectMs: 0 }), 'cannot be reached'],
  ['a task of the other agent that fails', async (worker) => (await connected(worker)).ask('fail'), 'SECRET-REASON'],
  ['an error of the other agent', async (worker) => (await connected(worker)).get('SECRET-ID'), 'SECRET-ID'],
  ['a question of the other agent', async (worker) => (await connected(worker)).ask('ask'), 'Which city?'],
  [
    'a stream that cannot be opened',
    async (worker) => (await connected(worker)).task('SECRET-ID').subscribe().next(),
    'SECRET-ID',
  ],
];

describe.each(CALLS)('%s', (_, call, secret) => {
  test.each<[string, (work: () => Promise<unknown>) => Handler]>([
    ['is thrown', (work) => async () => void (await work())],
    [
      'is caught and thrown again',
      (work) => async () =>
        work().catch((error: unknown) => {
          throw error;
        }) as never,
    ],
    [
      'is thrown by a step',
      (work) =>
        async ({ step }) =>
          void (await step('call', work as never)),
    ],
    [
      'is the cause of an error',
      (work) => async () =>
        work().catch((cause: unknown) => {
          throw new Error('The worker is away', { cause });
        }) as never,
    ],
  ])('that %s reaches the caller as a reference, and the log in full', async (_how, handlerOf) => {
    const worker = await serveOnSocket(WORKER);
    const dead = await unusedAddress();
    const { text, whole, logged } = await outcomeOf(handlerOf(() => call(worker.url, dead)));

    expect(text).toMatch(INTERNAL);
    for (const part of [new URL(worker.url).host, new URL(dead).host, secret]) expect(whole).not.toContain(part);
    expect(logged).toContain(secret);
  });
});

test('an A2AError that the handler creates reaches the caller with its text, without its cause', async () => {
  const dead = await unusedAddress();
  const { text, whole } = await outcomeOf(async () => {
    await connect(dead, { reconnectMs: 0 }).catch((cause: unknown) => {
      throw new A2AError('UNAVAILABLE', 'The weather service is away: try again tomorrow', { cause });
    });
    return 'never';
  });

  expect(text).toBe('The weather service is away: try again tomorrow');
  expect(whole).not.toContain(new URL(dead).host);
});

test('an error of a client call inside auth reaches the caller as a reference', async () => {
  const dead = await unusedAddress();
  const log = recordingLog();
  const auth: Authenticator = {
    schemes: {},
    challenge: 'Bearer',
    authenticate: async () => {
      await connect(dead, { reconnectMs: 0 });
      return undefined;
    },
  };
  const { ask } = await startServer({ auth, log });
  const answer = await ask(REST_1.get('task-1'));

  expect(answer.status).toBe(500);
  expect(answer.text).not.toContain(new URL(dead).host);
  expect(JSON.stringify(log.lines, withErrors)).toContain(new URL(dead).host);
});

/** Every call of a client that can fail. */
const FAILING: Readonly<Record<string, (client: AgentClient) => unknown>> = {
  ask: (client) => client.ask('hello'),
  'ask without waiting': (client) => client.ask('hello', { wait: 'none' as never }),
  'ask nothing': (client) => client.ask({}),
  send: (client) => client.send('hello'),
  stream: (client) => client.stream('hello').next(),
  'stream nothing': (client) => client.stream({}),
  task: (client) => client.task('task1_broken'),
  get: (client) => client.get('t'),
  list: (client) => client.list(),
  cancel: (client) => client.cancel('t'),
  extendedCard: (client) => client.extendedCard(),
  download: (client) => client.download({ url: 'http://127.0.0.1:9/file' }),
  'pushConfigs.set': (client) => client.pushConfigs.set('t', { url: 'https://example.com' }),
  'pushConfigs.get': (client) => client.pushConfigs.get('t', 'c'),
  'pushConfigs.list': (client) => client.pushConfigs.list('t'),
  'pushConfigs.delete': (client) => client.pushConfigs.delete('t', 'c'),
  'task.wait': (client) => client.task('t').wait(),
  'task.get': (client) => client.task('t').get(),
  'task.cancel': (client) => client.task('t').cancel(),
  'task.answer': (client) => client.task('t').answer('yes'),
  'task.subscribe': (client) => client.task('t').subscribe().next(),
};

test.each(Object.entries(FAILING))('an error of %s is marked as nested', async (_, call) => {
  const dead = await unusedAddress();
  const card = {
    name: 'Dead',
    description: '',
    version: '1',
    capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: true },
    skills: [],
    supportedInterfaces: [{ url: dead, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
  };
  const client = await connected(card, { allowOrigins: [dead], retries: 0 });
  const error = await (async () => call(client))().then(
    () => expect.fail('Expected an error'),
    (thrown: unknown) => thrown,
  );

  expect(A2AError.is(error)).toBe(true);
  expect(isNested(error)).toBe(true);
});

test.each<[string, (dead: string) => Promise<unknown>]>([
  ['an address', (dead) => connect(dead, { reconnectMs: 0 })],
  ['a broken address', () => connect('http://[')],
  ['a broken handle', () => connect('task1_broken')],
  ['a card without interfaces', () => connect({ name: 'x' })],
])('an error of connect() with %s is marked as nested', async (_, call) => {
  const error = await call(await unusedAddress()).then(
    () => expect.fail('Expected an error'),
    (thrown: unknown) => thrown,
  );

  expect(isNested(error)).toBe(true);
});

test('an error of tryDiscover() is marked as nested', async () => {
  const { url } = await startServer({
    auth: { schemes: {}, challenge: 'Bearer', authenticate: () => undefined },
    access: { protectCard: true },
  });
  const error = await tryDiscover(url).catch((thrown: unknown) => thrown);

  expect(A2AError.is(error, 'UNAUTHENTICATED')).toBe(true);
  expect(isNested(error)).toBe(true);
});
