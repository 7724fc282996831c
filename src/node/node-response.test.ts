import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { Heartbeats } from '../server/http/heartbeats.ts';
import { BytesInFlight } from '../host/limits/bytes-in-flight.ts';
import { DEFAULT_LIMITS } from '../host/limits/limit-settings.ts';
import { deferred } from '../support/deferred.ts';
import { sendResponse } from './node-response.ts';

const BEAT = ': keep-alive\n\n';

/** Streams `pieces` to one client through `middleware`. `beat` writes a heartbeat. */
async function streaming(
  pieces: AsyncIterable<string>,
  middleware: (outgoing: ServerResponse, beat: () => void) => void,
) {
  let write: ((beat: string) => void) | undefined;
  const beat = (): void => write?.(BEAT);
  const add = (added: (beat: string) => void): (() => void) => {
    write = added;
    return () => (write = undefined);
  };
  const server = createServer((_incoming, outgoing) => {
    middleware(outgoing, beat);
    sendResponse({ status: 200, headers: {}, body: pieces }, {}, outgoing, false, {
      heartbeats: { add } as unknown as Heartbeats,
      stallMs: 60_000,
      responses: new BytesInFlight('response', { ...DEFAULT_LIMITS, given: new Set() }),
    });
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  const response = fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  return { beat, isBeating: () => write !== undefined, text: response.then((one) => one.text()) };
}

test.each([
  ['a large event', 2 ** 19],
  ['a small event', 2 ** 10],
])('no heartbeat is written before %s is sent, also if middleware replaces write', async (_size, length) => {
  const event = `data: ${'x'.repeat(length)}\n\n`;
  const end = deferred<void>();
  const taken = deferred<void>();
  const stream = await streaming(
    (async function* pieces() {
      yield event;
      taken.resolve();
      await end.promise;
    })(),
    (outgoing, beat) => {
      const write = outgoing.write.bind(outgoing) as (chunk: unknown) => boolean;
      // Buffers by itself, like `compression`, so the response does not show that data is pending.
      outgoing.write = (chunk: unknown): boolean => {
        write(chunk);
        setImmediate(() => {
          if (chunk !== BEAT) beat();
          outgoing.emit('drain');
        });
        return false;
      };
    },
  );
  await taken.promise;
  stream.beat();
  end.resolve();

  const text = await stream.text;
  expect([text.indexOf(BEAT), text.length]).toEqual([event.length, event.length + BEAT.length]);
});

test('a heartbeat that cannot be written ends its stream', async () => {
  const started = deferred<void>();
  const stream = await streaming(
    (async function* pieces() {
      yield 'data: 1\n\n';
      started.resolve();
      await new Promise(() => {});
    })(),
    (outgoing) => {
      const write = outgoing.write.bind(outgoing) as (chunk: unknown) => boolean;
      outgoing.write = (chunk: unknown): boolean => {
        if (chunk === BEAT) throw new Error('broken middleware');
        return write(chunk);
      };
    },
  );
  await started.promise;

  stream.beat();

  await expect(stream.text).rejects.toThrow(/fetch|terminated/);
  expect(stream.isBeating()).toBe(false);
});
