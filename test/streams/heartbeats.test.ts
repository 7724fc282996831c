/** Signs of life: they come while a stream is quiet, end with it, and never pile up. */
import { expect, test } from 'vitest';
import { Gate } from './gate.ts';
import { listening } from './listening.ts';
import { RawSocket, rawRequest } from './raw-socket.ts';
import { serving, testAgent } from './servers.ts';
import { resume, send, taskIdOf } from './stream-calls.ts';
import { requestOf, REST_1, WAYS } from './ways.ts';

const HEARTBEAT_MS = 5;

test.each(WAYS)('a quiet stream says that it is alive until it ends ($name)', async (way) => {
  const gate = new Gate();
  const { port, handler } = await serving(
    testAgent(async function* run({ signal }) {
      yield 'hello';
      await gate.pass(signal);
    }),
    { heartbeatMs: HEARTBEAT_MS },
  );
  const reader = await send(port, way).until(({ comments }) => comments.length >= 5);
  expect(new Set(reader.comments)).toEqual(new Set(['keep-alive']));
  expect(reader.events).toHaveLength(3);
  gate.open();

  expect(await reader.ended).toBe('complete');
  expect(reader.state).toBe('TASK_STATE_COMPLETED');
  expect(handler.heartbeats.size).toBe(0);
});

test('who leaves hears no more', async () => {
  const gate = new Gate();
  const { port, handler, responses } = await listening(
    testAgent(async function* run({ signal }) {
      yield 'hello';
      await gate.pass(signal);
    }),
    { heartbeatMs: HEARTBEAT_MS },
  );
  const leaver = await send(port, REST_1).until(({ comments }) => comments.length >= 1);
  const stayer = await resume(port, REST_1, taskIdOf(leaver), 0).until(({ comments }) => comments.length >= 1);
  const [left] = responses;
  leaver.leave();
  const before = stayer.comments.length;
  await stayer.until(({ comments }) => comments.length >= before + 5);

  expect([left?.destroyed, responses.size, handler.heartbeats.size]).toEqual([true, 1, 1]);
  stayer.leave();
});

test('nothing is written to who does not read', async () => {
  const gate = new Gate();
  const { port, responses } = await listening(
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
  sender.leave();
});
