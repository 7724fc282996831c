import { readFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';

import { loadDriver } from '../../src/store/sqlite/database/driver.ts';
import { MIGRATIONS } from '../../src/store/sqlite/migrate.ts';
import { sqlite } from '../../src/store/sqlite/store.ts';
import { newTask, scratchFolder, spyDriver } from './sqlite-driver.ts';

const scratch = scratchFolder();

afterAll(() => scratch.remove());

/** A file of a version whose journal was a table ordered by task. */
function fileBeforeOrderedJournal(): string {
  const path = scratch.file();
  const old = loadDriver()(path);
  for (const name of MIGRATIONS.slice(0, 3))
    old.exec(readFileSync(new URL(`../../src/store/sqlite/migrations/${name}`, import.meta.url), 'utf8'));
  old.exec(`UPDATE meta SET value = 3 WHERE name = 'schema';
    INSERT INTO task (pk, id, tenant, owner, context_id, agent, state, status_time, visible, canceling, has_events,
      last_message, fence, attempts, created_at, status, origin)
    VALUES (7, 'a', '', 'alice', 'c', 'translator', 2, 1, 1, 0, 1, 0, 1, 1, 1, '{"state":"TASK_STATE_WORKING"}', '{}'),
      (3, 'b', '', 'alice', 'c', 'translator', 2, 1, 1, 0, 1, 0, 1, 1, 1, '{"state":"TASK_STATE_WORKING"}', '{}');
    INSERT INTO journal VALUES (7, 2, '"step"', '"pay#2"', '{"value":2}'), (7, 1, '"step"', '"pay#1"', '{"value":1}'),
      (3, 1, '"sleep"', '"1"', '{"until":5}')`);
  old.close();
  return path;
}

test('an upgrade of the journal table keeps every entry, and numbers continue', async () => {
  const store = sqlite(fileBeforeOrderedJournal());

  expect(await store.journal('a')).toEqual([
    { number: 1, kind: 'step', key: 'pay#1', body: { value: 1 }, sensitive: true },
    { number: 2, kind: 'step', key: 'pay#2', body: { value: 2 }, sensitive: true },
  ]);
  expect(await store.journal('b')).toEqual([
    { number: 1, kind: 'sleep', key: '1', body: { until: 5 }, sensitive: true },
  ]);
  await store.append({ taskId: 'a', guard: {}, journal: [{ kind: 'step', key: 'pay#3', body: { value: 3 } }] });
  expect(await store.journal('a', 2)).toEqual([{ number: 3, kind: 'step', key: 'pay#3', body: { value: 3 } }]);
  await store.close();
});

test('the end of a task removes its journal, and no other', async () => {
  const store = sqlite(fileBeforeOrderedJournal());

  await store.append({ taskId: 'a', guard: {}, status: { state: 'TASK_STATE_COMPLETED' }, endedAt: 5 });

  expect(await store.journal('a')).toEqual([]);
  expect(await store.journal('b')).toHaveLength(1);
  await store.close();
});

test('the end of a task that began in an earlier version keeps no values, because they may be sensitive', async () => {
  const store = sqlite(fileBeforeOrderedJournal());
  await store.append({ taskId: 'a', guard: {}, journal: [{ kind: 'step', key: 'pay#3', body: { value: 3 } }] });

  const end = { status: { state: 'TASK_STATE_COMPLETED' }, endedAt: 5, keepJournal: 'whole' } as const;
  await store.append({ taskId: 'a', guard: {}, ...end });

  expect((await store.journal('a')).map(({ body }) => body)).toEqual([null, null, { value: 3 }]);
  await store.close();
});

test('the end of a task without a journal costs no statement for it, whatever is kept', async () => {
  const spy = spyDriver();
  const store = sqlite(scratch.file(), { driver: spy.driver });
  for (const id of ['none', 'outline', 'whole'] as const) {
    await store.create(newTask(id));
    const end = { status: { state: 'TASK_STATE_COMPLETED' }, journal: [], endedAt: 5 } as const;
    await store.append({ taskId: id, guard: {}, ...end, ...(id !== 'none' && { keepJournal: id }) });
  }

  expect([...spy.prepared].filter((sql) => /^(INSERT INTO|UPDATE|DELETE FROM) journal/.test(sql))).toEqual([]);
  await store.close();
});
