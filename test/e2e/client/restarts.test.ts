/** Agents that restart: the client retries until they are back, for a limited time. */
import { describe, expect, test } from 'vitest';

import type { ConnectOptions } from '../../../src/client/options.ts';
import { agent as createAgent } from '../../../src/agent/agent.ts';
import type { Clock } from '../../../src/support/time/clock.ts';
import { serveOnSocket } from '../kit/server.ts';
import { connected, createSkippingClock, unusedAddress, TRANSPORTS } from './kit.ts';
import { cardAt, failure, result, startPeer, task } from './peer.ts';

const echo = createAgent({
  name: 'Echo',
  description: 'Repeats the message.',
  run: ({ text }) => Promise.resolve(text),
});

/** Advances only by pauses, so that the load of the machine has no effect. */
const virtualClock = (): Clock => createSkippingClock(() => 1_700_000_000_000);

/** On a pooled connection, the end of the agent may look like a lost response. That is another test. */
const UNPOOLED = { headers: { connection: 'close' } };

/** More attempts than `retries` allows for any other failure. */
const ENOUGH = 6;

describe.each(TRANSPORTS)('over %s', (_name, options) => {
  test('a message to an agent that refuses connections is delivered when the agent is back', async () => {
    const first = await serveOnSocket(echo);
    let attempts = 0;
    let isDown = false;
    const agent = await connected(first.url, {
      ...options,
      ...UNPOOLED,
      // Forbids the client to send a message twice.
      recognisesRepeats: false,
      clock: virtualClock(),
      interceptors: [
        async (request, next) => {
          if (isDown && ++attempts === ENOUGH) await serveOnSocket(echo, { port: first.server.port });
          return next(request);
        },
      ],
    });
    expect(await agent.ask('one')).toBe('one');
    await first.server.close();
    isDown = true;

    expect(await agent.ask('two')).toBe('two');
    expect(attempts).toBeGreaterThanOrEqual(ENOUGH);
  });

  test('a client connects to an agent that is just starting', async () => {
    const url = await unusedAddress();
    let attempts = 0;
    const agent = await connected(url, {
      ...options,
      clock: virtualClock(),
      interceptors: [
        async (request, next) => {
          if (++attempts === 4) await serveOnSocket(echo, { port: Number(new URL(url).port) });
          return next(request);
        },
      ],
    });
    expect(await agent.ask('hello')).toBe('hello');
  });

  /** How long and how often a client tries to reach an agent that is gone. */
  async function attemptsAtGoneAgent(
    more: ConnectOptions,
    { isKnown = true, timeoutMs = 60_000 } = {},
  ): Promise<{ readonly ms: number; readonly attempts: number }> {
    const clock = virtualClock();
    let attempts = 0;
    const counting: ConnectOptions['interceptors'] = [(request, next) => (attempts++, next(request))];
    const { url, server } = await serveOnSocket(echo);
    const agent = await connected(url, { ...options, ...UNPOOLED, ...more, clock, interceptors: counting });
    if (isKnown) await agent.ask('hello');
    await server.close();
    attempts = 0;
    const start = clock.now();
    await expect(agent.ask('hello', { timeoutMs })).rejects.toMatchObject({
      code: 'TRANSPORT_FAILED',
      details: { sent: 'no' },
    });
    return { ms: clock.now() - start, attempts };
  }

  test('the client retries an agent that it has reached before for 15 s', async () => {
    const { ms, attempts } = await attemptsAtGoneAgent({});
    expect(ms).toBeGreaterThan(13_000);
    expect(ms).toBeLessThanOrEqual(15_000);
    expect(attempts).toBeLessThan(20);
  });

  test('the client retries an agent that it has never reached for 3 s', async () => {
    const { ms, attempts } = await attemptsAtGoneAgent({}, { isKnown: false });
    expect(ms).toBeGreaterThan(1400);
    expect(ms).toBeLessThanOrEqual(3000);
    expect(attempts).toBeLessThan(8);
  });

  test('reconnectMs sets how long the client retries an agent', async () => {
    expect((await attemptsAtGoneAgent({ reconnectMs: 30_000 }, { isKnown: false })).ms).toBeGreaterThan(28_000);
    expect((await attemptsAtGoneAgent({ reconnectMs: 0 })).attempts).toBe(3);
  });

  test('with retries: 0 a call fails at the first refused connection', async () => {
    expect((await attemptsAtGoneAgent({ retries: 0 })).attempts).toBe(1);
  });

  test('a call retries no longer than its deadline', async () => {
    expect((await attemptsAtGoneAgent({}, { timeoutMs: 6000 })).ms).toBeLessThan(6000);
  });

  test('a message to an agent that drains is sent again until the agent accepts it', async () => {
    const peer = await startPeer((_got, response, { got }) => {
      if (got.length < 10) failure(response, -32603, 'UNAVAILABLE', 503, { 'retry-after': '1' });
      else result(response, { task: task() });
    });
    const agent = await connected(peer.url, { ...options, clock: virtualClock() });
    expect((await agent.send('hi', { wait: 'block' })).state).toBe('completed');
    expect(peer.got).toHaveLength(10);
  });

  test('a call to an address in a card at which nothing listens fails within 10 s', async () => {
    const url = await unusedAddress();
    const clock = virtualClock();
    const agent = await connected(cardAt(url), { ...options, allowOrigins: [url], clock });
    const start = clock.now();
    await expect(agent.ask('hi')).rejects.toMatchObject({ code: 'TRANSPORT_FAILED' });
    expect(clock.now() - start).toBeLessThan(10_000);
  });
});
