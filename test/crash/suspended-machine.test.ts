/** A process that is stopped for longer than the timeout of its tasks, as when a machine is suspended. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';

import { bundle } from './bundle.ts';

test('a task completes although its process was stopped for longer than timeoutMs', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tandem-suspended-'));
  const built = await bundle(new URL('suspended-machine-server.ts', import.meta.url));
  const child = fork(built.path, [join(folder, 'tasks.db')]);
  onTestFinished(async () => {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    built.remove();
    rmSync(folder, { recursive: true });
  });
  const [port] = (await once(child, 'message')) as [number];
  const begun = once(child, 'message');
  const response = fetch(`http://127.0.0.1:${port}/message:send`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
    body: JSON.stringify({ message: { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'go' }] } }),
  });
  await begun;

  child.kill('SIGSTOP');
  await delay(7000);
  child.kill('SIGCONT');

  const { task } = (await (await response).json()) as {
    readonly task: { readonly status: { readonly state: string } };
  };
  expect(task.status.state).toBe('TASK_STATE_COMPLETED');
}, 60_000);
