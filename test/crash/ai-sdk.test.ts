/** A model loop with tools in a process that is killed: neither a model call nor a tool that was recorded runs again. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type AgentEvent, connect } from '../../src/index.ts';
import { type Bundle, bundle } from './bundle.ts';

const CALLS = ['model 1', 'tool first', 'model 2', 'tool second', 'model 3', 'end'];
const TEXT = 'Let me see. \n\nAnd again. \n\none two three four ';

let built: Bundle | undefined;
beforeAll(async () => {
  built = await bundle(new URL('ai-sdk-server.ts', import.meta.url));
}, 60_000);
afterAll(() => built?.remove());

async function start(...args: readonly string[]): Promise<{ readonly child: ChildProcess; readonly port: number }> {
  const child = fork(built?.path ?? '', [...args]);
  onTestFinished(() => void child.kill('SIGKILL'));
  const failed = once(child, 'exit').then(([code]) =>
    Promise.reject(new Error(`The server ended with ${String(code)}`)),
  );
  const [port] = (await Promise.race([once(child, 'message'), failed])) as [number];
  failed.catch(() => {});
  return { child, port };
}

/** Starts a server that hangs at a call or word, and another one on the same database when `restart` is called. */
async function scenario(hangAt: string, ...more: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'tandem-ai-sdk-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const log = join(folder, 'calls.txt');
  const database = join(folder, 'tasks.db');
  const first = await start(database, log, '0', hangAt, ...more);
  let { child } = first;
  const client = await connect(`http://127.0.0.1:${first.port}`);
  onTestFinished(() => client.close());
  let text = '';
  return {
    client,
    text: () => text,
    calls: (): readonly string[] => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []),
    onProgress: (event: AgentEvent): void => {
      // A client that did not receive the first event sends the message again, and gets the task with its text so far.
      if (event.type === 'task') {
        const parts = event.task.artifacts?.flatMap((artifact) => artifact.parts) ?? [];
        text = parts.map((part) => ('text' in part ? part.text : '')).join('');
      }
      if (event.type === 'artifact') text = event.append ? text + event.text : event.text;
      if (child.connected) child.send(text);
    },
    async restart(): Promise<void> {
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
      ({ child } = await start(database, log, String(first.port), '', ...more));
      child.send(text);
    },
  };
}

test.each(CALLS)('a process that is killed during "%s" repeats only that call', { timeout: 60_000 }, async (during) => {
  const { client, text, calls, onProgress, restart } = await scenario(during);
  const done = client.send('go', { onProgress });
  await expect.poll(calls, { timeout: 20_000, interval: 5 }).toContain(during);
  await restart();
  expect((await done).text).toBe(TEXT);
  expect(text()).toBe(TEXT);
  expect(calls().toSorted()).toEqual([...CALLS, during].toSorted());
});

test.each([
  { word: 'me', call: 'model 1' },
  { word: 'again.', call: 'model 2' },
  { word: 'three', call: 'model 3' },
])(
  'a process that is killed before the word "$word" repeats only $call',
  { timeout: 60_000 },
  async ({ word, call }) => {
    const { client, text, calls, onProgress, restart } = await scenario(`word ${word}`);
    const done = client.send('go', { onProgress });
    await expect.poll(calls, { timeout: 20_000, interval: 5 }).toContain(`word ${word}`);
    await restart();
    expect((await done).text).toBe(TEXT);
    expect(text()).toBe(TEXT);
    expect(calls().toSorted()).toEqual([...CALLS, `word ${word}`, call].toSorted());
  },
);

test('a process that is killed while an approval is open repeats nothing', { timeout: 60_000 }, async () => {
  const { client, text, calls, onProgress, restart } = await scenario('', 'needsApproval');
  const asked = await client.send('go', { onProgress });
  expect(asked.question?.kind).toBe('confirm');
  await restart();
  const reply = await client.task(asked.handle ?? '').answer(true, { onProgress });
  expect(reply.text).toBe(TEXT);
  expect(text()).toBe(TEXT);
  expect(calls()).toEqual(CALLS);
});
