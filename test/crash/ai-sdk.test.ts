/** A model loop with tools in a process that is killed: neither a model call nor a tool that was recorded runs again. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { connect } from '../../src/index.ts';
import { type Bundle, bundle } from './bundle.ts';

const CALLS = ['model 1', 'tool first', 'model 2', 'tool second', 'model 3'];

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

test.each(CALLS)('a process that is killed during "%s" repeats only that call', { timeout: 60_000 }, async (during) => {
  const folder = mkdtempSync(join(tmpdir(), 'tandem-ai-sdk-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const log = join(folder, 'calls.txt');
  const calls = (): readonly string[] => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []);
  const database = join(folder, 'tasks.db');
  const first = await start(database, log);
  const client = await connect(`http://127.0.0.1:${first.port}`);
  onTestFinished(() => client.close());
  let text = '';
  const done = (async () => {
    for await (const event of client.stream('go')) if (event.type === 'artifact') text += event.text;
  })();
  await expect.poll(calls, { timeout: 20_000, interval: 5 }).toContain(during);
  const gone = once(first.child, 'exit');
  first.child.kill('SIGKILL');
  await gone;
  await start(database, log, String(first.port));
  await done;
  expect(text).toBe('one two three four ');
  expect(calls().toSorted()).toEqual([...CALLS, during].toSorted());
});
