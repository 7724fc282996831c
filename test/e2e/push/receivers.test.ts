/** Receivers that are slow, broken or rude: each attempt ends, with what is worth knowing, and hurts nobody. */
import { createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { fakeClock } from '../../../src/testing/fake-clock.ts';
import { verifies } from '../../helpers/verifies.ts';
import { courierTo, deliveryOf, NEVER } from './deliveries.ts';
import { type Answering, startReceiver } from './receiver.ts';

async function outcomeAt(answer: Answering): Promise<unknown> {
  const receiver = await startReceiver(answer);
  return courierTo([receiver.origin]).deliver(deliveryOf({ url: receiver.url }), NEVER);
}

describe('an answer', () => {
  test.each([200, 201, 202, 204, 299])('of %d is a delivery', async (status) => {
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
  ])('of %d with %j is a failure with %j', async (status, headers, more) => {
    expect(await outcomeAt((response) => void response.writeHead(status, headers).end('no'))).toEqual({
      kind: 'failed',
      reason: `The receiver responded with status ${status}`,
      ...more,
    });
  });

  test('may say by date when to come again', async () => {
    const clock = fakeClock();
    const receiver = await startReceiver(
      (response) => void response.writeHead(429, { 'retry-after': new Date(clock.now() + 60_000).toUTCString() }).end(),
    );
    const result = await courierTo([receiver.origin], { clock }).deliver(deliveryOf({ url: receiver.url }), NEVER);
    expect(result).toMatchObject({ kind: 'failed', retryAfterMs: 60_000 });
  });

  test.each([301, 302, 303, 307, 308])('of %d is a failure, and nobody goes there with the token', async (status) => {
    const target = await startReceiver();
    const receiver = await startReceiver((response) => void response.writeHead(status, { location: target.url }).end());
    const pushTransport = courierTo([receiver.origin, target.origin]);
    expect(await pushTransport.deliver(deliveryOf({ url: receiver.url, token: 'secret' }), NEVER)).toEqual({
      kind: 'failed',
      reason: `The receiver responded with status ${status}; redirects are not followed`,
    });
    expect(target.connections()).toBe(0);
  });

  test('that is huge is not read, and is still a delivery', async () => {
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
    // What the sockets of both sides hold, and no more.
    expect(await cut).toBeLessThan(64 * 2 ** 20);
  });

  test('whose body never ends is a delivery as soon as its status is there', async () => {
    const outcome = await outcomeAt((response) => void response.writeHead(200).write('x'));
    expect(outcome).toEqual({ kind: 'delivered' });
  });

  test('that breaks off in its body is a delivery', async () => {
    const outcome = await outcomeAt((response) => {
      response.writeHead(200, { 'content-length': 100 }).write('x');
      setImmediate(() => response.destroy());
    });
    expect(outcome).toEqual({ kind: 'delivered' });
  });
});

/** A server that speaks to its socket. */
async function startRaw(greet: (socket: Socket) => void): Promise<{ readonly url: string; readonly origin: string }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    greet(socket);
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
    ['says nothing', ''],
    ['drips its answer', 'HTTP/1.1 20'],
    ['drips its headers', 'HTTP/1.1 200 OK\r\nX-Slow: '],
  ])(verifies('P-10', 'that %s has 15 seconds, and no more'), async (_, begun) => {
    const clock = fakeClock();
    let arrived: () => void = () => {};
    const isThere = new Promise<void>((resolve) => (arrived = resolve));
    const { url, origin } = await startRaw((socket) => {
      socket.on('data', () => {
        if (begun !== '') socket.write(begun);
        arrived();
      });
    });
    let outcome: unknown;
    const delivering = courierTo([origin], { clock }).deliver(deliveryOf({ url }), NEVER);
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
    ['hangs up', (socket: Socket) => void socket.on('data', () => socket.end())],
    ['resets the connection', (socket: Socket) => void socket.on('data', () => socket.resetAndDestroy())],
    ['speaks no HTTP', (socket: Socket) => void socket.end('SSH-2.0-OpenSSH_9.6\r\n')],
    ['upgrades', (socket: Socket) => void socket.write('HTTP/1.1 101 Go\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n')],
  ])('that %s is one that could not be reached', async (_, greet) => {
    const { url, origin } = await startRaw(greet);
    const result = await courierTo([origin]).deliver(deliveryOf({ url }), NEVER);
    expect(result).toMatchObject({
      kind: 'failed',
      reason: expect.stringMatching(/^The receiver could not be reached/),
    });
  });

  test('that is not there is one that could not be reached', async () => {
    const origin = 'http://127.0.0.1:9';
    const result = await courierTo([origin]).deliver(deliveryOf({ url: `${origin}/` }), NEVER);
    expect(result).toEqual({ kind: 'failed', reason: 'The receiver could not be reached (ECONNREFUSED)' });
  });

  test('that hangs is left when the engine says so', async () => {
    const receiver = await startReceiver(() => {});
    const abort = new AbortController();
    const delivering = courierTo([receiver.origin]).deliver(deliveryOf({ url: receiver.url }), abort.signal);
    await receiver.until(1);
    abort.abort();
    expect(await delivering).toMatchObject({ kind: 'failed' });
  });

  test('keeps its connection for the next notification', async () => {
    const receiver = await startReceiver((response) => void response.end('{"ok":true}'));
    const pushTransport = courierTo([receiver.origin]);
    const ids = Array.from({ length: 10 }, (_, i) => String(i));
    for (const id of ids) await pushTransport.deliver(deliveryOf({ url: receiver.url }, { id }), NEVER);
    expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual(ids);
    // The next one may begin while the answer to the last is still read.
    expect(receiver.connections()).toBeLessThanOrEqual(2);
  });

  test('gets no more than 8 at a time', async () => {
    const answers: (() => void)[] = [];
    const receiver = await startReceiver((response) => void answers.push(() => response.end()));
    const pushTransport = courierTo([receiver.origin]);
    const all = Array.from({ length: 20 }, (_, i) =>
      pushTransport.deliver(deliveryOf({ url: receiver.url }, { id: String(i) }), NEVER),
    );
    await receiver.until(8);
    expect(receiver.connections()).toBe(8);
    for (let done = 0; done < all.length; done++) {
      await receiver.until(done + 1);
      answers.shift()?.();
    }
    expect(new Set((await Promise.all(all)).map(({ kind }) => kind))).toEqual(new Set(['delivered']));
    expect(receiver.connections()).toBe(8);
  });
});
