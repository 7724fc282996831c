/** Clients that vanish at any moment, thousands of them: nothing that was made for one of them is left. */
import { connect } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, onTestFinished, test } from 'vitest';
import type { Handler } from '../../src/engine/handler.ts';
import { type AgentHandler, createHandler } from '../../src/server/handler.ts';
import { silentLog } from '../../src/observe/log.ts';
import { memoryStore } from '../../src/store/memory/store.ts';
import { Random } from '../simulation/random.ts';
import { eventually } from './eventually.ts';
import { Gate } from './gate.ts';
import { listening } from './listening.ts';
import { RawSocket, rawRequest } from './raw-socket.ts';
import { testAgent } from './servers.ts';
import { send, taskIdOf } from './stream-calls.ts';
import { watchListeners } from './watch-listeners.ts';
import { requestOf, RPC_1, userMessage, type Way, WAYS, type WireRequest } from './ways.ts';

const SEED = process.env['TANDEM_SEED'] ?? String(Math.trunc(Math.random() * 2 ** 31));
const CLIENTS = 10_000;
const AT_ONCE = 100;
const MEBIBYTE = 2 ** 20;
const OWNER = { tenant: '', owner: 'anonymous' };

/** Says little and ends soon; or, as it is told, says a word and waits. */
function talker(gate: Gate): Handler {
  return async function* run({ text, signal }) {
    yield 'hello ';
    if (text === 'wait') await gate.pass(signal);
    for (let i = 0; i < 3; i++) {
      await new Promise((resolve) => setImmediate(resolve));
      yield `${i} `;
    }
  };
}

function requestFor(random: Random, way: Way, running: string, ended: string): WireRequest {
  const id = random.pick([running, running, ended]);
  const message = { ...userMessage('go'), configuration: { returnImmediately: random.chance(0.3) } };
  switch (random.int(0, 3)) {
    case 0:
      return requestOf(way, 'SendMessage', message);
    case 1:
      return requestOf(way, 'SendStreamingMessage', message);
    case 2:
      return requestOf(way, 'SubscribeToTask', { id });
    default:
      return requestOf(way, 'SubscribeToTask', { id }, random.int(0, 9));
  }
}

/** Connects, does what `random` says, and is gone when this resolves. */
async function visit(port: number, random: Random, running: string, ended: string): Promise<void> {
  const requests = Array.from({ length: random.chance(0.1) ? 3 : 1 }, () =>
    rawRequest(requestFor(random, random.pick(WAYS), running, ended)),
  ).join('');
  const leaves = random.pick(['at once', 'inside the request', 'after the request', 'after some bytes'] as const);
  const enough = random.int(1, 2000);
  const socket = connect(port, '127.0.0.1');
  const gone = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.on('error', () => {});
  socket.on('connect', () => {
    if (leaves === 'at once') socket.destroy();
    else if (leaves === 'inside the request')
      socket.write(requests.slice(0, random.int(1, requests.length - 1)), leave);
    else socket.write(requests, leaves === 'after the request' ? leave : () => {});
  });
  socket.on('data', () => {
    if (socket.bytesRead >= enough) socket.destroy();
  });
  const leave = (): void => void socket.destroy();
  if (leaves === 'after some bytes') {
    // Some answers are shorter than that.
    for (let i = random.int(5, 50); i > 0; i--) await new Promise((resolve) => setImmediate(resolve));
    socket.destroy();
  }
  await gone;
}

function heapUsed(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}

test(`nothing is left of ${CLIENTS} clients that vanished (seed ${SEED})`, async () => {
  const gate = new Gate();
  const watched = watchListeners();
  const store = memoryStore({ maxTasks: 500 });
  const { port, http, handler, responses } = await listening(testAgent(talker(gate), { queue: 10_000 }), { store });
  const runner = await send(port, RPC_1, 'wait').until(({ events }) => events.length >= 3);
  const running = taskIdOf(runner);
  const other = send(port, RPC_1);
  await other.ended;
  const ended = taskIdOf(other);
  const connections = (): Promise<number> =>
    new Promise((resolve, reject) =>
      http.getConnections((error, count) => (error === null ? resolve(count) : reject(error))),
    );

  let visits = 0;
  let heap = 0;
  const lane = async (name: number): Promise<void> => {
    const random = new Random(`${SEED} ${name}`);
    while (visits++ < CLIENTS) {
      await visit(port, random, running, ended);
      if (visits === CLIENTS / 5) heap = heapUsed();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => lane(i)));

  // All but the one who stayed.
  await eventually(async () => (await connections()) === 1);
  await eventually(() => watched.count().every((count) => count === 1));
  await eventually(() => handler.heartbeats.size === 1 && responses.size === 1);
  await eventually(async () => (await store.list(OWNER, { limit: 1, states: ['TASK_STATE_WORKING'] })).total === 1);
  // One collection does not always find all that is free.
  await eventually(() => heapUsed() - heap < 16 * MEBIBYTE);
  gate.open();
  expect(await runner.ended).toBe('complete');
  expect(runner.state).toBe('TASK_STATE_COMPLETED');
  await eventually(() => watched.count().every((count) => count === 0));
  expect(handler.heartbeats.size).toBe(0);
}, 120_000);

test('requests that wait for their turn on a connection are told when it is gone', async () => {
  const gate = new Gate();
  const watched = watchListeners();
  const { port, handler } = await listening(testAgent(talker(gate)));
  const client = new RawSocket(port);
  const kinds = ['SendStreamingMessage', 'SendStreamingMessage', 'SendMessage'] as const;
  client.write(kinds.map((kind) => rawRequest(requestOf(RPC_1, kind, userMessage('wait')))).join(''));
  await gate.reached(kinds.length);
  await eventually(() => watched.count()[0] === kinds.length);
  client.socket.destroy();

  await eventually(() => watched.count().every((count) => count === 0));
  expect(handler.heartbeats.size).toBe(0);
});

test.each(WAYS)('a stream whose sender does not want to wait is left like any other ($name)', async (way) => {
  const gate = new Gate();
  const watched = watchListeners();
  const { port, handler } = await listening(testAgent(talker(gate)));
  const reader = send(port, way, 'wait', { configuration: { returnImmediately: true } });
  await reader.until(({ events }) => events.length >= 3);
  reader.leave();

  await eventually(() => watched.count().every((count) => count === 0));
  expect(handler.heartbeats.size).toBe(0);
});

/** An agent behind `fetch`, until the test is over. */
function fetching(gate: Gate): { readonly handler: AgentHandler; call(request: WireRequest): Promise<Response> } {
  const handler = createHandler(testAgent(talker(gate)), { store: memoryStore(), log: silentLog });
  onTestFinished(() => handler.close());
  return {
    handler,
    call: ({ path, ...init }) =>
      handler.fetch(new Request(`http://localhost${path}`, { ...init, body: init.body ?? null })),
  };
}

test('to be refused a subscription leaves nothing behind, where no socket tells that the caller is gone', async () => {
  const watched = watchListeners();
  const { call } = fetching(new Gate());
  const sent = await (await call(requestOf(RPC_1, 'SendMessage', userMessage('go')))).json();
  const { id } = (sent as { readonly result: { readonly task: { readonly id: string } } }).result.task;
  const refused = await (await call(requestOf(RPC_1, 'SubscribeToTask', { id }))).json();

  expect(refused).toMatchObject({ error: { code: -32004 } });
  expect(watched.count()).toEqual([0, 0]);
});

test.each(['before it is read', 'after its first bytes'])('a web-standard answer is let go %s', async (when) => {
  const gate = new Gate();
  const watched = watchListeners();
  const { handler, call } = fetching(gate);
  const { body } = await call(requestOf(RPC_1, 'SendStreamingMessage', userMessage('wait')));
  await gate.reached();
  const reader = body?.getReader();
  if (when === 'after its first bytes') await reader?.read();
  expect([watched.count()[0], handler.heartbeats.size]).toEqual([1, 1]);
  await reader?.cancel();

  await eventually(() => watched.count()[0] === 0);
  expect(handler.heartbeats.size).toBe(0);
});
