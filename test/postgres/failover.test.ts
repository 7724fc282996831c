/** Two servers under load while their database dies and its standby takes over, as their callers see it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startPair, SYNCHRONOUS } from './pair.ts';
import { proxyTo } from './proxy.ts';
import { install, removePlace } from './server.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const HEADERS = { 'a2a-version': '1.0', 'content-type': 'application/json' };
/** What was cut off is taken up when its lease has run out, on a machine that may be busy. */
const PATIENCE = { timeout: 40_000, interval: 200 };

interface Server {
  readonly url: string;
  readonly child: ChildProcess;
}

async function startServer(store: string, folder: string): Promise<Server> {
  const words = ['serve', 'test/postgres/steps.fixture.ts', '--port', '0', '--store', store];
  const child = spawn(process.execPath, ['--import', 'tsx', 'src/cli/main.ts', ...words], {
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

interface Answer {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: string;
}

async function call(url: string, body?: unknown): Promise<Answer> {
  const response = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: HEADERS,
    body: body === undefined ? null : JSON.stringify(body),
  });
  return { status: response.status, retryAfter: response.headers.get('retry-after'), body: await response.text() };
}

function said(messageId: string, text = 'short'): unknown {
  const message = { messageId, role: 'ROLE_USER', parts: [{ text }] };
  return { message, configuration: { returnImmediately: true } };
}

/** Sends and reads, with or without success: the latter is told in one way only. */
async function callAll(url: string, known: string): Promise<Readonly<Record<string, number>>> {
  const answers = {
    send: await call(`${url}/message:send`, said(crypto.randomUUID())),
    stream: await call(`${url}/message:stream`, said(crypto.randomUUID())),
    get: await call(`${url}/tasks/${known}`),
    list: await call(`${url}/tasks`),
  };
  for (const { status, retryAfter } of Object.values(answers)) {
    if (status !== 200) expect([status, retryAfter]).toEqual([503, '1']);
  }
  return Object.fromEntries(Object.entries(answers).map(([name, { status }]) => [name, status]));
}

function unheard(error: unknown): Answer {
  return { status: 0, retryAfter: String(error), body: '' };
}

/** Sends message after message to one server, each until it is acknowledged. */
class Sender {
  readonly #url: string;
  readonly acknowledged: string[] = [];
  readonly refusals = new Set<string>();
  isDone = false;

  constructor(url: string) {
    this.#url = url;
  }

  async run(): Promise<void> {
    let messageId = crypto.randomUUID();
    while (!this.isDone) {
      const { status, retryAfter, body } = await call(`${this.#url}/message:send`, said(messageId)).catch(unheard);
      if (status === 200) {
        this.acknowledged.push((JSON.parse(body) as { task: { id: string } }).task.id);
        messageId = crypto.randomUUID();
      } else {
        this.refusals.add(`${status} ${retryAfter}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

async function untilMore({ acknowledged }: Sender): Promise<void> {
  const enough = acknowledged.length + 5;
  await vi.waitFor(() => expect(acknowledged.length).toBeGreaterThanOrEqual(enough), PATIENCE);
}

/** What a stream has said. */
interface Heard {
  readonly numbers: readonly number[];
  readonly text: string;
  readonly taskId: string;
  readonly hasEnded: boolean;
}

function hear(raw: string): Heard {
  return {
    numbers: [...raw.matchAll(/^id: (\d+)$/gm)].map(([, number]) => Number(number)),
    text: [...raw.matchAll(/"text":"(\d+:[^"]+)"/g)].map(([, text]) => text).join(''),
    taskId: /"taskId":"([^"]+)"/.exec(raw)?.[1] ?? '',
    hasEnded: raw.includes('TASK_STATE_COMPLETED'),
  };
}

/** Follows a task to its end; comes back for the rest if it is cut off. */
class Follower {
  #raw = '';

  get heard(): Heard {
    return hear(this.#raw);
  }

  async run(url: string): Promise<void> {
    await this.#read(`${url}/message:stream`, { method: 'POST', body: JSON.stringify(said('followed', 'long')) });
    while (!this.heard.hasEnded) {
      const { taskId, numbers } = this.heard;
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

/** The steps of a task that has ended, in which each of them is there once. */
async function expectComplete(url: string, taskId: string): Promise<string> {
  const task = await vi.waitFor(async () => {
    const { body } = await call(`${url}/tasks/${taskId}`);
    expect(body).toContain('TASK_STATE_COMPLETED');
    return body;
  }, PATIENCE);
  const response = await fetch(`${url}/tasks/${taskId}:subscribe`, { headers: { ...HEADERS, 'last-event-id': '0' } });
  const { numbers, text } = hear(await response.text());
  expect(numbers).toEqual(numbers.map((_, i) => i + 1));
  expect(text).toBe(hear(task).text);
  const names = text
    .trim()
    .split(' ')
    .map((value) => Number(value.split(':')[0]));
  expect(names).toEqual(names.map((_, i) => i + 1));
  return text;
}

test(
  'a standby that takes over costs nothing that was acknowledged, and no restart',
  { timeout: 120_000 },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tandem-failover-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const place = await install();
    onTestFinished(() => removePlace(place));
    const { primary, standby, promote } = await startPair(place, ['fsync=off', SYNCHRONOUS]);
    const proxy = await proxyTo(primary.url);
    const servers = await Promise.all([startServer(proxy.url, folder), startServer(proxy.url, folder)]);
    const urls = servers.map(({ url }) => url);
    const senders = [...urls, ...urls].map((url) => new Sender(url));
    const follower = new Follower();
    const callers = Promise.all([...senders.map((sender) => sender.run()), follower.run(urls[0] ?? '')]);
    await Promise.all(senders.map(untilMore));
    await vi.waitFor(() => expect(follower.heard.numbers.length).toBeGreaterThan(4), PATIENCE);
    const known = senders[0]?.acknowledged[0] ?? '';

    await primary.kill();
    for (const url of urls) {
      await vi.waitFor(
        async () => expect(await callAll(url, known)).toEqual({ send: 503, stream: 503, get: 503, list: 503 }),
        PATIENCE,
      );
    }
    proxy.moveTo(standby.url);
    for (const url of urls) {
      await vi.waitFor(
        async () => expect(await callAll(url, known)).toEqual({ send: 503, stream: 503, get: 200, list: 200 }),
        PATIENCE,
      );
    }
    const before = follower.heard;
    await promote();
    await Promise.all(senders.map(untilMore));
    writeFileSync(join(folder, 'gate'), '');
    for (const sender of senders) sender.isDone = true;
    await callers;

    const [first = '', second = ''] = urls;
    const all = senders.flatMap(({ acknowledged }) => acknowledged);
    // A message that was sent again after an error has no second task.
    expect(new Set(all).size).toBe(all.length);
    for (const { refusals } of senders) expect([...refusals]).toEqual(['503 1']);
    for (const taskId of all) await expectComplete(second, taskId);
    const { taskId, numbers, text } = follower.heard;
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
