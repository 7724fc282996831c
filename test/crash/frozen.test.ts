/** A real process that is really frozen between requests: its tasks come to their end, and without help they do not. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';

import { type Bundle, bundle } from './bundle.ts';
import { type FreezingHost, startFreezingHost } from './freezing-host.ts';

const SERVERLESS = { secret: 'a secret of the agent alone', cronSecret: 'a secret of the cron job', headStartMs: 100 };
const PATIENCE = { timeout: 20_000, interval: 20 };

let worker: Bundle;
beforeAll(async () => {
  worker = await bundle(new URL('frozen-worker.ts', import.meta.url));
}, 60_000);
afterAll(() => worker.remove());

/** Hears what a process does, and decides when it may go on. */
interface Witness {
  readonly url: string;
  readonly heard: string[];
  /** Whether it may go on at once. */
  lets: (what: string) => boolean;
  /** Lets all go on that wait. */
  release(): void;
}

async function startWitness(): Promise<Witness> {
  const waiting: ServerResponse[] = [];
  const http = createServer((request, response) => {
    const what = (request.url ?? '').slice(1);
    witness.heard.push(what);
    if (witness.lets(what)) response.end();
    else waiting.push(response);
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  onTestFinished(async () => {
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  });
  const witness: Witness = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    heard: [],
    lets: () => true,
    release: () => void waiting.splice(0).map((response) => response.end()),
  };
  return witness;
}

async function startAll(serverless?: object): Promise<{ host: FreezingHost; witness: Witness; boot(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'tandem-frozen-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [host, witness] = [await startFreezingHost(), await startWitness()];
  const options = serverless === undefined ? [] : [JSON.stringify(serverless)];
  const boot = (): Promise<void> =>
    host.boot((url) => [worker.path, join(folder, 'tasks.db'), url, witness.url, ...options]);
  await boot();
  return { host, witness, boot };
}

const HEADERS = { 'content-type': 'application/json', 'a2a-version': '1.0' };

async function send({ url }: FreezingHost, text: string): Promise<string> {
  const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }] };
  const body = JSON.stringify({ message, configuration: { returnImmediately: true } });
  const answer = await fetch(`${url}/message:send`, { method: 'POST', headers: HEADERS, body });
  return ((await answer.json()) as { task: { id: string } }).task.id;
}

async function look({ url }: FreezingHost, id: string): Promise<readonly [state: string, text: string]> {
  const task = (await (await fetch(`${url}/tasks/${id}`, { headers: HEADERS })).json()) as {
    status: { state: string };
    artifacts?: { parts: { text: string }[] }[];
  };
  const parts = task.artifacts?.flatMap((artifact) => artifact.parts) ?? [];
  return [task.status.state, parts.map(({ text }) => text).join('')];
}

test('without any of this a task stands still with its process', { timeout: 30_000 }, async () => {
  const { host, witness } = await startAll();
  witness.lets = (what) => what !== 'step-0';
  const id = await send(host, '1');
  expect(host.isFrozen()).toBe(true);
  witness.lets = () => true;
  witness.release();
  for (let looks = 0; looks < 50; looks++) {
    await new Promise((resolve) => setImmediate(resolve));
    expect(host.isFrozen()).toBe(true);
  }
  expect(witness.heard).not.toContain('end');
  // Somebody else's request lets it go on for a moment: that is all that it lives by.
  await vi.waitFor(async () => expect((await look(host, id))[0]).toBe('TASK_STATE_COMPLETED'), PATIENCE);
});

test(
  'a task is finished by requests of the agent to itself, in a process that is frozen after each',
  { timeout: 30_000 },
  async () => {
    const { host, witness } = await startAll({ ...SERVERLESS, runMs: 1000 });
    // Of each request there is time for one step more.
    let isLate = false;
    witness.lets = (what) => {
      isLate = !isLate && what !== 'step-0' && what !== 'end';
      return !isLate;
    };
    const id = await send(host, '3');
    await vi.waitFor(() => expect(witness.heard).toContain('end'), PATIENCE);
    await vi.waitFor(() => expect(host.log.at(-1)).toBe('frozen'), PATIENCE);
    const count = host.log.length / 2 - 1;
    expect(count).toBeGreaterThanOrEqual(3);
    const own = Array.from({ length: count }, () => ['POST /_tandem/run', 'frozen']);
    expect(host.log).toEqual(['POST /message:send', 'frozen', ...own.flat()]);
    // A step that was cut off is begun again; one that was done is not.
    expect(witness.heard).toEqual(['step-0', 'step-1', 'step-1', 'step-2', 'step-2', 'end']);
    expect(await look(host, id)).toEqual(['TASK_STATE_COMPLETED', '0 1 2 ']);
  },
);

test('a task whose process is killed while it is frozen is found by a sweep', { timeout: 30_000 }, async () => {
  const { host, witness, boot } = await startAll(SERVERLESS);
  host.isCutOff = true;
  const id = await send(host, '2');
  expect(host.isFrozen()).toBe(true);
  await host.kill();
  await boot();
  expect(witness.heard).toEqual([]);

  const authorization = `Bearer ${SERVERLESS.cronSecret}`;
  const swept = await fetch(`${host.url}/_tandem/sweep`, { method: 'POST', headers: { authorization } });
  expect(await swept.json()).toEqual({ taken: 1, finished: 1, handedOver: 0, hasMore: false });
  expect(witness.heard).toEqual(['step-0', 'step-1', 'end']);
  expect(await look(host, id)).toEqual(['TASK_STATE_COMPLETED', '0 1 ']);
});
