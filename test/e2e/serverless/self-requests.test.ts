/** Tasks on a serverless host, which may freeze a process after its response: the agent continues them by requests to itself. */
import { setTimeout } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { agent, createHandler, memoryStore } from '../../../src/server/index.ts';
import { deferred } from '../../../src/support/deferred.ts';
import { recordingLog } from '../../helpers/recording-log.ts';
import { CRON_SECRET, messageOf, type Network, startHost, URL_OF_AGENT } from './host.ts';

const echo = agent({ name: 'Echo', description: 'Returns the text.', run: ({ text }) => `${text}!` });

/** `waitUntil` as a host provides it, and the promises that the agent passed to it. */
function waiting(): { waitUntil(work: Promise<unknown>): void; readonly works: Promise<unknown>[] } {
  const works: Promise<unknown>[] = [];
  return { works, waitUntil: (work) => void works.push(work) };
}

/** Works until the time of the process is over. */
function untilStopped(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
}

/** The time at which the id was created, which a UUIDv7 begins with. */
function timeOf(id: string): number {
  return Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
}

async function own(requests: readonly Request[]): Promise<unknown[]> {
  return Promise.all(requests.map(async (each) => [each.method, each.url, await each.clone().json()]));
}

test('a task whose sender does not wait is stored, and a self-request of the agent runs it', async () => {
  const host = startHost(echo);
  const accepting = host.newProcess();
  const task = await host.send('hello', { process: accepting });
  expect(task.status.state).toBe('TASK_STATE_SUBMITTED');
  await host.settled();
  expect(await host.stateOf(task.id)).toBe('completed');
  expect(await own(host.own)).toEqual([['POST', `${URL_OF_AGENT}/_tandem/run`, { taskId: task.id }]]);
});

test.each([
  ['a Host header', { 'x-forwarded-host': 'evil.example', host: 'evil.example' }, {}],
  ['a forwarded host of a trusted proxy', { 'x-forwarded-host': 'evil.example' }, { trustProxy: true }],
])('%s does not change the address to which the agent sends its self-requests', async (_, headers, options) => {
  const host = startHost(echo, options);
  const task = await host.send('hello', { headers });
  await host.settled();
  expect(host.own.map(({ url }) => new URL(url).origin)).toEqual([URL_OF_AGENT]);
  expect(await host.stateOf(task.id)).toBe('completed');
});

test('serverless.url sends the self-requests to another address than publicUrl', async () => {
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
  ['the third argument of fetch, as in Cloudflare Workers', (host: object) => [{ SECRETS: 'none' }, host], false],
  ['the second argument of fetch', (host: object) => [host], false],
  ['the option serverless.after, as with Next.js', () => [], true],
])('the agent passes its work to the waitUntil of the host: %s', async (_, args, isForAll) => {
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

test('a sender that waits gets the result from the process that received the request', async () => {
  const host = startHost(echo);
  const task = await host.send('hello', { waits: true });
  expect(task.artifacts?.[0]?.parts).toEqual([{ text: 'hello!' }]);
  expect(host.own).toEqual([]);
});

test('a task longer than runMs continues in further processes, and each step runs once', async () => {
  const done: number[] = [];
  // Each run of the handler completes one step more than the last.
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

test('a task that makes progress in every process, but never ends, fails after timeoutMs', async () => {
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

test('a sender that waits longer than runMs gets the unfinished task, which then continues in another process', async () => {
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

test('a streamed task continues in another process when its client disconnects', async () => {
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

test('a stream ends at runMs with a hint to reconnect, and a resumed stream has every later event', async () => {
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
  // The response ended after the self-request for the next process.
  expect(host.own).toHaveLength(1);
  await vi.waitFor(async () => expect(await host.stateOf(id)).toBe('completed'));
  const numbers = [...text.matchAll(/^id: (\d+)$/gm)].map(([, number]) => Number(number));
  const rest = await host.post(`/tasks/${id}:subscribe`, {}, { 'last-event-id': `${numbers.at(-1)}` });
  const later = [...(await rest.text()).matchAll(/^id: (\d+)$/gm)].map(([, number]) => Number(number));
  expect([...numbers, ...later]).toEqual(Array.from({ length: numbers.length + later.length }, (__, i) => i + 1));
});

test('an answer to a question and a credential each resume the task in another process', async () => {
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

test('a task is accepted although its self-request fails, and a sweep runs it', async () => {
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

test('GetTask of a stale task sends a self-request, but not more than one per repairMs', async () => {
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

test('a sweep hands a task that exceeds runMs over to another process', async () => {
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

test('a long-running process on the same store runs the tasks that serverless processes left behind', async () => {
  const store = memoryStore();
  const host = startHost(echo, { store }, { isDown: true });
  const { id } = await host.send('hello');
  const worker = createHandler(echo, { store, insecurePublic: true, log: { info() {}, warn() {}, error() {} } });
  await worker.start();
  await vi.waitFor(async () => expect(await host.stateOf(id)).toBe('completed'));
  await worker.close();
});

test('self-requests follow no redirect', async () => {
  const host = startHost(echo);
  await host.send('hello');
  await host.settled();
  expect(host.own.map(({ redirect }) => redirect)).toEqual(['manual']);
});

test('GetTask of a sleeping task sends no self-request', async () => {
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
  // Some of these requests come more than repairMs after the one before.
  for (let i = 0; i < 20; i++) expect(await host.stateOf(id)).toBe('working');
  expect(host.own).toHaveLength(1);
});

test('a subscription to a stale task resumes it', async () => {
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
  ['waits for a free slot and runs the task', true, 204, 'completed', 2],
  ['responds with 503 if no slot becomes free in time, and sends another self-request', false, 503, 'submitted', 3],
])('a process without a free slot %s', async (_, opens, status, state, requests) => {
  const door = deferred<void>();
  const patient = agent({
    name: 'Patient',
    description: 'Waits.',
    concurrency: 1,
    // The run keeps its slot until it ends.
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

test('in development, an agent without a public URL runs its background tasks in the same process, with a warning', async () => {
  const log = recordingLog();
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
