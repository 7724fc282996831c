/** An agent that restarts: the client waits until it is back, for as long as it says, and no longer. */
import { describe, expect, test } from 'vitest';

import type { ConnectOptions } from '../../../src/client/options.ts';
import { agent as createAgent } from '../../../src/server/agent/agent.ts';
import type { Clock } from '../../../src/support/time/clock.ts';
import { serveOnSocket } from '../kit/server.ts';
import { connected, createHastyClock, nowhere, TRANSPORTS } from './kit.ts';
import { cardAt, failure, result, startPeer, task } from './peer.ts';

const echo = createAgent({ name: 'Echo', description: 'Says it again.', run: ({ text }) => Promise.resolve(text) });

/** Moves on by pauses alone, so that a busy machine changes nothing. */
const virtualClock = (): Clock => createHastyClock(() => 1_700_000_000_000);

/** On a connection that is kept, the end of the agent may look like a lost response. That is another test. */
const UNPOOLED = { headers: { connection: 'close' } };

/** More attempts than `retries` allows for any other failure. */
const ENOUGH = 6;

describe.each(TRANSPORTS)('over %s', (_name, options) => {
  test('a message to an agent that refuses connections arrives when the agent is back', async () => {
    const first = await serveOnSocket(echo);
    let attempts = 0;
    let isDown = false;
    const agent = await connected(first.url, {
      ...options,
      ...UNPOOLED,
      // So that the client must not send a message twice.
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
    const url = await nowhere();
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

  /** How long a client tries to reach an agent that is gone, and how often. */
  async function patience(
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

  test('an agent that was reached before is tried for 15 s', async () => {
    const { ms, attempts } = await patience({});
    expect(ms).toBeGreaterThan(13_000);
    expect(attempts).toBeLessThan(20);
  });

  test('an agent that was never reached is tried for 3 s', async () => {
    const { ms, attempts } = await patience({}, { isKnown: false });
    expect(ms).toBeGreaterThan(1400);
    expect(attempts).toBeLessThan(8);
  });

  test('reconnectMs says for how long an agent is tried', async () => {
    expect((await patience({ reconnectMs: 30_000 }, { isKnown: false })).ms).toBeGreaterThan(28_000);
    expect((await patience({ reconnectMs: 0 })).attempts).toBe(3);
  });

  test('with retries: 0 a refused connection is an error at once', async () => {
    expect((await patience({ retries: 0 })).attempts).toBe(1);
  });

  test('a call tries no longer than its deadline', async () => {
    expect((await patience({}, { timeoutMs: 6000 })).ms).toBeLessThan(6000);
  });

  test('an agent that drains is asked again until it takes the message', async () => {
    const peer = await startPeer((_got, response, { got }) => {
      if (got.length < 10) failure(response, -32603, 'UNAVAILABLE', 503, { 'retry-after': '1' });
      else result(response, { task: task() });
    });
    const agent = await connected(peer.url, { ...options, clock: virtualClock() });
    expect((await agent.send('hi', { wait: 'block' })).state).toBe('completed');
    expect(peer.got).toHaveLength(10);
  });

  test('an address that the card names and where nothing listens does not keep the call for long', async () => {
    const url = await nowhere();
    const clock = virtualClock();
    const agent = await connected(cardAt(url), { ...options, allowOrigins: [url], clock });
    const start = clock.now();
    await expect(agent.ask('hi')).rejects.toMatchObject({ code: 'TRANSPORT_FAILED' });
    expect(clock.now() - start).toBeLessThan(10_000);
  });
});
