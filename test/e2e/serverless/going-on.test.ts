/** Tasks that nobody waits for, on a host that may freeze a process as soon as it has answered. */
import { setTimeout } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { agent, createHandler, memoryStore } from '../../../src/server/index.ts';
import { deferred } from '../../../src/support/deferred.ts';
import { keptLog } from '../../helpers/kept-log.ts';
import { CRON_SECRET, messageOf, type Network, startHost, URL_OF_AGENT } from './host.ts';

const echo = agent({ name: 'Echo', description: 'Says it again.', run: ({ text }) => `${text}!` });

/** As a host gives it: what it was told to wait for. */
function waiting(): { waitUntil(work: Promise<unknown>): void; readonly works: Promise<unknown>[] } {
  const works: Promise<unknown>[] = [];
  return { works, waitUntil: (work) => void works.push(work) };
}

/** As long as there is time. */
function untilStopped(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
}

/** When the id was made. */
function timeOf(id: string): number {
  return Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
}

async function own(requests: readonly Request[]): Promise<unknown[]> {
  return Promise.all(requests.map(async (each) => [each.method, each.url, await each.clone().json()]));
}

test('a task that nobody waits for is stored, and run by a request of the agent to itself', async () => {
  const host = startHost(echo);
  const accepting = host.newProcess();
  const task = await host.send('hello', { process: accepting });
  expect(task.status.state).toBe('TASK_STATE_SUBMITTED');
  await host.settled();
  expect(await host.stateOf(task.id)).toBe('completed');
  expect(await own(host.own)).toEqual([['POST', `${URL_OF_AGENT}/_tandem/run`, { taskId: task.id }]]);
});

test.each([
  ['by its headers', { 'x-forwarded-host': 'evil.example', host: 'evil.example' }, {}],
  ['through a proxy that is believed', { 'x-forwarded-host': 'evil.example' }, { trustProxy: true }],
])('nobody chooses where the agent sends its own requests, %s', async (_, headers, options) => {
  const host = startHost(echo, options);
  const task = await host.send('hello', { headers });
  await host.settled();
  expect(host.own.map(({ url }) => new URL(url).origin)).toEqual([URL_OF_AGENT]);
  expect(await host.stateOf(task.id)).toBe('completed');
});

test('the agent may reach itself elsewhere than the world does', async () => {
  const host = startHost(echo, { serverless: { url: 'http://10.0.0.7:8080/inside/' }, basePath: '/inside' });
  await host.fetch('/inside/message:send', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
    body: JSON.stringify({ message: messageOf('hello'), configuration: { returnImmediately: true } }),
  });
  expect(host.own.map(({ url }) => url)).toEqual(['http://10.0.0.7:8080/inside/_tandem/run']);
  await host.settled();
});

test.each([
  ['in the third argument, as Workers have it', (host: object) => [{ SECRETS: 'none' }, host], false],
  ['in the second argument', (host: object) => [host], false],
  ['for all requests, as Next has it', () => [], true],
])('a host that can wait is told to: %s', async (_, args, isForAll) => {
  const { works, waitUntil } = waiting();
  const door = deferred<void>();
  const patient = agent({
    name: 'Patient',
    description: 'Waits.',
    run: async () => {
      await door.promise;
      return 'done';
    },
  });
  const host = startHost(patient, isForAll ? { serverless: { after: waitUntil } } : {});
  const task = await host.send('hello', { rest: args({ waitUntil }) });
  expect(works).toHaveLength(1);
  door.resolve();
  await Promise.all(works);
  expect(await host.stateOf(task.id)).toBe('completed');
  expect(host.own).toEqual([]);
});

test('whoever waits for his answer is answered by the process that he asked', async () => {
  const host = startHost(echo);
  const task = await host.send('hello', { waits: true });
  expect(task.artifacts?.[0]?.parts).toEqual([{ text: 'hello!' }]);
  expect(host.own).toEqual([]);
});

test('a long task goes from process to process, and no step is done twice', async () => {
  const done: number[] = [];
  // Each life of the handler gets one step further than the last.
  const further = agent({
    name: 'Further',
    description: 'Gets further each time.',
    async *run({ step, signal }) {
      for (let i = 0; i < 4; i++) {
        const before = done.length;
        yield `${await step(`step ${i}`, () => done.push(i))} `;
        const isNew = done.length > before;
        if (isNew && i < 3) await untilStopped(signal);
      }
    },
  });
  const host = startHost(further, { serverless: { runMs: 150 } });
  const task = await host.send('go');
  await host.settled();
  await vi.waitFor(async () => expect(await host.stateOf(task.id)).toBe('completed'));
  expect(done).toEqual([0, 1, 2, 3]);
  expect(host.own.length).toBe(4);
});

test('a task that gets further each time and never to its end has its timeout all the same', async () => {
  const endless = agent({
    name: 'Endless',
    description: 'Never ends.',
    timeoutMs: 300,
    async run({ step, signal }) {
      for (let i = 0; ; i++) await step(`${i}`, () => setTimeout(40, undefined, { signal }));
    },
  });
  const host = startHost(endless, { serverless: { runMs: 150 } });
  const { id } = await host.send('go');
  await vi.waitFor(async () => expect(await host.stateOf(id)).toBe('failed'), { timeout: 5000 });
  await host.settled();
  const task = await (await host.fetch(`/tasks/${id}`, { headers: { 'a2a-version': '1.0' } })).text();
  expect(task).toContain('Task timed out');
  expect(host.own.length).toBeLessThan(6);
});

test('an answer that takes longer than there is time is the task as it is, and the task goes on', async () => {
  let runs = 0;
  const door = deferred<void>();
  const patient = agent({
    name: 'Patient',
    description: 'Waits.',
    async run() {
      if (++runs === 1) await door.promise;
      return 'done';
    },
  });
  const host = startHost(patient, { serverless: { runMs: 100 } });
  const task = await host.send('go', { waits: true });
  expect(['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING']).toContain(task.status.state);
  await vi.waitFor(async () => expect(await host.stateOf(task.id)).toBe('completed'));
  door.resolve();
  expect([runs, host.own.length]).toEqual([2, 1]);
});

test('the task of a stream goes on when its reader leaves', async () => {
  let runs = 0;
  const storyteller = agent({
    name: 'Storyteller',
    description: 'Tells a story.',
    async *run({ signal }) {
      yield 'Once ';
      if (++runs === 1) await untilStopped(signal);
      yield 'upon a time';
    },
  });
  const host = startHost(storyteller);
  const answer = await host.post('/message:stream', { message: messageOf('go') });
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
  const { value } = await reader.read();
  const [, id = ''] = /"id":"([^"]+)"/.exec(new TextDecoder().decode(value)) ?? [];
  await reader.cancel();
  await vi.waitFor(async () => expect(await host.stateOf(id)).toBe('completed'));
  expect([runs, host.own.length]).toEqual([2, 1]);
});

test('a stream ends before the host would end it, and its reader is told to come back', async () => {
  let runs = 0;
  const storyteller = agent({
    name: 'Storyteller',
    description: 'Tells a story.',
    async *run({ signal }) {
      yield 'Once ';
      if (++runs === 1) await untilStopped(signal);
      yield 'upon a time';
    },
  });
  const host = startHost(storyteller, { serverless: { runMs: 150 } });
  const answer = await host.post('/message:stream', { message: messageOf('go') });
  const text = await answer.text();
  expect(text).toMatch(/: stream interrupted, reconnect with Last-Event-ID\nretry: 1000\n\n$/);
  const [, id = ''] = /"id":"([^"]+)"/.exec(text) ?? [];
  // The answer was over when the next process had been asked.
  expect(host.own).toHaveLength(1);
  await vi.waitFor(async () => expect(await host.stateOf(id)).toBe('completed'));
  const numbers = [...text.matchAll(/^id: (\d+)$/gm)].map(([, number]) => Number(number));
  const rest = await host.post(`/tasks/${id}:subscribe`, {}, { 'last-event-id': `${numbers.at(-1)}` });
  const later = [...(await rest.text()).matchAll(/^id: (\d+)$/gm)].map(([, number]) => Number(number));
  expect([...numbers, ...later]).toEqual(Array.from({ length: numbers.length + later.length }, (__, i) => i + 1));
});

test('an answer to a question, and a credential, are taken up by a process of their own', async () => {
  const clerk = agent({
    name: 'Clerk',
    description: 'Asks back.',
    async run({ ask, authorize }) {
      const city = await ask('Where to?');
      const credential = await authorize({ text: 'Please log in' });
      return `${city} ${credential}`;
    },
  });
  const host = startHost(clerk);
  const { id } = await host.send('go', { waits: true });
  expect(await host.stateOf(id)).toBe('input_required');
  await host.send('Rome', { taskId: id });
  await vi.waitFor(async () => expect(await host.stateOf(id)).toBe('auth_required'));
  await host.newProcess().authorize({ taskId: id, callerId: 'anonymous' }, 'ticket');
  await vi.waitFor(async () => expect(await host.stateOf(id)).toBe('completed'));
  expect(host.own).toHaveLength(2);
});

test('a request to itself that fails is nobody’s error, and a sweep finds what was left', async () => {
  const network: Network = { isDown: true };
  const host = startHost(echo, {}, network);
  const tasks = [await host.send('a'), await host.send('b'), await host.send('c')];
  expect(host.own).toHaveLength(3);
  const sweep = async (method: string): Promise<unknown> => {
    const answer = await host.fetch('/_tandem/sweep', { method, headers: { authorization: `Bearer ${CRON_SECRET}` } });
    return [answer.status, await answer.json()];
  };
  expect(await host.stateOf(tasks[0]?.id ?? '')).toBe('submitted');
  expect(await sweep('GET')).toEqual([200, { taken: 3, finished: 3, handedOver: 0, hasMore: false }]);
  for (const { id } of tasks) expect(await host.stateOf(id)).toBe('completed');
  expect(await sweep('POST')).toEqual([200, { taken: 0, finished: 0, handedOver: 0, hasMore: false }]);
});

test('who asks after a task that has been silent has it gone on with, and not at each time', async () => {
  const network: Network = { isDown: true };
  const host = startHost(echo, { serverless: { repairMs: 200 } }, network);
  const process = host.newProcess();
  const { id } = await host.send('hello', { process });
  const ask = (): Promise<Response> => host.fetch(`/tasks/${id}`, { headers: { 'a2a-version': '1.0' } }, process);
  await ask();
  expect(host.own).toHaveLength(1);
  await vi.waitFor(async () => {
    await ask();
    expect(host.own).toHaveLength(2);
  });
  network.isDown = false;
  await vi.waitFor(async () => {
    const { status } = (await (await ask()).json()) as { readonly status: { readonly state: string } };
    expect(status.state).toBe('TASK_STATE_COMPLETED');
  });
  const { length } = host.own;
  await ask();
  expect(host.own).toHaveLength(length);
});

test('what a sweep cannot finish in its time is handed over', async () => {
  let runs = 0;
  const network: Network = { isDown: true };
  const patient = agent({
    name: 'Patient',
    description: 'Waits.',
    run: ({ signal }) => (++runs === 1 ? untilStopped(signal) : 'done'),
  });
  const host = startHost(patient, { serverless: { runMs: 100 } }, network);
  const { id } = await host.send('go');
  network.isDown = false;
  const answer = await host.fetch('/_tandem/sweep', { headers: { authorization: `Bearer ${CRON_SECRET}` } });
  expect(await answer.json()).toEqual({ taken: 1, finished: 0, handedOver: 1, hasMore: false });
  await vi.waitFor(async () => expect(await host.stateOf(id)).toBe('completed'));
});

test('a process that works by itself takes up what serverless ones have left', async () => {
  const store = memoryStore();
  const host = startHost(echo, { store }, { isDown: true });
  const { id } = await host.send('hello');
  const worker = createHandler(echo, { store, insecurePublic: true, log: { info() {}, warn() {}, error() {} } });
  await worker.start();
  await vi.waitFor(async () => expect(await host.stateOf(id)).toBe('completed'));
  await worker.close();
});

test('requests to itself follow no redirect', async () => {
  const host = startHost(echo);
  await host.send('hello');
  await host.settled();
  expect(host.own.map(({ redirect }) => redirect)).toEqual(['manual']);
});

test('a task that sleeps is not silent, however often somebody asks after it', async () => {
  const sleeper = agent({
    name: 'Sleeper',
    description: 'Sleeps.',
    async run({ sleep }) {
      await sleep(3_600_000);
      return 'awake';
    },
  });
  const host = startHost(sleeper, { serverless: { repairMs: 1 } });
  const { id } = await host.send('go');
  await host.settled();
  expect(host.own).toHaveLength(1);
  // Some of them are later than a millisecond.
  for (let i = 0; i < 20; i++) expect(await host.stateOf(id)).toBe('working');
  expect(host.own).toHaveLength(1);
});

test('who subscribes to a task that was left has it gone on with', async () => {
  const network: Network = { isDown: true };
  const host = startHost(echo, { serverless: { repairMs: 1 } }, network);
  const { id } = await host.send('hello');
  network.isDown = false;
  await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(timeOf(id) + 2));
  const answer = await host.post(`/tasks/${id}:subscribe`, {});
  expect(await answer.text()).toContain('TASK_STATE_COMPLETED');
  expect(host.own).toHaveLength(2);
});

test.each([
  ['gets one in time', true, 204, 'completed', 2],
  ['gets none, which is said, and it asks elsewhere', false, 503, 'submitted', 3],
])('a process that asks itself without a place %s', async (_, opens, status, state, requests) => {
  const door = deferred<void>();
  const patient = agent({
    name: 'Patient',
    description: 'Waits.',
    concurrency: 1,
    // Its place is not left before it is done.
    recovery: 'fail',
    async run({ text }) {
      if (text === 'stay') await door.promise;
      return text;
    },
  });
  const host = startHost(patient, { serverless: { runMs: opens ? 5000 : 100 } }, { isDown: true });
  const process = host.newProcess();
  const { id: staying } = await host.send('stay');
  const { id } = await host.send('go');
  const [first, second] = host.own;
  if (first === undefined || second === undefined) throw new Error('Expected two requests');
  const stays = process.fetch(first.clone());
  await vi.waitFor(async () => expect(await host.stateOf(staying)).toBe('working'));
  const goes = process.fetch(second.clone());
  if (opens) door.resolve();
  expect((await goes).status).toBe(status);
  expect([await host.stateOf(id), host.own.length]).toEqual([state, requests]);
  door.resolve();
  expect((await stays).status).toBe(204);
});

test('on a desk, an agent that does not know its address runs what nobody waits for by itself', async () => {
  const log = keptLog();
  let runs = 0;
  const patient = agent({
    name: 'Patient',
    description: 'Waits.',
    run: ({ signal }) => (++runs === 1 ? untilStopped(signal) : 'done'),
  });
  const handler = createHandler(patient, { store: memoryStore(), log, serverless: { runMs: 100 } });
  onTestFinished(() => handler.close());
  const call = (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = { 'content-type': 'application/json', 'a2a-version': '1.0' };
    return handler.fetch(new Request(`http://127.0.0.1:3000${path}`, { headers, ...init }));
  };
  const body = JSON.stringify({ message: messageOf('go'), configuration: { returnImmediately: true } });
  const { task } = (await (await call('/message:send', { method: 'POST', body })).json()) as {
    readonly task: { readonly id: string };
  };
  await vi.waitFor(async () =>
    expect(await (await call(`/tasks/${task.id}`)).json()).toMatchObject({ status: { state: 'TASK_STATE_COMPLETED' } }),
  );
  expect(runs).toBe(2);
  const warnings = log.lines.filter(({ message }) => message.includes('No public URL is configured'));
  expect(warnings.map(({ message }) => message)).toEqual([expect.stringContaining('run in this process')]);
});
