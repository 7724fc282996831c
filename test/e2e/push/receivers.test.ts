/** Receivers that are slow or broken: each attempt ends with an outcome, and does not affect other deliveries. */
import { createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { fakeClock } from '../../../src/testing/fake-clock.ts';
import { verifies } from '../../helpers/verifies.ts';
import { pushTransportTo, deliveryOf, NEVER } from './deliveries.ts';
import { type Responder, startReceiver } from './receiver.ts';

async function outcomeAt(respond: Responder): Promise<unknown> {
  const receiver = await startReceiver(respond);
  return pushTransportTo([receiver.origin]).deliver(deliveryOf({ url: receiver.url }), NEVER);
}

describe('a response of a receiver', () => {
  test.each([200, 201, 202, 204, 299])('with status %d completes the delivery', async (status) => {
    expect(await outcomeAt((response) => void response.writeHead(status).end())).toEqual({ kind: 'delivered' });
  });

  test.each([
    [400, {}, {}],
    [401, {}, {}],
    [404, {}, {}],
    [410, {}, { gone: true }],
    [429, { 'retry-after': '7' }, { retryAfterMs: 7000 }],
    [503, { 'retry-after': '120' }, { retryAfterMs: 120_000 }],
    [503, { 'retry-after': 'soon' }, {}],
    [503, { 'retry-after': '99999999' }, { retryAfterMs: 86_400_000 }],
    [500, {}, {}],
    [502, {}, {}],
  ])('with status %d and headers %j fails the attempt with %j', async (status, headers, more) => {
    expect(await outcomeAt((response) => void response.writeHead(status, headers).end('no'))).toEqual({
      kind: 'failed',
      reason: `The receiver responded with status ${status}`,
      ...more,
    });
  });

  test('may have a date in Retry-After', async () => {
    const clock = fakeClock();
    const receiver = await startReceiver(
      (response) => void response.writeHead(429, { 'retry-after': new Date(clock.now() + 60_000).toUTCString() }).end(),
    );
    const result = await pushTransportTo([receiver.origin], { clock }).deliver(
      deliveryOf({ url: receiver.url }),
      NEVER,
    );
    expect(result).toMatchObject({ kind: 'failed', retryAfterMs: 60_000 });
  });

  test.each([301, 302, 303, 307, 308])(
    'with status %d fails the attempt, and the redirect is not followed',
    async (status) => {
      const target = await startReceiver();
      const receiver = await startReceiver(
        (response) => void response.writeHead(status, { location: target.url }).end(),
      );
      const pushTransport = pushTransportTo([receiver.origin, target.origin]);
      expect(await pushTransport.deliver(deliveryOf({ url: receiver.url, token: 'secret' }), NEVER)).toEqual({
        kind: 'failed',
        reason: `The receiver responded with status ${status}; redirects are not followed`,
      });
      expect(target.connections()).toBe(0);
    },
  );

  test('with a huge body completes the delivery, and the body is not read', async () => {
    let isCut: (written: number) => void = () => {};
    const cut = new Promise<number>((resolve) => (isCut = resolve));
    const outcome = await outcomeAt((response) => {
      let written = 0;
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536))) written += 65_536;
      };
      response.on('drain', more).on('close', () => isCut(written));
      more();
    });
    expect(outcome).toEqual({ kind: 'delivered' });
    // No more than fits into the buffers of both sockets.
    expect(await cut).toBeLessThan(64 * 2 ** 20);
  });

  test('with an endless body completes the delivery when the status has arrived', async () => {
    const outcome = await outcomeAt((response) => void response.writeHead(200).write('x'));
    expect(outcome).toEqual({ kind: 'delivered' });
  });

  test('that breaks off in its body completes the delivery', async () => {
    const outcome = await outcomeAt((response) => {
      response.writeHead(200, { 'content-length': 100 }).write('x');
      setImmediate(() => response.destroy());
    });
    expect(outcome).toEqual({ kind: 'delivered' });
  });
});

/** A TCP server, for responses that are not HTTP. */
async function startRaw(
  onConnection: (socket: Socket) => void,
): Promise<{ readonly url: string; readonly origin: string }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    onConnection(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url: `${origin}/hook`, origin };
}

describe('a receiver', () => {
  test.each([
    ['sends nothing', ''],
    ['sends half of a status line', 'HTTP/1.1 20'],
    ['sends half of its headers', 'HTTP/1.1 200 OK\r\nX-Slow: '],
  ])(verifies('P-10', 'that %s fails the attempt after 15 s'), async (_, start) => {
    const clock = fakeClock();
    let arrived: () => void = () => {};
    const isThere = new Promise<void>((resolve) => (arrived = resolve));
    const { url, origin } = await startRaw((socket) => {
      socket.on('data', () => {
        if (start !== '') socket.write(start);
        arrived();
      });
    });
    let outcome: unknown;
    const delivering = pushTransportTo([origin], { clock }).deliver(deliveryOf({ url }), NEVER);
    void delivering.then((result) => (outcome = result));
    await isThere;

    clock.advance(14_999);
    await new Promise((resolve) => void setImmediate(resolve));
    expect(outcome).toBeUndefined();
    clock.advance(1);

    expect(await delivering).toEqual({ kind: 'failed', reason: 'No response within 15 s' });
    expect(clock.pending).toBe(0);
  });

  test.each([
    ['closes the connection', (socket: Socket) => void socket.on('data', () => socket.end())],
    ['resets the connection', (socket: Socket) => void socket.on('data', () => socket.resetAndDestroy())],
    ['does not speak HTTP', (socket: Socket) => void socket.end('SSH-2.0-OpenSSH_9.6\r\n')],
    [
      'upgrades the connection',
      (socket: Socket) => void socket.write('HTTP/1.1 101 Go\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
    ],
  ])('that %s is reported as not reachable', async (_, onConnection) => {
    const { url, origin } = await startRaw(onConnection);
    const result = await pushTransportTo([origin]).deliver(deliveryOf({ url }), NEVER);
    expect(result).toMatchObject({
      kind: 'failed',
      reason: expect.stringMatching(/^The receiver could not be reached/),
    });
  });

  test('that refuses connections is reported as not reachable', async () => {
    const origin = 'http://127.0.0.1:9';
    const result = await pushTransportTo([origin]).deliver(deliveryOf({ url: `${origin}/` }), NEVER);
    expect(result).toEqual({ kind: 'failed', reason: 'The receiver could not be reached (ECONNREFUSED)' });
  });

  test('that does not respond is abandoned when the engine aborts the attempt', async () => {
    const receiver = await startReceiver(() => {});
    const abort = new AbortController();
    const delivering = pushTransportTo([receiver.origin]).deliver(deliveryOf({ url: receiver.url }), abort.signal);
    await receiver.until(1);
    abort.abort();
    expect(await delivering).toMatchObject({ kind: 'failed' });
  });

  test('gets the next notification on the same connection', async () => {
    const receiver = await startReceiver((response) => void response.end('{"ok":true}'));
    const pushTransport = pushTransportTo([receiver.origin]);
    const ids = Array.from({ length: 10 }, (_, i) => String(i));
    for (const id of ids) await pushTransport.deliver(deliveryOf({ url: receiver.url }, { id }), NEVER);
    expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual(ids);
    // The next delivery may begin while the response to the last one is still read.
    expect(receiver.connections()).toBeLessThanOrEqual(2);
  });

  test('gets at most 8 notifications at a time', async () => {
    const pending: (() => void)[] = [];
    const receiver = await startReceiver((response) => void pending.push(() => response.end()));
    const pushTransport = pushTransportTo([receiver.origin]);
    const all = Array.from({ length: 20 }, (_, i) =>
      pushTransport.deliver(deliveryOf({ url: receiver.url }, { id: String(i) }), NEVER),
    );
    await receiver.until(8);
    expect(receiver.connections()).toBe(8);
    for (let done = 0; done < all.length; done++) {
      await receiver.until(done + 1);
      pending.shift()?.();
    }
    expect(new Set((await Promise.all(all)).map(({ kind }) => kind))).toEqual(new Set(['delivered']));
    expect(receiver.connections()).toBe(8);
  });
});
