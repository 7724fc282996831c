/** An agent in a process that its host freezes between requests. Prints its port, and reports each step to a recorder. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { toNodeListener } from '../../src/node/listener.ts';
import { silentLog } from '../../src/observe/log.ts';
import { agent } from '../../src/agent/agent.ts';
import { createHandler } from '../../src/server/handler.ts';
import { sqlite } from '../../src/store/sqlite/store.ts';

const [file = '', publicUrl = '', recorder = '', options = ''] = process.argv.slice(2);

/** Reports a step. Resolves when the recorder responds. */
const reportStep = async (name: string, signal?: AbortSignal): Promise<void> => {
  await fetch(`${recorder}/${name}`, { method: 'POST', ...(signal && { signal }) });
};

const worker = agent({
  name: 'Worker',
  description: 'Works longer than its host allows.',
  async *run({ text, step, signal }) {
    for (let i = 0; i < Number(text); i++) {
      await step(`step ${i}`, async () => {
        await reportStep(`step-${i}`, signal);
        return i;
      });
      yield `${i} `;
    }
    await reportStep('end');
  },
});

const handler = createHandler(worker, {
  store: sqlite(file),
  publicUrl,
  insecurePublic: true,
  log: silentLog,
  ...(options !== '' && { serverless: JSON.parse(options) as object }),
});
const http = createServer(toNodeListener(handler));
http.listen(0, '127.0.0.1', () => process.stdout.write(`${(http.address() as AddressInfo).port}\n`));
