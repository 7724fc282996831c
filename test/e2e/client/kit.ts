import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

import { onTestFinished } from 'vitest';

import type { AgentClient } from '../../../src/client/client.ts';
import { connect, type ConnectTarget } from '../../../src/client/connect.ts';
import type { ConnectOptions } from '../../../src/client/options.ts';
import { type Clock, systemClock } from '../../../src/support/time/clock.ts';

/** The transports of the client: one list of behaviours applies to both. */
export const TRANSPORTS: readonly (readonly [string, ConnectOptions])[] = [
  ['node:http', {}],
  ['fetch', { fetch: (request) => fetch(request) }],
];

/** Connects a client that is closed when the test ends. */
export async function connected(target: ConnectTarget, options: ConnectOptions = {}): Promise<AgentClient> {
  const client = await connect(target, { cache: false, ...options });
  onTestFinished(() => client.close());
  return client;
}

/** An address at which no server listens, below the range from which the system assigns ports. */
export async function unusedAddress(): Promise<string> {
  const server = createServer().listen(randomInt(20_000, 32_000), '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return `http://127.0.0.1:${port}`;
}

/** Pauses of up to 5 s end at once, and advance the clock; longer ones never end. */
export function createSkippingClock(base: () => number = systemClock.now): Clock {
  let skipped = 0;
  const now = (): number => base() + skipped;
  return {
    now,
    callAt(time, run) {
      if (time - now() > 5000) return () => {};
      const timer = setImmediate(() => {
        skipped += Math.max(0, time - now());
        run();
      });
      return () => clearImmediate(timer);
    },
  };
}

export const skippingClock: Clock = createSkippingClock();
