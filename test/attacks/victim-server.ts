/** The process under attack: an agent with default limits and three callers, which reports its condition. */
import { inspect } from 'node:util';
import { serve } from '../../src/node/serve.ts';
import { agent } from '../../src/agent/agent.ts';
import { bearerTokens } from '../../src/host/auth/bearer-tokens.ts';
import { memoryStore } from '../../src/store/memory/store.ts';
import { sqlite } from '../../src/store/sqlite/store.ts';
import type { Store } from '../../src/store/store.ts';

/** The response of the process to any message of its parent. */
export interface Condition {
  /** Bytes that JavaScript holds after a collection: on its heap, and outside of it in buffers. */
  readonly heap: number;
  readonly buffers: number;
  /** CPU that the process has used so far, in milliseconds. */
  readonly cpuMs: number;
  /** The first errors that it has logged. */
  readonly errors: readonly string[];
}

/** The argument of the process, as JSON. */
export interface VictimArguments {
  /** Of the database; without one, tasks are in memory. */
  readonly file?: string | undefined;
  readonly storeBytes?: number | undefined;
  readonly isUnlimited: boolean;
}

const target = agent({
  name: 'Target',
  description:
    'Echoes; waits for a login after "pause", for "end" after "listen", and until it is stopped after "stay".',
  async *run(ctx) {
    const [word] = ctx.text.split(' ', 1);
    if (word === 'pause') await ctx.authorize('Log in');
    if (word === 'stay') await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve));
    if (word === 'listen') {
      yield { status: 'working', text: 'Listening' };
      for await (const { text } of ctx.inbox) if (text === 'end') break;
    }
    yield ctx.text;
  },
});

const { file, storeBytes, isUnlimited } = JSON.parse(process.argv[2] ?? '{}') as VictimArguments;
const memory = (): Store => (storeBytes === undefined ? memoryStore() : memoryStore({ maxBytes: storeBytes }));
const errors: string[] = [];
const quiet = (): void => {};
const server = await serve(target, {
  port: 0,
  store: file === undefined ? memory() : sqlite(file),
  auth: bearerTokens({ alice: 'token-of-alice', bob: 'token-of-bob', carol: 'token-of-carol' }),
  pushNotifications: true,
  log: { info: quiet, warn: quiet, error: noteError },
  ...(isUnlimited && { limits: { rate: false } }),
});

process.on('message', () => process.send?.(condition()));
process.send?.(server.port);

function condition(): Condition {
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  return { heap: heapUsed, buffers: arrayBuffers, cpuMs: (user + system) / 1000, errors };
}

function noteError(message: string, fields?: object): void {
  if (errors.length < 10) errors.push(`${message} ${inspect(fields)}`);
}
