/** Streams whose credentials expire. */
import { describe, expect, test } from 'vitest';

import type { AuthenticateHook } from '../../src/host/auth/authenticator.ts';
import { connected } from './client/kit.ts';
import { startServer } from './kit/server.ts';
import { REST_1, RPC_1, type WireFormat } from './kit/wire-formats.ts';

const BOTH: readonly WireFormat[] = [RPC_1, REST_1];

describe('a stream', () => {
  /** Authenticates each request for `lifetimeMs`. */
  function shortLived(lifetimeMs: number, onTime: (time: number) => void = () => {}): AuthenticateHook {
    let time = 0;
    return () => {
      onTime(++time);
      return { id: 'alice', isVerified: true, expiresAt: Date.now() + lifetimeMs };
    };
  }

  test.each(BOTH)('$name: ends when the credentials expire, with the hint to reconnect', async (format) => {
    const server = await startServer({ auth: shortLived(50) });

    const stream = await server.open(format.stream({ text: 'hold on' }));
    const events = await stream.rest();

    expect(events.length).toBeGreaterThan(0);
    expect(stream.raw()).toContain(': stream interrupted, reconnect with Last-Event-ID\nretry: 1000');
    expect(stream.raw()).not.toContain('COMPLETED');
  });

  test('is resumed by our client with new credentials, without losing or repeating an event', async () => {
    let times = 0;
    const auth = shortLived(100, (time) => {
      times = time;
      // Ends only after the client has reconnected twice.
      if (time === 3) server.release();
    });
    const server = await startServer({ auth });
    const agent = await connected(server.url, { auth: 'any' });
    const states: unknown[] = [];

    for await (const event of agent.stream('hold on')) states.push('state' in event ? event.state : event.type);

    expect(times).toBeGreaterThan(2);
    expect(states.at(-1)).toBe('completed');
    expect(states.filter((state) => state === 'artifact')).toHaveLength(1);
  });

  test('may outlive the credentials by streamGraceMs', async () => {
    const server = await startServer({ auth: shortLived(-1000), access: { streamGraceMs: 3_600_000 } });

    const stream = await server.open(RPC_1.stream({ text: 'hold on' }));
    await stream.next();
    server.release();

    expect((await stream.rest()).at(-1)?.json).toMatchObject({
      result: { statusUpdate: { status: { state: 'TASK_STATE_COMPLETED' } } },
    });
  });
});
