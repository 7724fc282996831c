/** A task that ends its process in each run, and a supervisor that restarts the process. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';

import { type Bundle, bundle } from './bundle.ts';

const folder = mkdtempSync(join(tmpdir(), 'tandem-crashing-'));
let built: Bundle | undefined;
beforeAll(async () => {
  built = await bundle(new URL('crashing-task-server.ts', import.meta.url));
}, 60_000);
afterAll(() => {
  built?.remove();
  rmSync(folder, { recursive: true });
});

/** Restarts a process as soon as it has ended. */
class Supervisor {
  /** The number of times that the process has ended by itself. */
  crashes = 0;
  port = 0;
  #child: ChildProcess | undefined;
  #isOver = false;

  async start(): Promise<void> {
    const child = fork(built?.path ?? '', [join(folder, 'tasks.db')]);
    this.#child = child;
    child.once('exit', () => {
      if (this.#isOver) return;
      this.crashes += 1;
      void this.start();
    });
    const [port] = (await once(child, 'message')) as [number];
    this.port = port;
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    const ended = once(this.#child as ChildProcess, 'exit');
    this.#child?.kill('SIGKILL');
    await ended;
  }
}

async function rest(port: number, path: string, body?: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json', 'a2a-version': '1.0' };
  const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
  return (await fetch(`http://127.0.0.1:${port}${path}`, init)).json();
}

async function startTask(port: number, text: string): Promise<string> {
  const message = { messageId: text, role: 'ROLE_USER', parts: [{ text }] };
  const sent = await rest(port, '/message:send', { message, configuration: { returnImmediately: true } });
  return (sent as { readonly task: { readonly id: string } }).task.id;
}

test('a task that ends its process in each run fails after 5 crashes, and tasks that ran at the same time complete', async () => {
  const supervisor = new Supervisor();
  await supervisor.start();
  onTestFinished(() => supervisor.stop());
  const { port } = supervisor;
  const ids = {
    plain: await startTask(port, 'plain'),
    steps: await startTask(port, 'steps'),
    crash: await startTask(port, 'crash'),
  };
  const stateOf = async (id: string): Promise<string | undefined> => {
    try {
      const task = await rest(supervisor.port, `/tasks/${id}`);
      return (task as { readonly status?: { readonly state: string } }).status?.state;
    } catch {
      // The process is restarting.
      return undefined;
    }
  };

  await expect.poll(() => stateOf(ids.crash), { timeout: 90_000, interval: 100 }).toBe('TASK_STATE_FAILED');
  expect(supervisor.crashes).toBe(5);
  for (const id of [ids.plain, ids.steps]) {
    await expect.poll(() => stateOf(id), { timeout: 90_000, interval: 100 }).toBe('TASK_STATE_COMPLETED');
  }
}, 200_000);
