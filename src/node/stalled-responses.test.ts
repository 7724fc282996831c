import { EventEmitter, once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { beforeEach, afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { whenDrained, whenSent, writeSlices } from './stalled-responses.ts';

const STALL_MS = 30_000;
const SLICE_BYTES = 64 * 2 ** 10;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

interface FakeResponse {
  destroyed: boolean;
  socket: EventEmitter | null;
  write(slice: Uint8Array): boolean;
}

/** A response whose connection accepts one slice each time the test emits `drain`. */
function fullConnection() {
  const connection = Object.assign(new EventEmitter(), { destroyed: false });
  const written: number[] = [];
  const outgoing: EventEmitter & FakeResponse = Object.assign(new EventEmitter(), {
    destroyed: false,
    socket: connection,
    req: { socket: connection },
    write(slice: Uint8Array): boolean {
      written.push(slice.length);
      return false;
    },
    destroy() {
      outgoing.destroyed = true;
      outgoing.emit('close');
    },
  });
  return { outgoing, connection, written, response: outgoing as unknown as ServerResponse };
}

test('a client that reads slowly but steadily gets the whole response', () => {
  const { outgoing, written, response } = fullConnection();
  const then = vi.fn<() => void>();
  writeSlices(response, Buffer.alloc(10 * SLICE_BYTES + 1), STALL_MS, then);

  for (let read = 0; read < 10; read++) {
    vi.advanceTimersByTime(STALL_MS - 1);
    outgoing.emit('drain');
  }
  expect([written.length, outgoing.destroyed, then.mock.calls.length]).toEqual([11, false, 0]);
  outgoing.emit('drain');

  expect(written).toEqual([...Array.from({ length: 10 }, () => SLICE_BYTES), 1]);
  expect([outgoing.destroyed, then.mock.calls.length]).toEqual([false, 1]);
});

test('a client that stops reading is disconnected after the stall timeout, and nothing more is written', () => {
  const { outgoing, written, response } = fullConnection();
  const then = vi.fn<() => void>();
  writeSlices(response, Buffer.alloc(10 * SLICE_BYTES), STALL_MS, then);
  outgoing.emit('drain');

  vi.advanceTimersByTime(STALL_MS - 1);
  expect(outgoing.destroyed).toBe(false);
  vi.advanceTimersByTime(1);

  expect([outgoing.destroyed, written.length, then.mock.calls.length]).toEqual([true, 2, 1]);
  expect([outgoing.eventNames(), vi.getTimerCount()]).toEqual([[], 0]);
});

test('a write that throws ends the response', () => {
  const { outgoing, response } = fullConnection();
  const then = vi.fn<() => void>();
  writeSlices(response, Buffer.alloc(2 * SLICE_BYTES), STALL_MS, then);
  outgoing.write = () => {
    throw new Error('broken middleware');
  };

  outgoing.emit('drain');

  expect([outgoing.destroyed, then.mock.calls.length]).toEqual([true, 1]);
});

test('a response whose end is not read is closed after the stall timeout', () => {
  const { outgoing, response } = fullConnection();
  whenSent(response, STALL_MS);

  vi.advanceTimersByTime(STALL_MS);

  expect([outgoing.destroyed, outgoing.eventNames(), vi.getTimerCount()]).toEqual([true, [], 0]);
});

test('a sent response leaves no timer and no listener', () => {
  const { outgoing, response } = fullConnection();
  whenSent(response, STALL_MS);

  outgoing.emit('finish');

  expect([outgoing.destroyed, outgoing.eventNames(), vi.getTimerCount()]).toEqual([false, [], 0]);
});

test('a pipelined response is not closed while it waits for an earlier response', () => {
  const { outgoing, connection, response } = fullConnection();
  outgoing.socket = null;
  const then = vi.fn<() => void>();
  whenDrained(response, STALL_MS, then);

  vi.advanceTimersByTime(10 * STALL_MS);
  expect([outgoing.destroyed, then.mock.calls.length]).toEqual([false, 0]);
  outgoing.socket = connection;
  outgoing.emit('socket');
  vi.advanceTimersByTime(STALL_MS);

  expect([outgoing.destroyed, then.mock.calls.length, connection.eventNames()]).toEqual([true, 1, []]);
  expect([outgoing.eventNames(), vi.getTimerCount()]).toEqual([[], 0]);
});

test('the stall timeout of a pipelined response starts when the earlier response has ended', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
  onTestFinished(() => {
    client.destroy();
    server.close();
  });
  const responses: ServerResponse[] = [];
  server.on('request', (_request, response: ServerResponse) => responses.push(response));
  const both = new Promise<void>((resolve) => server.on('request', () => responses.length === 2 && resolve()));
  client.pause().write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(2));
  await both;
  const [first, second] = responses as [ServerResponse, ServerResponse];
  second.end(Buffer.alloc(2 ** 24));
  whenSent(second, STALL_MS);

  vi.advanceTimersByTime(STALL_MS - 1);
  const turn = once(second, 'socket');
  first.end();
  await turn;
  vi.advanceTimersByTime(STALL_MS - 1);
  expect(second.destroyed).toBe(false);
  vi.advanceTimersByTime(1);

  expect(second.destroyed).toBe(true);
});

test('a pipelined response ends with its connection', () => {
  const { outgoing, connection, response } = fullConnection();
  outgoing.socket = null;
  const then = vi.fn<() => void>();
  whenDrained(response, STALL_MS, then);

  connection.emit('close');

  expect([then.mock.calls.length, outgoing.destroyed, vi.getTimerCount()]).toEqual([1, true, 0]);
});

test('a pipelined response writes nothing if its connection is already closed', () => {
  const { outgoing, connection, written, response } = fullConnection();
  outgoing.socket = null;
  connection.destroyed = true;
  const then = vi.fn<() => void>();

  writeSlices(response, Buffer.alloc(100 * SLICE_BYTES), STALL_MS, then);

  expect([written.length, outgoing.destroyed, then.mock.calls.length]).toEqual([1, true, 1]);
});

test('a response is written once even if middleware ignores off()', () => {
  const { outgoing, written, response } = fullConnection();
  outgoing.off = () => outgoing;
  const then = vi.fn<() => void>();
  writeSlices(response, Buffer.alloc(3 * SLICE_BYTES), STALL_MS, then);

  for (let i = 0; i < 6; i++) outgoing.emit('drain');

  expect([written.length, then.mock.calls.length, outgoing.listenerCount('drain')]).toEqual([3, 1, 1]);
});
