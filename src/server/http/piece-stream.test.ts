import { expect, onTestFinished, test, vi } from 'vitest';
import { Leaving } from '../../support/leave-signal.ts';
import { Heartbeats } from './heartbeats.ts';
import { BytesInFlight } from '../../host/limits/bytes-in-flight.ts';
import { DEFAULT_LIMITS } from '../../host/limits/limit-settings.ts';
import { pieceStream } from './piece-stream.ts';

/** A stream whose first piece is `one`; `then` returns the next ones. */
function opened(then: () => Promise<IteratorResult<string, undefined>>) {
  const heartbeats = new Heartbeats(60_000);
  onTestFinished(() => heartbeats.close());
  const leaving = new Leaving();
  let returned = 0;
  let asked = 0;
  const pieces: AsyncIterableIterator<string, undefined> = {
    next: () => (asked++ === 0 ? Promise.resolve({ done: false, value: 'one' }) : then()),
    return: async () => {
      returned += 1;
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => pieces,
  };
  const stream = pieceStream(pieces, { signal: leaving, leave: () => leaving.leave() }, heartbeats, {
    open: () => undefined,
  });
  return { stream, leaving, beating: () => heartbeats.size, returned: () => returned };
}

const never = (): Promise<never> => new Promise(() => {});

test('aborting the signal ends an unread stream', async () => {
  const { stream, leaving, beating, returned } = opened(never);
  expect(beating()).toBe(1);

  leaving.leave();

  expect([beating(), returned()]).toEqual([0, 1]);
  await stream.cancel();
  expect(returned()).toBe(1);
});

test('aborting the signal ends a stream whose client waits for the next piece', async () => {
  const { stream, leaving, beating, returned } = opened(never);
  const reader = stream.getReader();
  expect((await reader.read()).value).toEqual(new TextEncoder().encode('one'));
  const waiting = reader.read();

  leaving.leave();

  expect(await waiting).toEqual({ done: true, value: undefined });
  expect([beating(), returned()]).toEqual([0, 1]);
});

test('pieces after the abort are not sent', async () => {
  const { stream, leaving } = opened(async () => {
    leaving.leave();
    return { done: false, value: 'two' };
  });
  const reader = stream.getReader();
  await reader.read();

  expect(await reader.read()).toEqual({ done: true, value: undefined });
});

test('a client that disconnects before the response gets an empty stream', async () => {
  const leaving = new Leaving();
  leaving.leave();
  const heartbeats = new Heartbeats(60_000);
  const pieces = (async function* never() {
    yield 'one';
  })();

  const stream = pieceStream(pieces, { signal: leaving, leave: () => {} }, heartbeats, { open: () => undefined });

  expect(await stream.getReader().read()).toEqual({ done: true, value: undefined });
  expect(heartbeats.size).toBe(0);
});

test('a stream that its client has not read for 30 s ends at the next heartbeat', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const heartbeats = new Heartbeats(20_000);
  const leaving = new Leaving();
  const hold = new BytesInFlight('response', { ...DEFAULT_LIMITS, given: new Set() }).open({});
  const pieces = (async function* large() {
    for (;;) yield 'x'.repeat(2 ** 18);
  })();
  const client = { signal: leaving, leave: () => leaving.leave() };
  const read = pieceStream(pieces, client, heartbeats, { open: () => hold }).getReader();
  await read.read();
  await vi.advanceTimersByTimeAsync(30_000);
  expect([heartbeats.size, hold.size]).toEqual([1, 2 ** 18]);

  await vi.advanceTimersByTimeAsync(10_000);

  expect([heartbeats.size, hold.size, leaving.aborted]).toEqual([0, 0, true]);
  await expect(read.read()).rejects.toThrow('The response was not read for 30 s');
});

test('a stream ends if the bytes in flight exceed their limit', async () => {
  const heartbeats = new Heartbeats(60_000);
  const limits = { ...DEFAULT_LIMITS, responseBytesPerProcess: 1, given: new Set<never>() };
  const bytes = new BytesInFlight('response', limits);
  const other = bytes.open({});
  other.take(1);
  onTestFinished(() => other.release());
  const pieces = (async function* large() {
    yield 'x'.repeat(2 ** 18);
  })();

  const stream = pieceStream(pieces, { signal: new Leaving(), leave: () => {} }, heartbeats, {
    open: () => bytes.open({}),
  });

  await expect(stream.getReader().read()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect(heartbeats.size).toBe(0);
});

test('cancelling a stream aborts its signal', async () => {
  const { stream, leaving, beating, returned } = opened(never);

  await stream.cancel();

  expect(leaving.aborted).toBe(true);
  expect([beating(), returned()]).toEqual([0, 1]);
});

test('an error of a piece ends the stream with that error', async () => {
  const { stream, beating, returned } = opened(() => Promise.reject(new Error('broken')));
  const reader = stream.getReader();
  await reader.read();

  await expect(reader.read()).rejects.toThrow('broken');
  expect([beating(), returned()]).toEqual([0, 1]);
});

test('closed heartbeats stop, and accept no new stream', () => {
  const heartbeats = new Heartbeats(60_000);
  heartbeats.add(() => {});

  heartbeats.close();
  const stop = heartbeats.add(() => {});

  expect(heartbeats.size).toBe(0);
  stop();
});
