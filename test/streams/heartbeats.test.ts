/** Heartbeats are sent while a stream is quiet, stop when it ends, and do not accumulate. */
import { expect, test } from 'vitest';
import { Gate } from './gate.ts';
import { startInspectable } from './inspectable-server.ts';
import { RawSocket, rawRequest } from './raw-socket.ts';
import { startServer, testAgent } from './servers.ts';
import { resume, send, taskIdOf } from './stream-calls.ts';
import { requestOf, REST_1, WIRE_FORMATS } from './wire-formats.ts';

const HEARTBEAT_MS = 5;

test.each(WIRE_FORMATS)('a quiet stream sends heartbeats until it ends ($name)', async (format) => {
  const gate = new Gate();
  const { port, handler } = await startServer(
    testAgent(async function* run({ signal }) {
      yield 'hello';
      await gate.pass(signal);
    }),
    { heartbeatMs: HEARTBEAT_MS },
  );
  const subscriber = await send(port, format).until(({ comments }) => comments.length >= 5);
  expect(new Set(subscriber.comments)).toEqual(new Set(['keep-alive']));
  expect(subscriber.events).toHaveLength(3);
  gate.open();

  expect(await subscriber.ended).toBe('complete');
  expect(subscriber.state).toBe('TASK_STATE_COMPLETED');
  expect(handler.heartbeats.size).toBe(0);
});

test('a stream whose client has disconnected gets no more heartbeats, and other streams do', async () => {
  const gate = new Gate();
  const { port, handler, responses } = await startInspectable(
    testAgent(async function* run({ signal }) {
      yield 'hello';
      await gate.pass(signal);
    }),
    { heartbeatMs: HEARTBEAT_MS },
  );
  const leaving = await send(port, REST_1).until(({ comments }) => comments.length >= 1);
  const staying = await resume(port, REST_1, taskIdOf(leaving), 0).until(({ comments }) => comments.length >= 1);
  const [closed] = responses;
  leaving.disconnect();
  const before = staying.comments.length;
  await staying.until(({ comments }) => comments.length >= before + 5);

  expect([closed?.destroyed, responses.size, handler.heartbeats.size]).toEqual([true, 1, 1]);
  staying.disconnect();
});

test('a stream whose client does not read gets no heartbeats', async () => {
  const gate = new Gate();
  const { port, responses } = await startInspectable(
    testAgent(async function* run({ signal }) {
      for (let i = 0; i < 200; i++) yield 'x'.repeat(2 ** 16);
      await gate.pass(signal);
    }),
    { heartbeatMs: HEARTBEAT_MS },
  );
  const sender = await send(port, REST_1).until(({ events }) => events.length >= 202);
  const stalled = new RawSocket(port);
  stalled.socket.pause();
  stalled.write(rawRequest(requestOf(REST_1, 'SubscribeToTask', { id: taskIdOf(sender) }, 0)));
  const isFull = (): boolean => [...responses].some(({ writableNeedDrain }) => writableNeedDrain);
  await sender.until(isFull);
  const full = [...responses].find(({ writableNeedDrain }) => writableNeedDrain);
  const held = full?.writableLength;
  const before = sender.comments.length;
  // As many as would fill the buffer of the connection again.
  await sender.until(({ comments }) => comments.length >= before + 20);

  expect(full?.writableLength).toBe(held);
  sender.disconnect();
});
