import { onTestFinished } from 'vitest';

import type { AgentClient } from '../../../src/client/client.ts';
import { connect, type ConnectTarget } from '../../../src/client/connect.ts';
import type { ConnectOptions } from '../../../src/client/options.ts';

/** The ways in which requests can be made: one list of behaviours has to hold for both. */
export const TRANSPORTS: readonly (readonly [string, ConnectOptions])[] = [
  ['node:http', {}],
  ['fetch', { fetch: (request) => fetch(request) }],
];

/** Connects until the test is over. */
export async function connected(target: ConnectTarget, options: ConnectOptions = {}): Promise<AgentClient> {
  const client = await connect(target, { cache: false, ...options });
  onTestFinished(() => client.close());
  return client;
}
