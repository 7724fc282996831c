import { readFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';

import { type Driver, loadDriver } from '../../src/store/sqlite/database/driver.ts';
import { MIGRATIONS } from '../../src/store/sqlite/migrate.ts';
import { sqlite } from '../../src/store/sqlite/store.ts';
import { ALICE, message } from '../../src/testing/store-contract/samples.ts';
import { Subject } from '../../src/testing/store-contract/subject.ts';
import { scratchFolder } from './sqlite-driver.ts';

const scratch = scratchFolder();

afterAll(() => scratch.remove());

test('an upgrade of a file without sizes of histories counts those of open tasks, and loses nothing', async () => {
  const path = scratch.file();
  const old = loadDriver()(path);
  for (const name of MIGRATIONS.slice(0, 5))
    old.exec(readFileSync(new URL(`../../src/store/sqlite/migrations/${name}`, import.meta.url), 'utf8'));
  const [first, second] = ['first', 'second'].map((id) => JSON.stringify(message(id, 'x'.repeat(900)))) as [
    string,
    string,
  ];
  old.exec(`UPDATE meta SET value = 5 WHERE name = 'schema'`);
  for (const [pk, id, state, endedAt] of [
    [7, 'open', 'TASK_STATE_WORKING', 'NULL'],
    [8, 'ended', 'TASK_STATE_COMPLETED', '5'],
  ] as const) {
    old.exec(`INSERT INTO task (pk, id, tenant, owner, context_id, agent, state, status_time, visible, canceling, has_events,
        last_event, last_journal, last_message, fence, attempts, created_at, ended_at, status, origin, message)
      VALUES (${pk}, '${id}', 'acme', 'alice', 'c', 'translator', 2, 1, 1, 0, 1, 0, 0, 2, 0, 0, 1, ${endedAt},
        '{"state":"${state}"}', '{}', '${first}');
      INSERT INTO message VALUES (${pk}, 2, '${second}')`);
  }
  old.close();

  const store = sqlite(path);

  const counted = first.length + second.length;
  expect((await store.read(ALICE, 'open'))?.record.historyBytes).toBe(counted);
  expect((await store.read(ALICE, 'ended'))?.record).not.toHaveProperty('historyBytes');
  expect(await store.read(ALICE, 'ended', { historyBytes: 1500 })).toMatchObject({
    history: [{ messageId: 'second' }],
    omitted: 1,
  });
  const write = { taskId: 'open', guard: { maxHistoryBytes: counted }, history: [message('third')], historyBytes: 7 };
  expect(await store.append(write)).toMatchObject({ kind: 'appended', record: { historyBytes: counted + 7 } });
  expect((await store.append(write)).kind).toBe('rejected');
  await store.close();
});

/** A driver that counts the messages that are loaded. */
function countingDriver() {
  const real = loadDriver();
  const loaded = { messages: 0 };
  const driver: Driver = (path) => {
    const database = real(path);
    return {
      exec: (sql) => database.exec(sql),
      close: () => database.close(),
      prepare: (sql) => {
        const statement = database.prepare(sql);
        if (!sql.includes('FROM message')) return statement;
        return {
          run: (...values) => statement.run(...values),
          get: (...values) => {
            loaded.messages += 1;
            return statement.get(...values);
          },
          all: (...values) => {
            const rows = statement.all(...values);
            loaded.messages += rows.length;
            return rows;
          },
        };
      },
    };
  };
  return { driver, loaded };
}

test('a read with historyBytes does not load messages that do not fit', async () => {
  const { driver, loaded } = countingDriver();
  const store = sqlite(scratch.file(), { driver });
  const t = new Subject(store);
  await t.create('a');
  for (let i = 0; i < 100; i++) await t.append('a', { history: [message(`m-${i}`, 'x'.repeat(1000))] });
  loaded.messages = 0;

  const read = await store.read(ALICE, 'a', { historyBytes: 2500 });

  expect([read?.history.length, read?.omitted]).toEqual([2, 99]);
  // The two that fit, and the one that does not.
  expect(loaded.messages).toBe(3);
  await store.close();
});
