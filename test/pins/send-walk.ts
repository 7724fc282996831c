/**
 * Prints the files of `src` whose functions a blocking send runs, as JSON: over HTTP, with the memory store, after the code that runs
 * once. Run by `send-walk.test.ts` in a process of its own, because the profiler counts everything in its process.
 */
import { Session } from 'node:inspector/promises';
import { fileURLToPath } from 'node:url';
import { serve } from '../../src/node/index.ts';
import { agent, memoryStore } from '../../src/server/index.ts';

const SOURCES = new URL('../../src/', import.meta.url);
const WARM_UP = 5;

const echo = agent({
  id: 'echo',
  name: 'Echo',
  description: 'Repeats.',
  async *run({ text }) {
    yield { artifact: 'response', text, lastChunk: true };
  },
});
const server = await serve(echo, { port: 0, store: memoryStore() });
let sent = 0;

async function send(): Promise<void> {
  const message = { messageId: `m-${(sent += 1)}`, role: 'ROLE_USER', parts: [{ text: 'hello' }] };
  const response = await fetch(server.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
    body: JSON.stringify({ jsonrpc: '2.0', id: sent, method: 'SendMessage', params: { message } }),
  });
  const text = await response.text();
  if (!text.includes('TASK_STATE_COMPLETED')) throw new Error(`not a completed task: ${text}`);
}

const profiler = new Session();
profiler.connect();
await profiler.post('Profiler.enable');
await profiler.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
for (let i = 0; i < WARM_UP; i += 1) await send();
// The counts start again with each call.
await profiler.post('Profiler.takePreciseCoverage');
await send();
const { result } = await profiler.post('Profiler.takePreciseCoverage');
const ran = result.filter(
  ({ url, functions }) =>
    url.startsWith(SOURCES.href) &&
    // `tsx` adds a helper of this name to each file.
    functions.some(({ functionName, ranges }) => functionName !== '__name' && (ranges[0]?.count ?? 0) > 0),
);
const root = fileURLToPath(SOURCES);
process.stdout.write(JSON.stringify(ran.map(({ url }) => fileURLToPath(url.split('?')[0] ?? '').slice(root.length))));
await server.close();
process.exit(0);
