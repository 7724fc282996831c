/** Thousands of clients that disconnect at random moments: the server keeps nothing that it made for one of them. */
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
import { startInspectable } from './inspectable-server.ts';
import { RawSocket, rawRequest } from './raw-socket.ts';
import { testAgent } from './servers.ts';
import { send, taskIdOf } from './stream-calls.ts';
import { countListeners } from './count-listeners.ts';
import { requestOf, RPC_1, userMessage, type WireFormat, WIRE_FORMATS, type WireRequest } from './wire-formats.ts';

const SEED = process.env['TANDEM_SEED'] ?? String(Math.trunc(Math.random() * 2 ** 31));
const CLIENTS = 10_000;
const AT_ONCE = 100;
const MEBIBYTE = 2 ** 20;
const OWNER = { tenant: '', owner: 'anonymous' };

/** A handler that publishes four short outputs, and waits at the gate after the first if the message is "wait". */
function publisher(gate: Gate): Handler {
  return async function* run({ text, signal }) {
    yield 'hello ';
    if (text === 'wait') await gate.pass(signal);
    for (let i = 0; i < 3; i++) {
      await new Promise((resolve) => setImmediate(resolve));
      yield `${i} `;
    }
  };
}

function requestFor(random: Random, format: WireFormat, running: string, ended: string): WireRequest {
  const id = random.pick([running, running, ended]);
  const message = { ...userMessage('go'), configuration: { returnImmediately: random.chance(0.3) } };
  switch (random.int(0, 3)) {
    case 0:
      return requestOf(format, 'SendMessage', message);
    case 1:
      return requestOf(format, 'SendStreamingMessage', message);
    case 2:
      return requestOf(format, 'SubscribeToTask', { id });
    default:
      return requestOf(format, 'SubscribeToTask', { id }, random.int(0, 9));
  }
}

/** Connects, sends random requests and disconnects at a random moment. Resolves when the connection is closed. */
async function connectAndDisconnect(port: number, random: Random, running: string, ended: string): Promise<void> {
  const requests = Array.from({ length: random.chance(0.1) ? 3 : 1 }, () =>
    rawRequest(requestFor(random, random.pick(WIRE_FORMATS), running, ended)),
  ).join('');
  const moment = random.pick(['at once', 'inside the request', 'after the request', 'after some bytes'] as const);
  const maxBytes = random.int(1, 2000);
  const socket = connect(port, '127.0.0.1');
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.on('error', () => {});
  socket.on('connect', () => {
    if (moment === 'at once') socket.destroy();
    else if (moment === 'inside the request')
      socket.write(requests.slice(0, random.int(1, requests.length - 1)), disconnect);
    else socket.write(requests, moment === 'after the request' ? disconnect : () => {});
  });
  socket.on('data', () => {
    if (socket.bytesRead >= maxBytes) socket.destroy();
  });
  const disconnect = (): void => void socket.destroy();
  if (moment === 'after some bytes') {
    // Some responses are shorter than that.
    for (let i = random.int(5, 50); i > 0; i--) await new Promise((resolve) => setImmediate(resolve));
    socket.destroy();
  }
  await closed;
}

function heapUsed(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}

test(`the server keeps no connection, listener, response, task or memory of ${CLIENTS} clients that disconnected (seed ${SEED})`, async () => {
  const gate = new Gate();
  const watched = countListeners();
  const store = memoryStore({ maxTasks: 500 });
  const { port, http, handler, responses } = await startInspectable(testAgent(publisher(gate), { queue: 10_000 }), {
    store,
  });
  const stayingClient = await send(port, RPC_1, 'wait').until(({ events }) => events.length >= 3);
  const running = taskIdOf(stayingClient);
  const other = send(port, RPC_1);
  await other.ended;
  const ended = taskIdOf(other);
  const openConnections = (): Promise<number> =>
    new Promise((resolve, reject) =>
      http.getConnections((error, count) => (error === null ? resolve(count) : reject(error))),
    );

  let connections = 0;
  let heap = 0;
  const lane = async (name: number): Promise<void> => {
    const random = new Random(`${SEED} ${name}`);
    while (connections++ < CLIENTS) {
      await connectAndDisconnect(port, random, running, ended);
      if (connections === CLIENTS / 5) heap = heapUsed();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => lane(i)));

  // All but the client that stayed connected.
  await eventually(async () => (await openConnections()) === 1);
  await eventually(() => watched.count().every((count) => count === 1));
  await eventually(() => handler.heartbeats.size === 1 && responses.size === 1);
  await eventually(async () => (await store.list(OWNER, { limit: 1, states: ['TASK_STATE_WORKING'] })).total === 1);
  // One collection does not always free everything.
  await eventually(() => heapUsed() - heap < 16 * MEBIBYTE);
  gate.open();
  expect(await stayingClient.ended).toBe('complete');
  expect(stayingClient.state).toBe('TASK_STATE_COMPLETED');
  await eventually(() => watched.count().every((count) => count === 0));
  expect(handler.heartbeats.size).toBe(0);
}, 120_000);

test('pipelined requests stop listening to their tasks when their connection closes', async () => {
  const gate = new Gate();
  const watched = countListeners();
  const { port, handler } = await startInspectable(testAgent(publisher(gate)));
  const client = new RawSocket(port);
  const kinds = ['SendStreamingMessage', 'SendStreamingMessage', 'SendMessage'] as const;
  client.write(kinds.map((kind) => rawRequest(requestOf(RPC_1, kind, userMessage('wait')))).join(''));
  await gate.reached(kinds.length);
  await eventually(() => watched.count()[0] === kinds.length);
  client.socket.destroy();

  await eventually(() => watched.count().every((count) => count === 0));
  expect(handler.heartbeats.size).toBe(0);
});

test.each(WIRE_FORMATS)(
  'a stream of a message with returnImmediately releases its listeners when the client disconnects ($name)',
  async (format) => {
    const gate = new Gate();
    const watched = countListeners();
    const { port, handler } = await startInspectable(testAgent(publisher(gate)));
    const subscriber = send(port, format, 'wait', { configuration: { returnImmediately: true } });
    await subscriber.until(({ events }) => events.length >= 3);
    subscriber.disconnect();

    await eventually(() => watched.count().every((count) => count === 0));
    expect(handler.heartbeats.size).toBe(0);
  },
);

/** Serves an agent with `fetch` until the test is over. */
function startFetchHandler(gate: Gate): {
  readonly handler: AgentHandler;
  call(request: WireRequest): Promise<Response>;
} {
  const handler = createHandler(testAgent(publisher(gate)), { store: memoryStore(), log: silentLog });
  onTestFinished(() => handler.close());
  return {
    handler,
    call: ({ path, ...init }) =>
      handler.fetch(new Request(`http://localhost${path}`, { ...init, body: init.body ?? null })),
  };
}

test('over fetch, a rejected subscription leaves no listeners', async () => {
  const watched = countListeners();
  const { call } = startFetchHandler(new Gate());
  const sent = await (await call(requestOf(RPC_1, 'SendMessage', userMessage('go')))).json();
  const { id } = (sent as { readonly result: { readonly task: { readonly id: string } } }).result.task;
  const rejected = await (await call(requestOf(RPC_1, 'SubscribeToTask', { id }))).json();

  expect(rejected).toMatchObject({ error: { code: -32004 } });
  expect(watched.count()).toEqual([0, 0]);
});

test.each(['before it is read', 'after its first bytes'])(
  'over fetch, a stream that is canceled %s releases its listeners',
  async (when) => {
    const gate = new Gate();
    const watched = countListeners();
    const { handler, call } = startFetchHandler(gate);
    const { body } = await call(requestOf(RPC_1, 'SendStreamingMessage', userMessage('wait')));
    await gate.reached();
    const reader = body?.getReader();
    if (when === 'after its first bytes') await reader?.read();
    expect([watched.count()[0], handler.heartbeats.size]).toEqual([1, 1]);
    await reader?.cancel();

    await eventually(() => watched.count()[0] === 0);
    expect(handler.heartbeats.size).toBe(0);
  },
);
