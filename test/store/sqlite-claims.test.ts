/** Claims on files of an earlier version, and the queue of waiting tasks in the tables. */
import { readFileSync } from 'node:fs';
import { afterAll, expect, onTestFinished, test } from 'vitest';

import { Engine } from '../../src/engine/engine.ts';
import { DEFAULT_LIMITS } from '../../src/engine/runnable.ts';
import { loadDriver } from '../../src/store/sqlite/database/driver.ts';
import { MIGRATIONS } from '../../src/store/sqlite/migrate.ts';
import { sqlite } from '../../src/store/sqlite/store.ts';
import { fakeClock } from '../../src/testing/fake-clock.ts';
import { until } from '../engine/harness.ts';
import { newTask, scratchFolder, spyDriver } from './sqlite-driver.ts';

const scratch = scratchFolder();

afterAll(() => scratch.remove());

const NOW = Date.now();

interface OldTask {
  readonly id: string;
  readonly owner: string;
  readonly wakeAt: number;
  readonly node?: string;
}

const OLD_TASKS: readonly OldTask[] = [
  { id: 'ann-0', owner: 'ann', wakeAt: NOW - 9000 },
  { id: 'ann-1', owner: 'ann', wakeAt: NOW - 8000 },
  { id: 'ann-2', owner: 'ann', wakeAt: NOW - 7000 },
  { id: 'bob running', owner: 'bob', wakeAt: NOW - 6000, node: 'a process that is gone' },
  { id: 'carl sleeping', owner: 'carl', wakeAt: NOW + 60_000 },
  { id: 'dave waiting', owner: 'dave', wakeAt: NOW - 1000 },
];

/** A file of a version without fair claims. */
function fileBeforeFairClaims(): string {
  const path = scratch.file();
  const old = loadDriver()(path);
  for (const name of MIGRATIONS.slice(0, 5))
    old.exec(readFileSync(new URL(`../../src/store/sqlite/migrations/${name}`, import.meta.url), 'utf8'));
  old.exec("UPDATE meta SET value = 5 WHERE name = 'schema'");
  const insert =
    old.prepare(`INSERT INTO task (id, tenant, owner, context_id, agent, state, status_time, visible, canceling,
      has_events, last_message, fence, attempts, node, wake_at, created_at, status, origin, message)
    VALUES (?, '', ?, 'c', 'agent', 1, 1, 1, 0, 1, 1, ?, ?, ?, ?, 1, '{"state":"TASK_STATE_SUBMITTED"}', ?, ?)`);
  for (const { id, owner, wakeAt, node } of OLD_TASKS) {
    const origin = JSON.stringify({ caller: { id: owner, isVerified: true }, acceptedOutputModes: [] });
    const message = JSON.stringify({ messageId: id, role: 'ROLE_USER', parts: [{ text: id }] });
    const runs = Number(node !== undefined);
    insert.run(id, owner, runs, runs, node ?? null, wakeAt, origin, message);
  }
  old.close();
  return path;
}

test('waiting, running and sleeping tasks in a file of the previous version are resumed, in turn by caller', async () => {
  const clock = fakeClock(NOW);
  const store = sqlite(fileBeforeFairClaims(), { clock });
  onTestFinished(() => store.close());
  const begun: string[] = [];
  const run = async ({ text }: { readonly text: string }): Promise<string> => {
    begun.push(text);
    return `${text} is done`;
  };
  const limits = { ...DEFAULT_LIMITS, concurrency: 1 };
  const engine = await Engine.start({ store, clock, agents: [{ id: 'agent', run, limits }] });
  onTestFinished(() => engine.close());

  await until(() => begun.length === 5);
  expect(begun).toEqual(['bob running', 'ann-0', 'dave waiting', 'ann-1', 'ann-2']);
  clock.advance(60_000);
  await until(() => begun.length === 6);
  for (const { id, owner } of OLD_TASKS) {
    const scope = { tenant: '', owner };
    await until(async () => (await engine.get(scope, id)).status.state === 'TASK_STATE_COMPLETED');
  }
});

test('a task that starts at once never enters the queue, and a waiting task leaves it when it is claimed', async () => {
  const spy = spyDriver();
  const clock = fakeClock(NOW);
  const store = sqlite(scratch.file(), { driver: spy.driver, clock });
  onTestFinished(() => store.close());
  const queued = (): readonly unknown[] =>
    spy
      .database()
      .prepare('SELECT id FROM task INDEXED BY task_queue WHERE queued = 1 AND wake_at IS NOT NULL ORDER BY id')
      .all()
      .map(([id]) => id);

  await store.create(newTask('running', { node: 'n', wakeAt: NOW }));
  await store.create(newTask('sleeping', { wakeAt: NOW + 1000 }));
  await store.create(newTask('waiting', { wakeAt: NOW }));
  expect(queued()).toEqual(['waiting']);
  await store.heartbeat('n', 60_000);
  await store.claim({ node: 'n', agents: ['translator'], limit: 9 });
  expect(queued()).toEqual([]);
  const lease = { node: 'n', fence: 1 };
  await store.append({ taskId: 'waiting', guard: { lease }, release: true, wakeAt: NOW + 5000 });
  await store.append({ taskId: 'running', guard: { lease }, release: true, wakeAt: NOW });
  expect(queued()).toEqual(['running']);
  await store.append({ taskId: 'running', guard: {}, status: { state: 'TASK_STATE_COMPLETED' }, endedAt: NOW });
  expect(queued()).toEqual([]);
});

test('a claim with a limit adds sleeping tasks that are due to the queue once', async () => {
  const spy = spyDriver();
  const clock = fakeClock(NOW);
  const store = sqlite(scratch.file(), { driver: spy.driver, clock });
  onTestFinished(() => store.close());
  const queued = (): unknown => spy.database().prepare('SELECT count(*) FROM task WHERE queued = 1').get()?.[0];
  await Promise.all(
    Array.from({ length: 1500 }, (_, i) => store.create(newTask(`${i}`, { owner: `o-${i % 3}`, wakeAt: NOW + 1000 }))),
  );
  expect(queued()).toBe(0);
  clock.advance(1000);
  await store.heartbeat('n', 60_000);

  await store.claim({ node: 'n', agents: ['translator'], limit: 2 });
  expect(queued()).toBe(998);
  await store.claim({ node: 'n', agents: ['translator'], limit: 2 });
  expect(queued()).toBe(1496);
});
