/** Responses that never arrive: a call is found again without a second task, or its outcome is uncertain. */
import { describe, expect, test } from 'vitest';
import { questionsOf, type TaskQuestion } from '../../../src/client/task-question.ts';
import type { PeerOptions } from '../../../src/peers/peer-options.ts';
import { agent, memoryStore, type Store } from '../../../src/server/index.ts';
import { serveSdk02 } from '../../fixtures/peers/sdk-02.ts';
import { serveSdk03 } from '../../fixtures/peers/sdk-03.ts';
import { serveSdk1 } from '../../fixtures/peers/sdk-1.ts';
import { silenceConsole } from '../../fixtures/peers/silence-console.ts';
import { serveOnSocket, startServer } from '../../e2e/kit/server.ts';
import { unusedAddress } from '../../e2e/client/kit.ts';
import { callOf, failureOf, NEVER, peerAt, settledTask, taskOf } from './kit.ts';
import { startLossyProxy } from './lossy-proxy.ts';

silenceConsole();

const HOUR_MS = 3_600_000;

type Format = Pick<PeerOptions, 'version' | 'binding'>;

/** A store that outlives a restart of its agent, so that the agent recognises repeats. */
function durableStore(): Store {
  return new Proxy(memoryStore(), {
    get(store, name) {
      if (name === 'isVolatile') return false;
      if (name === 'close') return () => Promise.resolve();
      const value: unknown = Reflect.get(store, name, store);
      return typeof value === 'function' ? (value.bind(store) as unknown) : value;
    },
  });
}

const isSend = (method: string, body: string): boolean => method === 'POST' && body.includes('"messageId"');
const isOldSend = (method: string, body: string): boolean => method === 'POST' && body.includes('tasks/send');

const FORMATS: readonly Format[] = [
  { version: '1.0', binding: 'JSONRPC' },
  { version: '1.0', binding: 'HTTP+JSON' },
  { version: '0.3', binding: 'JSONRPC' },
  { version: '0.3', binding: 'HTTP+JSON' },
  { version: '0.2', binding: 'JSONRPC' },
];

describe.each(FORMATS)('a Tandem peer with a durable store ($version over $binding)', (format) => {
  test('gets the same message again with the same key, and runs once', async () => {
    const { url, runs } = await startServer({ store: durableStore() });
    const proxy = await startLossyProxy(url);
    const peer = peerAt({ url: proxy.url, ...format });
    const call = callOf('hi', { metadata: { own: 1 } });
    proxy.loseNext(isSend);
    const error = await failureOf(peer.start(call, NEVER));
    expect(error).toMatchObject({ name: 'PeerError', kind: 'unreachable', isUnsent: false });

    const { id } = taskOf(await peer.attach(call, Date.now(), NEVER));
    await settledTask(peer, call, id);
    expect(runs()).toBe(1);
    const [first, second] = proxy.bodies.filter((body) => isSend('POST', body));
    expect(second).toBe(first);
    const keys = proxy.headers.map((headers) => headers['idempotency-key']).filter((key) => key !== undefined);
    expect(keys).toEqual([call.id, call.id]);
  });

  test('is found again by its task when it has restarted', async () => {
    const store = durableStore();
    const first = await startServer({ store });
    const proxy = await startLossyProxy(first.url);
    const call = callOf('hold');
    const { id } = taskOf(await peerAt({ url: proxy.url, ...format }).start(call, NEVER));
    await first.server.close({ finishMs: 0 });
    const second = await startServer({ store });
    proxy.moveTo(second.url);
    second.release();
    expect((await settledTask(peerAt({ url: proxy.url, ...format }), call, id)).status.state).toBe(
      'TASK_STATE_COMPLETED',
    );
  });
});

test('a peer of 0.1 is found again by the task id that the caller chose', async () => {
  const { url, runs } = await startServer();
  const proxy = await startLossyProxy(url);
  const peer = peerAt({ url: proxy.url, version: '0.1' });
  const call = callOf('hi');
  proxy.loseNext(isOldSend);
  expect(await failureOf(peer.start(call, NEVER))).toMatchObject({ kind: 'unreachable', isUnsent: false });
  expect(taskOf(await peer.attach(call, Date.now(), NEVER)).id).toBe(call.id);
  expect(runs()).toBe(1);
});

test('a peer of 0.1 that does not know the task is uncertain', async () => {
  const { url, runs } = await startServer();
  expect(await peerAt({ url, version: '0.1' }).attach(callOf('hi'), Date.now(), NEVER)).toBeUndefined();
  expect(runs()).toBe(0);
});

test.each<[string, Format]>([
  ['1.0 over JSON-RPC', { version: '1.0', binding: 'JSONRPC' }],
  ['1.0 over REST', { version: '1.0', binding: 'HTTP+JSON' }],
])('a Tandem peer that keeps tasks in memory is found again by listing them (%s)', async (_, format) => {
  const { url, runs } = await startServer();
  const proxy = await startLossyProxy(url);
  const peer = peerAt({ url: proxy.url, ...format });
  const call = callOf('hi');
  const { contextId = '' } = call.message;
  // Another call of the same conversation.
  await peer.start(callOf('hi', { message: { ...call.message, messageId: 'other' } }), NEVER);
  proxy.loseNext(isSend);
  await failureOf(peer.start(call, NEVER));
  const found = taskOf(await peer.attach(call, Date.now(), NEVER));
  expect(found.contextId).toBe(contextId);
  expect(found.history?.map(({ messageId }) => messageId)).toContain(call.message.messageId);
  expect(runs()).toBe(2);
});

test('a key is not used again after the lifetime that the peer declares', async () => {
  const { url, runs } = await startServer({ store: durableStore() });
  const proxy = await startLossyProxy(url);
  const peer = peerAt({ url: proxy.url, version: '0.3' });
  const call = callOf('hi');
  proxy.loseNext(isSend);
  await failureOf(peer.start(call, NEVER));
  expect(await peer.attach(call, Date.now() - 24 * HOUR_MS, NEVER)).toBeUndefined();
  expect(taskOf(await peer.attach(call, Date.now() - 23 * HOUR_MS, NEVER)).contextId).toBe(call.message.contextId);
  expect(runs()).toBe(1);
});

test.each([
  ['1.x over JSON-RPC', () => serveSdk1({ preferred: 'JSONRPC' })],
  ['1.x over REST', () => serveSdk1({ preferred: 'HTTP+JSON' })],
])('a peer of the official SDK %s is found again by listing its tasks', async (_, serve) => {
  const { url, turns } = await serve();
  const proxy = await startLossyProxy(url);
  const peer = peerAt(proxy.url);
  const call = callOf('wait');
  proxy.loseNext(isSend);
  await failureOf(peer.start(call, NEVER));
  const { id } = taskOf(await peer.attach(call, Date.now(), NEVER));
  expect(taskOf(await peer.get(call, id, NEVER)).contextId).toBe(call.message.contextId);
  expect(turns).toEqual(['wait']);
});

test.each([
  ['0.3 over JSON-RPC', () => serveSdk03('JSONRPC'), {}],
  ['0.3 over REST', () => serveSdk03('HTTP+JSON'), {}],
  ['0.2', serveSdk02, { version: '0.2' }],
] as const)('a call to a peer of the official SDK %s is uncertain, and is not sent again', async (_, serve, format) => {
  const { url, turns } = await serve();
  const proxy = await startLossyProxy(url);
  const peer = peerAt({ url: proxy.url, ...format });
  const call = callOf('hi');
  proxy.loseNext(isSend);
  await failureOf(peer.start(call, NEVER));
  expect(await peer.attach(call, Date.now(), NEVER)).toBeUndefined();
  expect(turns).toEqual(['hi']);
});

test.each([
  ['1.0', 'JSONRPC'],
  ['0.3', 'JSONRPC'],
] as const)('an answer to a Tandem peer of %s whose response was lost is read once', async (version, binding) => {
  const twice = agent({
    name: 'Clerk',
    description: 'Asks twice.',
    run: async ({ ask }) => `From ${await ask('From?')} to ${await ask('To?')}`,
  });
  const { url } = await serveOnSocket(twice, { store: durableStore() });
  const proxy = await startLossyProxy(url);
  const peer = peerAt({ url: proxy.url, version, binding });
  const call = callOf('book');
  const { id } = taskOf(await peer.start(call, NEVER));
  const first = await settledTask(peer, call, id);
  const questionId = first.status.message?.messageId;
  const answer = {
    questionId,
    message: { messageId: 'answer-1', role: 'ROLE_USER', parts: [{ text: 'one' }] },
  } as const;
  proxy.loseNext(isSend);
  expect(await failureOf(peer.answer(call, id, answer, NEVER))).toMatchObject({ kind: 'unreachable' });
  await settledTask(peer, call, id, questionId);
  await peer.answer(call, id, answer, NEVER);
  const second = await settledTask(peer, call, id, questionId);
  expect(second.status).toMatchObject({ state: 'TASK_STATE_INPUT_REQUIRED', message: { parts: [{ text: 'To?' }] } });
});

test('an answer names its question, so that a question which is open behind another one can be answered', async () => {
  const both = agent({
    name: 'Clerk',
    description: 'Asks two questions at once.',
    run: async ({ ask }) => (await Promise.all([ask('From?'), ask('To?')])).join(' to '),
  });
  const { url } = await serveOnSocket(both);
  const peer = peerAt({ url });
  const call = callOf('book');
  const { id } = taskOf(await peer.start(call, NEVER));
  let questions: readonly TaskQuestion[] = [];
  while (questions.length < 2) questions = questionsOf(await settledTask(peer, call, id));
  const [first, second] = questions;
  const answer = (questionId: string | undefined, messageId: string, text: string) =>
    peer.answer(call, id, { questionId, message: { messageId, role: 'ROLE_USER', parts: [{ text }] } }, NEVER);
  await answer(second?.id, 'answer-2', 'Rome');
  await answer(first?.id, 'answer-1', 'Paris');
  const ended = await settledTask(peer, call, id, first?.id);
  expect(ended.artifacts?.[0]?.parts).toMatchObject([{ text: 'Paris to Rome' }]);
});

test('an answer is not sent again to a peer that has read it, although it does not recognise repeats', async () => {
  const { url, turns } = await serveSdk1({ preferred: 'JSONRPC' });
  const proxy = await startLossyProxy(url);
  const peer = peerAt(proxy.url);
  const call = callOf('book');
  const { id } = taskOf(await peer.start(call, NEVER));
  const questionId = (await settledTask(peer, call, id)).status.message?.messageId;
  const answer = {
    questionId,
    message: { messageId: 'answer-1', role: 'ROLE_USER', parts: [{ text: 'Rome' }] },
  } as const;
  proxy.loseNext(isSend);
  await failureOf(peer.answer(call, id, answer, NEVER));
  await settledTask(peer, call, id, questionId);
  expect(taskOf(await peer.answer(call, id, answer, NEVER)).status.state).toBe('TASK_STATE_COMPLETED');
  expect(turns).toEqual(['book', 'Rome']);
});

test('a message to a peer that is down was not sent, and is sent when it is up', async () => {
  const down = await unusedAddress();
  const error = await failureOf(peerAt(down).start(callOf('hi'), NEVER));
  expect(error).toMatchObject({ name: 'PeerError', kind: 'unreachable', isUnsent: true });
  expect(error.message).toMatch(/^crm could not be reached: /);
});

test('a peer that has moved to another version is called again with its new card', async () => {
  const old = await serveSdk03('JSONRPC');
  const replacement = await serveSdk1({ preferred: 'JSONRPC' });
  const proxy = await startLossyProxy(old.url);
  const peer = peerAt(proxy.url);
  const first = callOf('hi');
  const { id } = taskOf(await peer.start(first, NEVER));
  await settledTask(peer, first, id);
  proxy.moveTo(replacement.url);
  const second = callOf('hi again');
  expect(await failureOf(peer.start(second, NEVER))).toMatchObject({ kind: 'unreachable', isUnsent: true });
  expect(taskOf(await peer.start(second, NEVER)).contextId).toBe(second.message.contextId);
  expect(replacement.turns).toEqual(['hi again']);
});
