/** Two servers under load while their database is killed and its standby is promoted. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startReplicated, SYNCHRONOUS } from './replication.ts';
import { proxyTo } from './proxy.ts';
import { install, removeInstallation } from './server.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const HEADERS = { 'a2a-version': '1.0', 'content-type': 'application/json' };
/** An interrupted run is resumed when its lease has expired, on a machine that may be busy. */
const WAIT = { timeout: 40_000, interval: 200 };

interface Server {
  readonly url: string;
  readonly child: ChildProcess;
}

async function startServer(store: string, folder: string): Promise<Server> {
  const args = ['serve', 'test/postgres/steps.fixture.ts', '--port', '0', '--store', store];
  const child = spawn(process.execPath, ['--import', 'tsx', 'src/cli/main.ts', ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, TANDEM_TEST_FOLDER: folder },
  });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'close');
  });
  const [card] = (await once(createInterface(child.stdout), 'line')) as [string];
  return { url: new URL(card).origin, child };
}

interface HttpResponse {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: string;
}

async function call(url: string, body?: unknown): Promise<HttpResponse> {
  const response = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: HEADERS,
    body: body === undefined ? null : JSON.stringify(body),
  });
  return { status: response.status, retryAfter: response.headers.get('retry-after'), body: await response.text() };
}

function paramsOf(messageId: string, text = 'short'): unknown {
  const message = { messageId, role: 'ROLE_USER', parts: [{ text }] };
  return { message, configuration: { returnImmediately: true } };
}

/** Calls every kind of operation. A failure must be a 503 with Retry-After: 1. */
async function callAll(url: string, known: string): Promise<Readonly<Record<string, number>>> {
  const responses = {
    send: await call(`${url}/message:send`, paramsOf(crypto.randomUUID())),
    stream: await call(`${url}/message:stream`, paramsOf(crypto.randomUUID())),
    get: await call(`${url}/tasks/${known}`),
    list: await call(`${url}/tasks`),
  };
  for (const { status, retryAfter } of Object.values(responses)) {
    if (status !== 200) expect([status, retryAfter]).toEqual([503, '1']);
  }
  return Object.fromEntries(Object.entries(responses).map(([name, { status }]) => [name, status]));
}

function noResponse(error: unknown): HttpResponse {
  return { status: 0, retryAfter: String(error), body: '' };
}

/** Sends messages to one server, each repeatedly until it is acknowledged. */
class Sender {
  readonly #url: string;
  readonly acknowledged: string[] = [];
  readonly failures = new Set<string>();
  isDone = false;

  constructor(url: string) {
    this.#url = url;
  }

  async run(): Promise<void> {
    let messageId = crypto.randomUUID();
    while (!this.isDone) {
      const { status, retryAfter, body } = await call(`${this.#url}/message:send`, paramsOf(messageId)).catch(
        noResponse,
      );
      if (status === 200) {
        this.acknowledged.push((JSON.parse(body) as { task: { id: string } }).task.id);
        messageId = crypto.randomUUID();
      } else {
        this.failures.add(`${status} ${retryAfter}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

async function untilMore({ acknowledged }: Sender): Promise<void> {
  const enough = acknowledged.length + 5;
  await vi.waitFor(() => expect(acknowledged.length).toBeGreaterThanOrEqual(enough), WAIT);
}

/** The events of a stream so far. */
interface StreamState {
  readonly numbers: readonly number[];
  readonly text: string;
  readonly taskId: string;
  readonly hasEnded: boolean;
}

function parseStream(raw: string): StreamState {
  return {
    numbers: [...raw.matchAll(/^id: (\d+)$/gm)].map(([, number]) => Number(number)),
    text: [...raw.matchAll(/"text":"(\d+:[^"]+)"/g)].map(([, text]) => text).join(''),
    taskId: /"taskId":"([^"]+)"/.exec(raw)?.[1] ?? '',
    hasEnded: raw.includes('TASK_STATE_COMPLETED'),
  };
}

/** Streams a task to its end, and resumes the stream if it breaks. */
class Subscriber {
  #raw = '';

  get state(): StreamState {
    return parseStream(this.#raw);
  }

  async run(url: string): Promise<void> {
    await this.#read(`${url}/message:stream`, { method: 'POST', body: JSON.stringify(paramsOf('streamed', 'long')) });
    while (!this.state.hasEnded) {
      const { taskId, numbers } = this.state;
      const headers = { ...HEADERS, 'last-event-id': String(numbers.at(-1)) };
      await this.#read(`${url}/tasks/${taskId}:subscribe`, { headers });
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  async #read(url: string, request: RequestInit): Promise<void> {
    const response = await fetch(url, { headers: HEADERS, ...request });
    if (!response.ok) return void (await response.text());
    for await (const piece of response.body ?? []) this.#raw += Buffer.from(piece as Uint8Array).toString();
  }
}

/** The text of a completed task, which must contain each step once. */
async function expectComplete(url: string, taskId: string): Promise<string> {
  const task = await vi.waitFor(async () => {
    const { body } = await call(`${url}/tasks/${taskId}`);
    expect(body).toContain('TASK_STATE_COMPLETED');
    return body;
  }, WAIT);
  const response = await fetch(`${url}/tasks/${taskId}:subscribe`, { headers: { ...HEADERS, 'last-event-id': '0' } });
  const { numbers, text } = parseStream(await response.text());
  expect(numbers).toEqual(numbers.map((_, i) => i + 1));
  expect(text).toBe(parseStream(task).text);
  const names = text
    .trim()
    .split(' ')
    .map((value) => Number(value.split(':')[0]));
  expect(names).toEqual(names.map((_, i) => i + 1));
  return text;
}

test(
  'a failover loses no acknowledged task, and requires no restart of the servers',
  { timeout: 120_000 },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tandem-failover-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const installation = await install();
    onTestFinished(() => removeInstallation(installation));
    const { primary, standby, promote } = await startReplicated(installation, ['fsync=off', SYNCHRONOUS]);
    const proxy = await proxyTo(primary.url);
    const servers = await Promise.all([startServer(proxy.url, folder), startServer(proxy.url, folder)]);
    const urls = servers.map(({ url }) => url);
    const senders = [...urls, ...urls].map((url) => new Sender(url));
    const subscriber = new Subscriber();
    const callers = Promise.all([...senders.map((sender) => sender.run()), subscriber.run(urls[0] ?? '')]);
    await Promise.all(senders.map(untilMore));
    await vi.waitFor(() => expect(subscriber.state.numbers.length).toBeGreaterThan(4), WAIT);
    const known = senders[0]?.acknowledged[0] ?? '';

    await primary.kill();
    for (const url of urls) {
      await vi.waitFor(
        async () => expect(await callAll(url, known)).toEqual({ send: 503, stream: 503, get: 503, list: 503 }),
        WAIT,
      );
    }
    proxy.moveTo(standby.url);
    for (const url of urls) {
      await vi.waitFor(
        async () => expect(await callAll(url, known)).toEqual({ send: 503, stream: 503, get: 200, list: 200 }),
        WAIT,
      );
    }
    const before = subscriber.state;
    await promote();
    await Promise.all(senders.map(untilMore));
    writeFileSync(join(folder, 'gate'), '');
    for (const sender of senders) sender.isDone = true;
    await callers;

    const [first = '', second = ''] = urls;
    const all = senders.flatMap(({ acknowledged }) => acknowledged);
    // A message that was sent again after an error created no second task.
    expect(new Set(all).size).toBe(all.length);
    for (const { failures } of senders) expect([...failures]).toEqual(['503 1']);
    for (const taskId of all) await expectComplete(second, taskId);
    const { taskId, numbers, text } = subscriber.state;
    expect(await expectComplete(first, taskId)).toBe(text);
    expect(numbers).toEqual(numbers.map((_, i) => i + 1));
    expect(text.startsWith(before.text)).toBe(true);
    expect(text.length).toBeGreaterThan(before.text.length);
    for (const { url, child } of servers) {
      expect(child.exitCode).toBeNull();
      expect(await callAll(url, known)).toEqual({ send: 200, stream: 200, get: 200, list: 200 });
    }
  },
);
