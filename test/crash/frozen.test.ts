/** A process that is frozen between requests: its tasks end with the `serverless` option, and do not end without it. */
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
const WAIT = { timeout: 20_000, interval: 20 };

let worker: Bundle;
beforeAll(async () => {
  worker = await bundle(new URL('frozen-worker.ts', import.meta.url));
}, 60_000);
afterAll(() => worker.remove());

/** Records the steps that a process reports, and can delay them. */
interface StepRecorder {
  readonly url: string;
  readonly steps: string[];
  /** Whether a step may continue at once. */
  allows: (step: string) => boolean;
  /** Responds to all delayed reports. */
  release(): void;
}

async function startRecorder(): Promise<StepRecorder> {
  const waiting: ServerResponse[] = [];
  const http = createServer((request, response) => {
    const step = (request.url ?? '').slice(1);
    recorder.steps.push(step);
    if (recorder.allows(step)) response.end();
    else waiting.push(response);
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  onTestFinished(async () => {
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  });
  const recorder: StepRecorder = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    steps: [],
    allows: () => true,
    release: () => void waiting.splice(0).map((response) => response.end()),
  };
  return recorder;
}

async function startAll(
  serverless?: object,
): Promise<{ host: FreezingHost; recorder: StepRecorder; start(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'tandem-frozen-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [host, recorder] = [await startFreezingHost(), await startRecorder()];
  const options = serverless === undefined ? [] : [JSON.stringify(serverless)];
  const start = (): Promise<void> =>
    host.start((url) => [worker.path, join(folder, 'tasks.db'), url, recorder.url, ...options]);
  await start();
  return { host, recorder, start };
}

const HEADERS = { 'content-type': 'application/json', 'a2a-version': '1.0' };

async function send({ url }: FreezingHost, text: string): Promise<string> {
  const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }] };
  const body = JSON.stringify({ message, configuration: { returnImmediately: true } });
  const response = await fetch(`${url}/message:send`, { method: 'POST', headers: HEADERS, body });
  return ((await response.json()) as { task: { id: string } }).task.id;
}

async function getTask({ url }: FreezingHost, id: string): Promise<readonly [state: string, text: string]> {
  const task = (await (await fetch(`${url}/tasks/${id}`, { headers: HEADERS })).json()) as {
    status: { state: string };
    artifacts?: { parts: { text: string }[] }[];
  };
  const parts = task.artifacts?.flatMap((artifact) => artifact.parts) ?? [];
  return [task.status.state, parts.map(({ text }) => text).join('')];
}

test('without the serverless option a task stops while its process is frozen', { timeout: 30_000 }, async () => {
  const { host, recorder } = await startAll();
  recorder.allows = (step) => step !== 'step-0';
  const id = await send(host, '1');
  expect(host.isFrozen()).toBe(true);
  recorder.allows = () => true;
  recorder.release();
  for (let turns = 0; turns < 50; turns++) {
    await new Promise((resolve) => setImmediate(resolve));
    expect(host.isFrozen()).toBe(true);
  }
  expect(recorder.steps).not.toContain('end');
  // Other requests wake the process for a moment, and the task continues only then.
  await vi.waitFor(async () => expect((await getTask(host, id))[0]).toBe('TASK_STATE_COMPLETED'), WAIT);
});

test(
  'with the serverless option a task ends by requests of the agent to itself, in a process that is frozen after each',
  { timeout: 30_000 },
  async () => {
    const { host, recorder } = await startAll({ ...SERVERLESS, runMs: 1000 });
    // Each request has time for one more step.
    let isLate = false;
    recorder.allows = (step) => {
      isLate = !isLate && step !== 'step-0' && step !== 'end';
      return !isLate;
    };
    const id = await send(host, '3');
    await vi.waitFor(() => expect(recorder.steps).toContain('end'), WAIT);
    await vi.waitFor(() => expect(host.log.at(-1)).toBe('frozen'), WAIT);
    const count = host.log.length / 2 - 1;
    expect(count).toBeGreaterThanOrEqual(3);
    const own = Array.from({ length: count }, () => ['POST /_tandem/run', 'frozen']);
    expect(host.log).toEqual(['POST /message:send', 'frozen', ...own.flat()]);
    // A step that was interrupted runs again; a completed one does not.
    expect(recorder.steps).toEqual(['step-0', 'step-1', 'step-1', 'step-2', 'step-2', 'end']);
    expect(await getTask(host, id)).toEqual(['TASK_STATE_COMPLETED', '0 1 2 ']);
  },
);

test('a sweep resumes a task whose process was killed while it was frozen', { timeout: 30_000 }, async () => {
  const { host, recorder, start } = await startAll(SERVERLESS);
  host.isCutOff = true;
  const id = await send(host, '2');
  expect(host.isFrozen()).toBe(true);
  await host.kill();
  await start();
  expect(recorder.steps).toEqual([]);

  const authorization = `Bearer ${SERVERLESS.cronSecret}`;
  const swept = await fetch(`${host.url}/_tandem/sweep`, { method: 'POST', headers: { authorization } });
  expect(await swept.json()).toEqual({ taken: 1, finished: 1, handedOver: 0, hasMore: false });
  expect(recorder.steps).toEqual(['step-0', 'step-1', 'end']);
  expect(await getTask(host, id)).toEqual(['TASK_STATE_COMPLETED', '0 1 ']);
});
