/** A server that closes: every request gets a response, no task is lost, and no connection delays the close. */
import { expect, test } from 'vitest';
import type { Handler } from '../../src/engine/handler.ts';
import { serve } from '../../src/node/serve.ts';
import { Gate } from './gate.ts';
import { RawSocket, rawRequest } from './raw-socket.ts';
import { openStore, startServer, testAgent } from './servers.ts';
import { resume, send, taskIdOf } from './stream-calls.ts';
import { StreamClient } from './stream-client.ts';
import { requestOf, REST_1, RPC_1, userMessage, type WireFormat, WIRE_FORMATS } from './wire-formats.ts';

/** Longer than the time limit of any test. */
const NEVER_MS = 600_000;

function waitingHandler(gate: Gate): Handler {
  return async function* run({ signal }) {
    yield 'begun ';
    await gate.pass(signal);
    yield 'done';
  };
}

/** Sends a message without a stream, and waits for the response. */
function sendUnary(port: number, format: WireFormat): StreamClient {
  return new StreamClient(port, format, requestOf(format, 'SendMessage', userMessage('go')));
}

const READY = 'GET /readyz HTTP/1.1\r\nhost: localhost\r\n';

test.each(WIRE_FORMATS)(
  'a server that drains keeps its port open and rejects new messages with 503 and Retry-After ($name)',
  async (format) => {
    const gate = new Gate();
    const server = await startServer(testAgent(waitingHandler(gate)));
    const waiting = sendUnary(server.port, format);
    await gate.reached();
    const closing = server.close({ finishMs: NEVER_MS });
    const late = sendUnary(server.port, format);
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
  const server = await startServer(testAgent(async () => 'done'));
  await server.close();
  const late = new RawSocket(server.port);
  await late.closed;
  expect(late.socket.bytesRead).toBe(0);
});

test.each(WIRE_FORMATS)(
  'a message whose task ends while the server drains gets its response ($name)',
  async (format) => {
    const gate = new Gate();
    const server = await startServer(testAgent(waitingHandler(gate)));
    const waiting = sendUnary(server.port, format);
    await gate.reached();
    const closing = server.close({ finishMs: NEVER_MS });
    gate.open();
    await closing;

    expect(await waiting.ended).toBe('complete');
    expect([waiting.status, waiting.headers.connection]).toEqual([200, 'close']);
    expect(waiting.body).toMatch(/completed/i);
  },
);

test.each(WIRE_FORMATS)(
  'a message whose task is interrupted by the close gets 503 with Retry-After, and the next server resumes the task ($name)',
  async (format) => {
    const gate = new Gate();
    const store = openStore('SQLite');
    const agent = testAgent(waitingHandler(gate));
    const server = await startServer(agent, { store });
    const stream = await send(server.port, format).until(({ events }) => events.length >= 3);
    const waiting = sendUnary(server.port, format);
    await gate.reached(2);
    await server.close({ finishMs: 0, cutMs: NEVER_MS });

    expect(await waiting.ended).toBe('complete');
    expect([waiting.status, waiting.headers['retry-after']]).toEqual([503, '1']);
    expect(await stream.ended).toBe('complete');

    gate.open();
    const next = await startServer(agent, { store });
    const rest = resume(next.port, format, taskIdOf(stream), stream.last);
    expect(await rest.ended).toBe('complete');
    expect(rest.state).toBe('TASK_STATE_COMPLETED');
  },
);

test('a close ends idle keep-alive connections, and those whose stream it has just ended', async () => {
  const gate = new Gate();
  const server = await startServer(testAgent(waitingHandler(gate)));
  const idle = new RawSocket(server.port).write(`${READY}\r\n`);
  await idle.until('{"status":"ready"}');
  const stream = new RawSocket(server.port);
  stream.write(rawRequest(requestOf(REST_1, 'SendStreamingMessage', userMessage('go'))));
  await stream.until('begun ');
  await server.close({ finishMs: 0, cutMs: NEVER_MS });

  await Promise.all([idle.closed, stream.closed]);
  expect(stream.text).toMatch(/retry: 1000\s+0\s+$/);
});

test('/readyz responds with 503 while the server closes', async () => {
  const gate = new Gate();
  const server = await startServer(testAgent(waitingHandler(gate)));
  const probe = new RawSocket(server.port).write(READY);
  const waiting = sendUnary(server.port, RPC_1);
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
])('a connection that has sent %s is cut when the time to close has passed', async (_, sent) => {
  const server = await startServer(testAgent(async () => 'done'));
  const silent = new RawSocket(server.port).write(sent);
  // After a response on another connection the server has seen the connection before it.
  expect(await sendUnary(server.port, RPC_1).ended).toBe('complete');
  await server.close({ finishMs: 0, cutMs: 1 });

  await silent.closed;
  expect(silent.text).toBe('');
});

test('closing a server several times, at the same time or later, does not fail', async () => {
  const server = await startServer(testAgent(async () => 'done'));
  expect(await sendUnary(server.port, RPC_1).ended).toBe('complete');
  await Promise.all([server.close(), server.close({ finishMs: 0 }), server[Symbol.asyncDispose]()]);

  await expect(server.close()).resolves.toBeUndefined();
});

test('closing one of two servers in a process does not end streams or heartbeats of the other', async () => {
  const gates = [new Gate(), new Gate()] as const;
  const [one, two] = await Promise.all(gates.map((gate) => startServer(testAgent(waitingHandler(gate)))));
  if (one === undefined || two === undefined) throw new Error('Expected two servers');
  const subscribers = await Promise.all(
    [one, two].map(({ port }) => send(port, RPC_1).until(({ events }) => events.length >= 3)),
  );
  await one.close({ finishMs: 0 });
  expect(await subscribers[0]?.ended).toBe('complete');
  expect(subscribers[0]?.retryMs).toBe(1000);
  expect([one.handler.heartbeats.size, two.handler.heartbeats.size]).toEqual([0, 1]);

  gates[1].open();
  expect(await subscribers[1]?.ended).toBe('complete');
  expect(subscribers[1]?.state).toBe('TASK_STATE_COMPLETED');
});

test('serve rejects with the number of a port that is already in use', async () => {
  const { port } = await startServer(testAgent(async () => 'done'));

  await expect(
    serve(
      testAgent(async () => 'done'),
      { port, store: openStore('memory') },
    ),
  ).rejects.toThrow(`Port ${port} is already in use`);
});
