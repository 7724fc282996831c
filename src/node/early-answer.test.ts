import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, onTestFinished, test, vi } from 'vitest';
import { endAnswer } from './early-answer.ts';

const MEBIBYTE = Buffer.alloc(2 ** 20);

/** An answer that is written while its request is still on the way. */
function answered() {
  const incoming = Object.assign(new EventEmitter(), {
    complete: false,
    destroyed: false,
    socket: { destroyed: false },
    resume: vi.fn<() => void>(),
  });
  const end = vi.fn<() => void>();
  const outgoing = { shouldKeepAlive: false, flushHeaders() {}, write() {}, end };
  endAnswer(incoming as unknown as IncomingMessage, outgoing as unknown as ServerResponse, 'too large');
  const listeners = (): number => incoming.eventNames().length;
  return { incoming, end, listeners };
}

test('what still comes is thrown away up to 32 MiB, and then the connection ends', () => {
  const { incoming, end, listeners } = answered();
  expect(incoming.resume).toHaveBeenCalledOnce();
  for (let sent = 0; sent < 32; sent += 1) incoming.emit('data', MEBIBYTE);
  expect(end).not.toHaveBeenCalled();

  incoming.emit('data', Buffer.alloc(1));

  expect(end).toHaveBeenCalledOnce();
  expect(listeners()).toBe(0);
});

test.each(['end', 'close'])('nobody waits after the %s of the request', (event) => {
  const { incoming, end, listeners } = answered();

  incoming.emit(event);

  expect(end).toHaveBeenCalledOnce();
  expect(listeners()).toBe(0);
});

test('a request that takes its time is waited for 5 seconds', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { end, listeners } = answered();
  vi.advanceTimersByTime(4999);
  expect(end).not.toHaveBeenCalled();

  vi.advanceTimersByTime(1);

  expect(end).toHaveBeenCalledOnce();
  expect(listeners()).toBe(0);
});
