/** A process that is paused in a run for longer than its lease. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { TestSchema } from './schemas.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const schema = new TestSchema();

afterAll(() => schema.drop());

interface Node {
  readonly child: ChildProcess;
  readonly url: string;
}

async function start(store: string, folder: string): Promise<Node> {
  const args = ['serve', 'test/postgres/file-gate.fixture.ts', '--port', '0', '--store', store];
  const child = spawn(process.execPath, ['--import', 'tsx', 'src/cli/main.ts', ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, TANDEM_TEST_FOLDER: folder },
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await once(child, 'close');
  });
  const [card] = (await once(createInterface(child.stdout), 'line')) as [string];
  return { child, url: new URL('/', card).href };
}

const HEADERS = { 'a2a-version': '1.0', 'content-type': 'application/json' };

/** Sends a message, and collects its stream until the end. */
async function stream(url: string): Promise<{ readonly text: () => string; readonly end: Promise<void> }> {
  const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'go' }] };
  const body = JSON.stringify({ message });
  const response = await fetch(`${url}message:stream`, { method: 'POST', headers: HEADERS, body });
  let text = '';
  const end = (async () => {
    for await (const piece of response.body ?? []) text += Buffer.from(piece as Uint8Array).toString();
  })();
  return { text: () => text, end };
}

test(
  'a paused process that wakes after its lease changes nothing, and streams the output of the process that took over',
  { timeout: 90_000 },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tandem-fencing-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const store = await schema.database();
    const old = await start(store, folder);
    const events = await stream(old.url);
    await vi.waitFor(() => expect(events.text()).toContain('one '), 10_000);
    const successor = await start(store, folder);
    const notes = (): readonly string[] => readFileSync(join(folder, 'notes'), 'utf8').trim().split('\n');

    old.child.kill('SIGSTOP');
    writeFileSync(join(folder, 'gate'), '');
    // The time for the lease to expire and the next claim, on a busy machine.
    await vi.waitFor(() => expect(notes()).toContain(`${successor.child.pid} acts`), {
      timeout: 45_000,
      interval: 200,
    });
    const taskId = /"taskId":"([^"]+)"/.exec(events.text())?.[1] ?? '';
    const read = async (url: string): Promise<unknown> =>
      (await fetch(`${url}tasks/${taskId}`, { headers: HEADERS })).json();
    await vi.waitFor(
      async () => expect(JSON.stringify(await read(successor.url))).toContain('TASK_STATE_COMPLETED'),
      10_000,
    );
    const done = await read(successor.url);
    old.child.kill('SIGCONT');
    await events.end;
    await vi.waitFor(() => expect(notes()).toHaveLength(4), 10_000);

    expect(notes()).toEqual([
      `${old.child.pid} begins`,
      `${successor.child.pid} begins`,
      `${successor.child.pid} acts`,
      `${old.child.pid} is stopped: Another node runs the task now`,
    ]);
    expect(await read(old.url)).toEqual(done);
    const numbers = [...events.text().matchAll(/^id: (\d+)$/gm)].map(([, number]) => Number(number));
    expect(numbers.length).toBeGreaterThan(4);
    expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, i) => i + 1));
    expect([...events.text().matchAll(/"text":"(\w+) ?"/g)].map(([, word]) => word)).toEqual(
      expect.arrayContaining(['one', 'two', 'three']),
    );
    expect(events.text()).toContain('TASK_STATE_COMPLETED');
  },
);
