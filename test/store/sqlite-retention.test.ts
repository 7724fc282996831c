/** Retention: removed data is gone from every table, and no task is checked twice. */
import { readFileSync } from 'node:fs';

import { afterAll, expect, test } from 'vitest';

import { sqlite } from '../../src/store/sqlite/store.ts';
import type { Store } from '../../src/store/store.ts';
import { fakeClock } from '../../src/testing/fake-clock.ts';
import type { SpyDriver } from './sqlite-driver.ts';
import { chunk, newTask, scratchFolder, spyDriver } from './sqlite-driver.ts';

const scratch = scratchFolder();
const POLICY = { endedBefore: 0, keepEnded: 100, eventsEndedBefore: 0, limit: 100 };

afterAll(() => scratch.remove());

/** Too long for the row of a task. */
const LONG = 'lorem ipsum '.repeat(200);

async function createEnded(store: Store, id: string, endedAt: number, keepUntil: number): Promise<void> {
  const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: LONG }] } as const;
  const idempotency = { key: id, digest: 'd', keepUntil };
  await store.create(newTask(id, { alias: `alias of ${id}`, idempotency, message }));
  await store.append({ ...chunk(id), journal: [{ kind: 'step', key: 'k', body: 1 }], history: [message] });
  const status = { state: 'TASK_STATE_COMPLETED' } as const;
  await store.append({ taskId: id, guard: {}, status, artifacts: JSON.stringify([LONG]), endedAt });
}

function rows(spy: SpyDriver): Record<string, unknown> {
  const tables = ['task', 'event', 'journal', 'message', 'artifact', 'request_key'];
  const count = (table: string): unknown => spy.database().prepare(`SELECT count(*) FROM ${table}`).get()?.[0];
  return Object.fromEntries(tables.map((table) => [table, count(table)]));
}

test('prune removes an ended task from all tables, and its idempotency key when that has expired', async () => {
  const spy = spyDriver();
  const clock = fakeClock(1000);
  const store = sqlite(scratch.file(), { driver: spy.driver, clock });
  await createEnded(store, 'a', 10, 1500);
  await createEnded(store, 'b', 10, 500);
  expect(rows(spy)).toEqual({ task: 2, event: 4, journal: 0, message: 4, artifact: 2, request_key: 2 });

  expect(await store.prune({ ...POLICY, endedBefore: 20 })).toBe(2);
  expect(rows(spy)).toEqual({ task: 0, event: 0, journal: 0, message: 0, artifact: 0, request_key: 1 });
  clock.advance(1000);
  expect(await store.prune(POLICY)).toBe(0);
  expect(rows(spy)).toMatchObject({ request_key: 0 });
  await store.close();
});

test('removed rows are overwritten in the file', async () => {
  const path = scratch.file();
  const store = sqlite(path);
  const credential = 'credential-of-an-ended-task';
  // One body fits into a page, the other takes several.
  const bodies = [credential, credential.repeat(1000)];
  await store.create(newTask('ends'));
  await store.create(newTask('stays'));
  for (const body of bodies)
    await store.append({ ...chunk('ends'), journal: [{ kind: 'answer', key: body.slice(-30), body }] });
  await store.append({ ...chunk('stays'), journal: [{ kind: 'step', key: 'k', body: 'kept' }] });
  const status = { state: 'TASK_STATE_COMPLETED' } as const;
  await store.append({ taskId: 'ends', guard: {}, status, endedAt: 10 });
  await store.close();

  const bytes = readFileSync(path);
  expect(bytes.includes('kept')).toBe(true);
  expect(bytes.includes(credential)).toBe(false);
});

test('prune removes the events of all ended tasks, in several pages, and marks the tasks as done', async () => {
  const spy = spyDriver();
  const store = sqlite(scratch.file(), { driver: spy.driver });
  for (const id of ['a', 'b', 'c', 'd', 'e']) await createEnded(store, id, 10, 0);
  const waiting = (): unknown => spy.database().prepare('SELECT sum(has_events) FROM task').get()?.[0];

  await store.prune({ ...POLICY, eventsEndedBefore: 20, limit: 2 });
  expect(waiting()).toBe(0);
  expect(rows(spy)).toMatchObject({ task: 5, event: 0, artifact: 5 });
  await store.close();
});

test('prune removes each task in a transaction that other writes may share', async () => {
  const spy = spyDriver();
  const store = sqlite(scratch.file(), { driver: spy.driver });
  await createEnded(store, 'a', 10, 0);
  await store.create(newTask('b'));
  spy.executed.length = 0;
  const [removed, appended] = await Promise.all([
    store.prune({ ...POLICY, endedBefore: 20 }),
    store.append(chunk('b')),
  ]);

  expect(removed).toBe(1);
  expect(appended.kind).toBe('appended');
  // The append shares the first; the second drops keys.
  expect(spy.executed.filter((sql) => sql === 'COMMIT')).toHaveLength(2);
  await store.close();
});
