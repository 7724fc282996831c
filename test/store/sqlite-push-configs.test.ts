import { readFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';

import { loadDriver } from '../../src/store/sqlite/database/driver.ts';
import { MIGRATIONS } from '../../src/store/sqlite/migrate.ts';
import { sqlite } from '../../src/store/sqlite/store.ts';
import { ALICE, chunk, newTask, pushConfig, scratchFolder, spyDriver } from './sqlite-driver.ts';

const scratch = scratchFolder();

afterAll(() => scratch.remove());

test('a task without push configurations executes no statements for them', async () => {
  const spy = spyDriver();
  const store = sqlite(scratch.file(), { driver: spy.driver });
  spy.prepared.clear();
  await store.create(newTask('a'));
  await store.append(chunk('a'));
  await store.append({ taskId: 'a', guard: {}, status: { state: 'TASK_STATE_COMPLETED' }, endedAt: 5 });
  const { event: _, ...provisional } = newTask('b', { node: 'n' });
  await store.create(provisional);
  await store.dropForReply('b', { node: 'n', fence: 1 }, provisional.message);
  const aboutThem = (): readonly string[] =>
    [...spy.prepared].filter((sql) => sql.includes('push_config') || sql.includes('dead_letter'));
  expect(aboutThem()).toEqual([]);
  // One statement for all tasks of a page, which skips tasks without push configurations.
  await store.prune({ endedBefore: 10, keepEnded: 0, eventsEndedBefore: 10, limit: 10 });
  expect(aboutThem()).toEqual([expect.stringContaining('pushed = 0 OR')]);
  await store.create(newTask('c', { pushConfig: pushConfig('x') }));
  expect(aboutThem().slice(1)).toEqual([
    expect.stringContaining('INSERT INTO push_config'),
    expect.stringContaining('UPDATE push_config SET due_at'),
  ]);
  await store.close();
});

test('an upgrade of a file without push configurations adds them, and keeps its tasks', async () => {
  const path = scratch.file();
  const old = loadDriver()(path);
  old.exec(readFileSync(new URL('../../src/store/sqlite/migrations/0001_init.sql', import.meta.url), 'utf8'));
  old.exec(`UPDATE meta SET value = 1 WHERE name = 'schema';
    INSERT INTO task (id, tenant, owner, context_id, agent, state, status_time, visible, canceling, has_events,
      last_message, fence, attempts, created_at, status, origin)
    VALUES ('a', 'acme', 'alice', 'c', 'translator', 1, 1, 1, 0, 1, 0, 0, 0, 1, '{"state":"TASK_STATE_SUBMITTED"}', '{}')`);
  old.close();

  const store = sqlite(path);

  expect(await store.pushConfigs(ALICE, 'a', { limit: 10 })).toEqual([]);
  expect(await store.putPushConfig(ALICE, 'a', pushConfig('x'), 1)).toMatchObject({ kind: 'stored' });
  expect((await store.read(ALICE, 'a'))?.record.status).toEqual({ state: 'TASK_STATE_SUBMITTED' });
  await store.close();
});

test('a push configuration from a version without an outbox gets events after the upgrade, and no earlier ones', async () => {
  const path = scratch.file();
  const old = loadDriver()(path);
  for (const name of MIGRATIONS.slice(0, 4))
    old.exec(readFileSync(new URL(`../../src/store/sqlite/migrations/${name}`, import.meta.url), 'utf8'));
  old.exec(`UPDATE meta SET value = 4 WHERE name = 'schema';
    INSERT INTO task (pk, id, tenant, owner, context_id, agent, state, status_time, visible, canceling, has_events,
      last_message, fence, attempts, created_at, status, origin)
    VALUES (7, 'a', 'acme', 'alice', 'c', 'translator', 1, 1, 1, 0, 1, 0, 0, 0, 1, '{"state":"TASK_STATE_SUBMITTED"}', '{}');
    INSERT INTO event (task_pk, number, kinds, lengths, body) VALUES (7, 2, '01', '2 2', '{}{}');
    INSERT INTO push_config (task_pk, number, id, dialect, created_at, config)
    VALUES (7, 1, 'x', '1.0', 1, '{"url":"https://example.com/hook"}')`);
  old.close();
  const store = sqlite(path);
  const request = { node: 'n', agents: ['translator'], limit: 10, perReceiver: 10, perOwner: 10, held: [] };

  expect(await store.claimPushes(request)).toEqual([]);
  await store.append(chunk('a'));

  expect(await store.claimPushes(request)).toMatchObject([{ taskId: 'a', configId: 'x', told: 2 }]);
  await store.close();
});

test('a push configuration whose transaction fails is not stored', async () => {
  const spy = spyDriver();
  const store = sqlite(scratch.file(), { driver: spy.driver });
  await store.create(newTask('a'));
  spy.failure = (sql) => (sql === 'COMMIT' ? new Error('no') : undefined);

  const put = store.putPushConfig(ALICE, 'a', pushConfig('x'), 1);
  const created = store.create(newTask('b', { pushConfig: pushConfig('x') }));
  await expect(put).rejects.toMatchObject({ name: 'A2AError' });
  await expect(created).rejects.toMatchObject({ name: 'A2AError' });

  spy.failure = () => undefined;
  await store.create(newTask('b'));
  for (const id of ['a', 'b']) expect(await store.pushConfigs(ALICE, id, { limit: 10 })).toEqual([]);
  await store.close();
});
