import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, onTestFinished, test, vi } from 'vitest';
import { endResponse } from './early-response.ts';

const MEBIBYTE = Buffer.alloc(2 ** 20);

/** A response that is written before its request is complete. */
function respondEarly() {
  const incoming = Object.assign(new EventEmitter(), {
    complete: false,
    destroyed: false,
    socket: { destroyed: false },
    resume: vi.fn<() => void>(),
  });
  const end = vi.fn<() => void>();
  const outgoing = { shouldKeepAlive: false, flushHeaders() {}, write() {}, end };
  endResponse(incoming as unknown as IncomingMessage, outgoing as unknown as ServerResponse, 'too large');
  const listeners = (): number => incoming.eventNames().length;
  return { incoming, end, listeners };
}

test('the remaining body is discarded up to 32 MiB, then the response ends', () => {
  const { incoming, end, listeners } = respondEarly();
  expect(incoming.resume).toHaveBeenCalledOnce();
  for (let sent = 0; sent < 32; sent += 1) incoming.emit('data', MEBIBYTE);
  expect(end).not.toHaveBeenCalled();

  incoming.emit('data', Buffer.alloc(1));

  expect(end).toHaveBeenCalledOnce();
  expect(listeners()).toBe(0);
});

test.each(['end', 'close'])('the response ends with the %s of the request', (event) => {
  const { incoming, end, listeners } = respondEarly();

  incoming.emit(event);

  expect(end).toHaveBeenCalledOnce();
  expect(listeners()).toBe(0);
});

test('the response ends 5 s later if the request does not end', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { end, listeners } = respondEarly();
  vi.advanceTimersByTime(4999);
  expect(end).not.toHaveBeenCalled();

  vi.advanceTimersByTime(1);

  expect(end).toHaveBeenCalledOnce();
  expect(listeners()).toBe(0);
});
