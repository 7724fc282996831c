/** A server for `suspended-machine.test.ts`, whose tasks have a timeout of 5 s. */
import { setTimeout as delay } from 'node:timers/promises';

import { serve } from '../../src/node/serve.ts';
import { agent } from '../../src/agent/agent.ts';
import { sqlite } from '../../src/store/sqlite/store.ts';

const worker = agent({
  name: 'Worker',
  description: 'Works for a second.',
  timeoutMs: 5000,
  async run() {
    process.send?.('begun');
    for (let i = 0; i < 10; i++) await delay(100);
    return 'done';
  },
});

const quiet = (): void => {};
const server = await serve(worker, {
  port: 0,
  store: sqlite(process.argv[2] ?? ''),
  log: { info: quiet, warn: quiet, error: quiet },
});
process.send?.(server.port);
