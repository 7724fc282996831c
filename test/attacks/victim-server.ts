/** The process that is attacked: an agent with default limits that knows two callers, and says how it is. */
import { serve } from '../../src/node/serve.ts';
import { silentLog } from '../../src/observe/log.ts';
import { agent } from '../../src/server/agent.ts';
import { bearerTokens } from '../../src/server/auth/bearer-tokens.ts';
import { memoryStore } from '../../src/store/memory/store.ts';
import { sqlite } from '../../src/store/sqlite/store.ts';

/** What the process answers to any message. */
export interface Condition {
  /** Bytes that JavaScript holds after a collection: on its heap, and outside of it in buffers. */
  readonly heap: number;
  readonly buffers: number;
  /** CPU that the process has used so far, in milliseconds. */
  readonly cpuMs: number;
}

const target = agent({
  name: 'Target',
  description: 'Says again what it hears; waits for a login if the first word is "pause", for "end" if it is "listen".',
  async *run(ctx) {
    const [word] = ctx.text.split(' ', 1);
    if (word === 'pause') await ctx.authorize('Log in');
    if (word === 'listen') {
      yield { status: 'working', text: 'Listening' };
      for await (const { text } of ctx.inbox) if (text === 'end') break;
    }
    yield ctx.text;
  },
});

const [, , file = ''] = process.argv;
const server = await serve(target, {
  port: 0,
  store: file === '' ? memoryStore() : sqlite(file),
  auth: bearerTokens({ alice: 'token-of-alice', bob: 'token-of-bob' }),
  log: silentLog,
});

process.on('message', () => process.send?.(condition()));
process.send?.(server.port);

function condition(): Condition {
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  return { heap: heapUsed, buffers: arrayBuffers, cpuMs: (user + system) / 1000 };
}
