/** Real processes, really killed: what a SQLite store has acknowledged is there, and its file is free at once. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { loadDriver } from '../../src/store/sqlite/database/driver.ts';
import { sqlite } from '../../src/store/sqlite/store.ts';
import type { Store } from '../../src/store/store.ts';
import { type Bundle, bundle } from './bundle.ts';

const TIMEOUT_MS = 30_000;

/** `TANDEM_SEED` repeats a run, `TANDEM_KILLS` makes it longer. */
const KILLS = Number(process.env['TANDEM_KILLS'] ?? 10);
const FIRST_SEED = Number(process.env['TANDEM_SEED'] ?? Math.trunc(Math.random() * 2 ** 31));
const SEEDS = Array.from({ length: KILLS }, (_, i) => FIRST_SEED + i);

const folder = mkdtempSync(join(tmpdir(), 'tandem-crash-'));
let writer: Bundle;

beforeAll(async () => {
  writer = await bundle(new URL('sqlite-writer.ts', import.meta.url));
}, TIMEOUT_MS);

afterAll(() => {
  writer.remove();
  rmSync(folder, { recursive: true });
});

/** Starts a writer and kills it when it has said so many lines. Gives all that it said. */
async function writeAndKill(path: string, lines: number): Promise<readonly string[]> {
  const child = spawn(process.execPath, [writer.path, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  const said: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    if (said.push(line) === lines) child.kill('SIGKILL');
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  expect(child.signalCode).toBe('SIGKILL');
  return said;
}

/** The last number that was acknowledged, by task. The very last line may be cut off. */
function acknowledged(said: readonly string[]): ReadonlyMap<string, number> {
  const last = new Map<string, number>();
  for (const line of said.slice(1, -1)) {
    const [taskId = '', number] = line.split(' ');
    last.set(taskId, Number(number));
  }
  return last;
}

async function checkTask(store: Store, taskId: string, atLeast: number): Promise<void> {
  const scope = { tenant: '', owner: 'crash' };
  const task = await store.read(scope, taskId);
  const events = await store.events(taskId, 0, Infinity);
  const expected = Array.from({ length: events.length }, (_, i) => ({ number: i + 1, body: `${taskId} ${i + 1}` }));

  expect(events.length).toBeGreaterThanOrEqual(atLeast);
  expect(events.map(({ number, body }) => ({ number, body }))).toEqual(expected);
  // Each write also had an entry of the journal and a message: it is there in whole or not at all.
  expect(task?.record.lastEvent).toBe(events.length);
  expect(task?.history).toHaveLength(events.length);
  expect(await store.journal(taskId)).toHaveLength(events.length - 1);
}

function integrity(path: string): unknown {
  const database = loadDriver()(path);
  try {
    return database.prepare('PRAGMA integrity_check').all();
  } finally {
    database.close();
  }
}

/** A number from 0 to 1 that looks random and depends on the seed alone. */
function fraction(seed: number): number {
  return Math.abs(Math.sin(seed * 12.9898 + 78.233) * 43_758.5453) % 1;
}

test.each(SEEDS)(
  'after a kill all that was acknowledged is there, without a gap (seed %i)',
  async (seed) => {
    const path = join(folder, `${seed}.db`);
    const said = await writeAndKill(path, 2 + Math.trunc(fraction(seed) * 2000));
    const store = sqlite(path);
    const tasks = acknowledged(said);
    for (const [taskId, number] of tasks) await checkTask(store, taskId, number);
    // Nobody holds a task any more, though no time has passed.
    await store.heartbeat('next', 1000);
    const claimed = await store.claim({ node: 'next', agents: ['writer'], limit: Infinity });

    expect(claimed.map(({ id }) => id)).toEqual(expect.arrayContaining([...tasks.keys()]));
    await store.close();
    expect(integrity(path)).toEqual([['ok']]);
  },
  TIMEOUT_MS,
);

test(
  'a second process is refused by name, until the first is dead',
  async () => {
    const path = join(folder, 'locked.db');
    const child = spawn(process.execPath, [writer.path, path], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');

    expect(() => sqlite(path)).toThrow(`${path} is in use by another process`);
    child.stdout.resume();
    child.kill('SIGKILL');
    await once(child, 'close');
    await sqlite(path).close();
  },
  TIMEOUT_MS,
);

test(
  'a file outlives one death after another',
  async () => {
    const path = join(folder, 'often.db');
    const all = new Map<string, number>();
    for (const lines of [2, 600]) {
      for (const [taskId, number] of acknowledged(await writeAndKill(path, lines))) all.set(taskId, number);
    }
    const store = sqlite(path);
    for (const [taskId, number] of all) await checkTask(store, taskId, number);
    await store.close();

    expect(all.size).toBeGreaterThan(0);
    expect(integrity(path)).toEqual([['ok']]);
  },
  TIMEOUT_MS,
);
