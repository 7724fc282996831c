import { readFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';

import { type Driver, loadDriver } from '../../src/store/sqlite/database/driver.ts';
import { MIGRATIONS } from '../../src/store/sqlite/migrate.ts';
import { sqlite } from '../../src/store/sqlite/store.ts';
import { ALICE, message, START } from '../../src/testing/store-contract/samples.ts';
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

/** The rows of the table of messages. */
function rowsIn(path: string): readonly unknown[] {
  const database = loadDriver()(path);
  const rows = database.prepare('SELECT number, lengths IS NULL FROM message ORDER BY task_pk, number').all();
  database.close();
  return rows;
}

const END = { status: { state: 'TASK_STATE_COMPLETED' }, endedAt: START } as const;

test('the messages of a task share a row once it has ended, and the last ones can still be read alone', async () => {
  const path = scratch.file();
  const store = sqlite(path);
  const t = new Subject(store);
  await t.create('chat', { message: message('m-0', 'x'.repeat(2000)) });
  for (let i = 1; i < 50; i++) await t.append('chat', { history: [message(`m-${i}`, `"${i}",{😀}`)] });
  await t.append('chat', { history: [message('m-50')], ...END });

  const whole = await store.read(ALICE, 'chat');
  const last = await store.read(ALICE, 'chat', { history: 2 });
  const within = await store.read(ALICE, 'chat', { historyBytes: 200 });

  expect(whole?.history.map(({ messageId }) => messageId)).toEqual(Array.from({ length: 51 }, (_, i) => `m-${i}`));
  expect(whole?.history[7]).toEqual(message('m-7', '"7",{😀}'));
  expect(last?.history).toEqual([message('m-49', '"49",{😀}'), message('m-50')]);
  expect(within?.history).toEqual(whole?.history.slice(-(within?.history.length ?? 0)));
  expect([within?.history.length, within?.omitted]).toEqual([2, 49]);
  await store.close();
  expect(rowsIn(path)).toEqual([[51, 0]]);
});

test('few messages and a large history keep their rows', async () => {
  const path = scratch.file();
  const store = sqlite(path);
  const t = new Subject(store);
  await t.create('few');
  await t.append('few', { history: [message('a'), message('b')], ...END });
  await t.create('large');
  const large = Array.from({ length: 10 }, (_, i) => message(`m-${i}`, 'x'.repeat(30_000)));
  await t.append('large', { history: large, ...END });

  expect((await store.read(ALICE, 'large'))?.history.slice(1)).toEqual(large);
  await store.close();
  expect(rowsIn(path)).toHaveLength(2 + 10);
});

test('the history of a task that ended before messages were packed is read as before, as texts too', async () => {
  const path = scratch.file();
  const old = loadDriver()(path);
  for (const name of MIGRATIONS.slice(0, 9))
    old.exec(readFileSync(new URL(`../../src/store/sqlite/migrations/${name}`, import.meta.url), 'utf8'));
  const texts = Array.from({ length: 12 }, (_, i) => JSON.stringify(message(`m-${i}`)));
  old.exec(`UPDATE meta SET value = 9 WHERE name = 'schema';
    INSERT INTO task (pk, id, tenant, owner, context_id, agent, state, status_time, visible, canceling, has_events, last_event,
        last_journal, last_message, fence, attempts, created_at, ended_at, status, origin, message, history_bytes)
      VALUES (1, 'old', 'acme', 'alice', 'c', 'translator', 3, 1, 1, 0, 1, 0, 0, 12, 0, 0, 1, 5,
        '{"state":"TASK_STATE_COMPLETED"}', '{}', '${texts[0]}', 500)`);
  for (const [i, text] of texts.entries()) if (i > 0) old.exec(`INSERT INTO message VALUES (1, ${i + 1}, '${text}')`);
  old.close();

  const store = sqlite(path);

  const read = await store.read(ALICE, 'old');
  expect(read?.history.map((one) => JSON.stringify(one))).toEqual(texts);
  expect(await store.readTexts?.(ALICE, 'old')).toMatchObject({ history: texts.join(',') });
  expect(await store.readTexts?.(ALICE, 'old', { history: 3 })).toMatchObject({ history: texts.slice(-3).join(',') });
  await store.close();
});
