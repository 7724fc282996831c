/** A server for `crashing-task.test.ts`: one of its tasks ends the process in each run. */
import { setTimeout as delay } from 'node:timers/promises';

import { serve } from '../../src/node/serve.ts';
import { agent } from '../../src/agent/agent.ts';
import { sqlite } from '../../src/store/sqlite/store.ts';

const worker = agent({
  name: 'Worker',
  description: 'Ends its process after 0.3 s, works for 4 s without a step, or does 30 steps of 0.1 s.',
  async run({ text, step }) {
    if (text === 'crash') {
      await delay(300);
      process.exit(9);
    }
    if (text === 'plain') await delay(4000);
    if (text === 'steps') for (let i = 0; i < 30; i++) await step(`step ${i}`, () => delay(100));
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
