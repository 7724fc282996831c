/** Processes that are killed while they write to a SQLite store: acknowledged writes are kept, and the file is unlocked. */
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

/** `TANDEM_SEED` repeats a run, `TANDEM_KILLS` sets the number of kills. */
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

/** Starts a writer and kills it after it has written `count` lines. Resolves to all its lines. */
async function writeAndKill(path: string, count: number): Promise<readonly string[]> {
  const child = spawn(process.execPath, [writer.path, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    if (lines.push(line) === count) child.kill('SIGKILL');
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  expect(child.signalCode).toBe('SIGKILL');
  return lines;
}

/** The number of the last acknowledged event, by task. The last line may be incomplete. */
function acknowledged(lines: readonly string[]): ReadonlyMap<string, number> {
  const last = new Map<string, number>();
  for (const line of lines.slice(1, -1)) {
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
  // Each write also had a journal entry and a message: it is stored completely or not at all.
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

/** A pseudorandom number from 0 to 1 that depends only on the seed. */
function fraction(seed: number): number {
  return Math.abs(Math.sin(seed * 12.9898 + 78.233) * 43_758.5453) % 1;
}

test.each(SEEDS)(
  'a SQLite store keeps all acknowledged writes, without a gap, after its process was killed (seed %i)',
  async (seed) => {
    const path = join(folder, `${seed}.db`);
    const lines = await writeAndKill(path, 2 + Math.trunc(fraction(seed) * 2000));
    const store = sqlite(path);
    const tasks = acknowledged(lines);
    for (const [taskId, number] of tasks) await checkTask(store, taskId, number);
    // All tasks can be claimed at once.
    await store.heartbeat('next', 1000);
    const claimed = await store.claim({ node: 'next', agents: ['writer'], limit: Infinity });

    expect(claimed.map(({ id }) => id)).toEqual(expect.arrayContaining([...tasks.keys()]));
    await store.close();
    expect(integrity(path)).toEqual([['ok']]);
  },
  TIMEOUT_MS,
);

test(
  'opening a SQLite file that another process uses fails with its path, until that process is killed',
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
  'a SQLite file keeps all acknowledged writes over two kills',
  async () => {
    const path = join(folder, 'twice.db');
    const all = new Map<string, number>();
    for (const count of [2, 600]) {
      for (const [taskId, number] of acknowledged(await writeAndKill(path, count))) all.set(taskId, number);
    }
    const store = sqlite(path);
    for (const [taskId, number] of all) await checkTask(store, taskId, number);
    await store.close();

    expect(all.size).toBeGreaterThan(0);
    expect(integrity(path)).toEqual([['ok']]);
  },
  TIMEOUT_MS,
);
