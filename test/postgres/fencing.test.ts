/** A process that is stopped for longer than its lease, in the middle of a run. */
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
  const words = ['serve', 'test/postgres/gated.fixture.ts', '--port', '0', '--store', store];
  const child = spawn(process.execPath, ['--import', 'tsx', 'src/cli/main.ts', ...words], {
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

/** Sends a message, and reads what comes of it for as long as the server says something. */
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
  'what it does when it wakes has no effect, and who listens to it hears what others did',
  { timeout: 90_000 },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tandem-fencing-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const store = await schema.database();
    const old = await start(store, folder);
    const heard = await stream(old.url);
    await vi.waitFor(() => expect(heard.text()).toContain('one '), 10_000);
    const heir = await start(store, folder);
    const notes = (): readonly string[] => readFileSync(join(folder, 'notes'), 'utf8').trim().split('\n');

    old.child.kill('SIGSTOP');
    writeFileSync(join(folder, 'gate'), '');
    // Its lease, the next look, and a busy machine.
    await vi.waitFor(() => expect(notes()).toContain(`${heir.child.pid} acts`), { timeout: 45_000, interval: 200 });
    const taskId = /"taskId":"([^"]+)"/.exec(heard.text())?.[1] ?? '';
    const read = async (url: string): Promise<unknown> =>
      (await fetch(`${url}tasks/${taskId}`, { headers: HEADERS })).json();
    await vi.waitFor(
      async () => expect(JSON.stringify(await read(heir.url))).toContain('TASK_STATE_COMPLETED'),
      10_000,
    );
    const done = await read(heir.url);
    old.child.kill('SIGCONT');
    await heard.end;
    await vi.waitFor(() => expect(notes()).toHaveLength(4), 10_000);

    expect(notes()).toEqual([
      `${old.child.pid} begins`,
      `${heir.child.pid} begins`,
      `${heir.child.pid} acts`,
      `${old.child.pid} is stopped: Another node runs the task now`,
    ]);
    expect(await read(old.url)).toEqual(done);
    const numbers = [...heard.text().matchAll(/^id: (\d+)$/gm)].map(([, number]) => Number(number));
    expect(numbers.length).toBeGreaterThan(4);
    expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, i) => i + 1));
    expect([...heard.text().matchAll(/"text":"(\w+) ?"/g)].map(([, word]) => word)).toEqual(
      expect.arrayContaining(['one', 'two', 'three']),
    );
    expect(heard.text()).toContain('TASK_STATE_COMPLETED');
  },
);
