/** An agent in a process that its host freezes between requests. Says its port, and tells a witness what it does. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { toNodeListener } from '../../src/node/listener.ts';
import { silentLog } from '../../src/observe/log.ts';
import { agent } from '../../src/agent/agent.ts';
import { createHandler } from '../../src/server/handler.ts';
import { sqlite } from '../../src/store/sqlite/store.ts';

const [file = '', publicUrl = '', witness = '', options = ''] = process.argv.slice(2);

/** Resolves when the witness says so. */
const tell = async (what: string, signal?: AbortSignal): Promise<void> => {
  await fetch(`${witness}/${what}`, { method: 'POST', ...(signal && { signal }) });
};

const clerk = agent({
  name: 'Clerk',
  description: 'Does what takes longer than its host allows.',
  async *run({ text, step, signal }) {
    for (let i = 0; i < Number(text); i++) {
      await step(`step ${i}`, async () => {
        await tell(`step-${i}`, signal);
        return i;
      });
      yield `${i} `;
    }
    await tell('end');
  },
});

const handler = createHandler(clerk, {
  store: sqlite(file),
  publicUrl,
  insecurePublic: true,
  log: silentLog,
  ...(options !== '' && { serverless: JSON.parse(options) as object }),
});
const http = createServer(toNodeListener(handler));
http.listen(0, '127.0.0.1', () => process.stdout.write(`${(http.address() as AddressInfo).port}\n`));
