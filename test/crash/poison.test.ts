/** A task that ends its process whenever it runs, and a supervisor that starts the process again each time. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';

import { type Bundle, bundle } from './bundle.ts';

const folder = mkdtempSync(join(tmpdir(), 'tandem-poison-'));
let built: Bundle | undefined;
beforeAll(async () => {
  built = await bundle(new URL('poison-server.ts', import.meta.url));
}, 60_000);
afterAll(() => {
  built?.remove();
  rmSync(folder, { recursive: true });
});

/** A process that is started again as soon as it has ended. */
class Supervisor {
  /** How often the process has ended by itself. */
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
    const gone = once(this.#child as ChildProcess, 'exit');
    this.#child?.kill('SIGKILL');
    await gone;
  }
}

async function rest(port: number, path: string, body?: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json', 'a2a-version': '1.0' };
  const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
  return (await fetch(`http://127.0.0.1:${port}${path}`, init)).json();
}

async function begin(port: number, text: string): Promise<string> {
  const message = { messageId: text, role: 'ROLE_USER', parts: [{ text }] };
  const sent = await rest(port, '/message:send', { message, configuration: { returnImmediately: true } });
  return (sent as { readonly task: { readonly id: string } }).task.id;
}

test('a task that ends its process fails alone; those that ran beside it complete', async () => {
  const supervisor = new Supervisor();
  await supervisor.start();
  onTestFinished(() => supervisor.stop());
  const { port } = supervisor;
  const ids = {
    plain: await begin(port, 'plain'),
    steps: await begin(port, 'steps'),
    poison: await begin(port, 'poison'),
  };
  const stateOf = async (id: string): Promise<string | undefined> => {
    try {
      const task = await rest(supervisor.port, `/tasks/${id}`);
      return (task as { readonly status?: { readonly state: string } }).status?.state;
    } catch {
      // The process is being started again.
      return undefined;
    }
  };

  await expect.poll(() => stateOf(ids.poison), { timeout: 90_000, interval: 100 }).toBe('TASK_STATE_FAILED');
  expect(supervisor.crashes).toBe(5);
  for (const id of [ids.plain, ids.steps]) {
    await expect.poll(() => stateOf(id), { timeout: 90_000, interval: 100 }).toBe('TASK_STATE_COMPLETED');
  }
}, 200_000);
