/** A server that is told to close: nobody is left without an answer, no task is lost, no connection holds it up. */
import { expect, test } from 'vitest';
import type { Handler } from '../../src/engine/handler.ts';
import { serve } from '../../src/node/serve.ts';
import { Gate } from './gate.ts';
import { RawSocket, rawRequest } from './raw-socket.ts';
import { openStore, serving, testAgent } from './servers.ts';
import { resume, send, taskIdOf } from './stream-calls.ts';
import { StreamReader } from './stream-reader.ts';
import { requestOf, REST_1, RPC_1, userMessage, type Way, WAYS } from './ways.ts';

/** Longer than any test: what waits for it fails. */
const NEVER_MS = 600_000;

function waiter(gate: Gate): Handler {
  return async function* run({ signal }) {
    yield 'begun ';
    await gate.pass(signal);
    yield 'done';
  };
}

/** Sends without a stream, and waits for the answer. */
function ask(port: number, way: Way): StreamReader {
  return new StreamReader(port, way, requestOf(way, 'SendMessage', userMessage('go')));
}

const READY = 'GET /readyz HTTP/1.1\r\nhost: localhost\r\n';

test.each(WAYS)(
  'a server that drains keeps its port open and answers new work with 503 and Retry-After ($name)',
  async (way) => {
    const gate = new Gate();
    const server = await serving(testAgent(waiter(gate)));
    const waiting = ask(server.port, way);
    await gate.reached();
    const closing = server.close({ finishMs: NEVER_MS });
    const late = ask(server.port, way);
    expect(await late.ended).toBe('complete');
    expect([late.status, late.headers['retry-after'], late.headers.connection]).toEqual([503, '1', 'close']);
    const probe = new RawSocket(server.port).write(`${READY}\r\n`);
    await probe.closed;
    expect(probe.text).toMatch(/^HTTP\/1.1 503 /);

    gate.open();
    await closing;
    expect(await waiting.ended).toBe('complete');
  },
);

test('a server that has closed refuses connections', async () => {
  const server = await serving(testAgent(async () => 'done'));
  await server.close();
  const late = new RawSocket(server.port);
  await late.closed;
  expect(late.socket.bytesRead).toBe(0);
});

test.each(WAYS)('a send that waits gets its answer if there is time ($name)', async (way) => {
  const gate = new Gate();
  const server = await serving(testAgent(waiter(gate)));
  const waiting = ask(server.port, way);
  await gate.reached();
  const closing = server.close({ finishMs: NEVER_MS });
  gate.open();
  await closing;

  expect(await waiting.ended).toBe('complete');
  expect([waiting.status, waiting.headers.connection]).toEqual([200, 'close']);
  expect(waiting.body).toMatch(/completed/i);
});

test.each(WAYS)(
  'a send that waits is told to come again if there is no time, and its task goes on ($name)',
  async (way) => {
    const gate = new Gate();
    const store = openStore('SQLite');
    const agent = testAgent(waiter(gate));
    const server = await serving(agent, { store });
    const stream = await send(server.port, way).until(({ events }) => events.length >= 3);
    const waiting = ask(server.port, way);
    await gate.reached(2);
    await server.close({ finishMs: 0, cutMs: NEVER_MS });

    expect(await waiting.ended).toBe('complete');
    expect([waiting.status, waiting.headers['retry-after']]).toEqual([503, '1']);
    expect(await stream.ended).toBe('complete');

    gate.open();
    const next = await serving(agent, { store });
    const rest = resume(next.port, way, taskIdOf(stream), stream.last);
    expect(await rest.ended).toBe('complete');
    expect(rest.state).toBe('TASK_STATE_COMPLETED');
  },
);

test('connections that wait for another request are closed, those of streams that end just then too', async () => {
  const gate = new Gate();
  const server = await serving(testAgent(waiter(gate)));
  const idle = new RawSocket(server.port).write(`${READY}\r\n`);
  await idle.until('{"status":"ready"}');
  const stream = new RawSocket(server.port);
  stream.write(rawRequest(requestOf(REST_1, 'SendStreamingMessage', userMessage('go'))));
  await stream.until('begun ');
  await server.close({ finishMs: 0, cutMs: NEVER_MS });

  await Promise.all([idle.closed, stream.closed]);
  expect(stream.text).toMatch(/retry: 1000\s+0\s+$/);
});

test('it is not ready while it closes', async () => {
  const gate = new Gate();
  const server = await serving(testAgent(waiter(gate)));
  const probe = new RawSocket(server.port).write(READY);
  const waiting = ask(server.port, RPC_1);
  await gate.reached();
  const closing = server.close({ finishMs: NEVER_MS });
  probe.write('\r\n');
  await probe.closed;

  expect(probe.text).toMatch(/^HTTP\/1.1 503 /);
  expect(probe.text).toMatch(/\r\nretry-after: 1\r\n/i);
  expect(probe.text).toMatch(/\r\nconnection: close\r\n/i);
  gate.open();
  await closing;
  expect(await waiting.ended).toBe('complete');
});

test.each([
  ['nothing', ''],
  ['half a head', READY],
  ['half a body', rawRequest(requestOf(RPC_1, 'SendMessage', userMessage('go'))).slice(0, -1)],
])('a connection that has sent %s is cut in the end', async (_, sent) => {
  const server = await serving(testAgent(async () => 'done'));
  const silent = new RawSocket(server.port).write(sent);
  // An answer on another connection: the server has seen the one before it.
  expect(await ask(server.port, RPC_1).ended).toBe('complete');
  await server.close({ finishMs: 0, cutMs: 1 });

  await silent.closed;
  expect(silent.text).toBe('');
});

test('to close twice is harmless, and so is to close after that', async () => {
  const server = await serving(testAgent(async () => 'done'));
  expect(await ask(server.port, RPC_1).ended).toBe('complete');
  await Promise.all([server.close(), server.close({ finishMs: 0 }), server[Symbol.asyncDispose]()]);

  await expect(server.close()).resolves.toBeUndefined();
});

test('two servers in one process know nothing of each other', async () => {
  const gates = [new Gate(), new Gate()] as const;
  const [one, two] = await Promise.all(gates.map((gate) => serving(testAgent(waiter(gate)))));
  if (one === undefined || two === undefined) throw new Error('Expected two servers');
  const readers = await Promise.all(
    [one, two].map(({ port }) => send(port, RPC_1).until(({ events }) => events.length >= 3)),
  );
  await one.close({ finishMs: 0 });
  expect(await readers[0]?.ended).toBe('complete');
  expect(readers[0]?.retryMs).toBe(1000);
  expect([one.handler.heartbeats.size, two.handler.heartbeats.size]).toEqual([0, 1]);

  gates[1].open();
  expect(await readers[1]?.ended).toBe('complete');
  expect(readers[1]?.state).toBe('TASK_STATE_COMPLETED');
});

test('a port that is taken is named', async () => {
  const { port } = await serving(testAgent(async () => 'done'));

  await expect(
    serve(
      testAgent(async () => 'done'),
      { port, store: openStore('memory') },
    ),
  ).rejects.toThrow(`Port ${port} is already in use`);
});
