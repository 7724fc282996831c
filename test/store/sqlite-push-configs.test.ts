import { readFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';

import { loadDriver } from '../../src/store/sqlite/driver.ts';
import { sqlite } from '../../src/store/sqlite/store.ts';
import { ALICE, chunk, newTask, pushConfig, scratchFolder, spyDriver } from './sqlite-driver.ts';

const scratch = scratchFolder();

afterAll(() => scratch.remove());

test('a task without push configurations costs no statement for them, from its creation to its end', async () => {
  const spy = spyDriver();
  const store = sqlite(scratch.file(), { driver: spy.driver });
  await store.create(newTask('a'));
  await store.append(chunk('a'));
  await store.append({ taskId: 'a', guard: {}, status: { state: 'TASK_STATE_COMPLETED' }, endedAt: 5 });
  const { event: _, ...provisional } = newTask('b', { node: 'n' });
  await store.create(provisional);
  await store.dropForReply('b', { node: 'n', fence: 1 }, provisional.message);
  await store.prune({ endedBefore: 10, keepEnded: 0, eventsEndedBefore: 10, limit: 10 });

  const aboutThem = (): readonly string[] => [...spy.prepared].filter((sql) => sql.includes('push_config'));
  expect(aboutThem()).toEqual([]);
  await store.create(newTask('c', { pushConfig: pushConfig('x') }));
  expect(aboutThem()).toHaveLength(1);
  await store.close();
});

test('a file from before push configurations takes them, and keeps what it has', async () => {
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

test('a push configuration whose transaction fails is not stored, nor is its task', async () => {
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
