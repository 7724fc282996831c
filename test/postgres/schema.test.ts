/** Schemas: names, creation, upgrades, rights and encodings. */
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { connect } from '../../src/index.ts';
import { serve } from '../../src/node/serve.ts';
import { agent } from '../../src/agent/agent.ts';
import { MIGRATIONS } from '../../src/store/postgres/migrate.ts';
import { postgres } from '../../src/store/postgres/store.ts';
import { newTask, ALICE, message } from '../../src/testing/store-contract/samples.ts';
import { TestSchema } from './schemas.ts';

const schema = new TestSchema();

afterAll(() => schema.drop());

function dropLater(name: string): void {
  onTestFinished(
    async () => void (await schema.query(`DROP SCHEMA IF EXISTS "${name.replaceAll('"', '""')}" CASCADE`)),
  );
}

test.each([
  ['contain quotes and spaces', `${schema.name} "of" it's own`],
  ['have 63 bytes', schema.name.padEnd(63, 'x')],
])('the name of a schema may %s', async (_, name) => {
  dropLater(name);
  const store = postgres(schema.pool, { schema: name });
  onTestFinished(() => store.close());
  const notified = new Promise((resolve) => store.watch(resolve));
  const other = postgres(schema.pool, { schema: name });
  onTestFinished(() => other.close());
  await store.create(newTask('a'));

  await expect(notified).resolves.toBe('a');
  await expect(other.read(ALICE, 'a')).resolves.toBeDefined();
});

test.each([
  [{ schema: '' }, 'schema: expected a name of 1 to 63 bytes'],
  [{ schema: 'x'.repeat(64) }, 'schema: expected a name of 1 to 63 bytes'],
  [{ schema: 'x\0' }, 'schema: expected a name of 1 to 63 bytes'],
  [{ connections: 1 }, 'connections: expected an integer of at least 2, because one connection only listens; got 1'],
  [
    { connections: 2.5 },
    'connections: expected an integer of at least 2, because one connection only listens; got 2.5',
  ],
])('the store rejects the options %j', (options, sentence) => {
  expect(() => postgres(schema.url, options)).toThrow(sentence);
});

test('nodes that start at the same time create the tables once', async () => {
  const name = `${schema.name}_once`;
  dropLater(name);
  const stores = Array.from({ length: 8 }, () => postgres(schema.pool, { schema: name }));
  onTestFinished(async () => void (await Promise.all(stores.map((store) => store.close()))));

  await expect(Promise.all(stores.map((store) => store.read(ALICE, 'a')))).resolves.toHaveLength(8);
  const applied = MIGRATIONS.map((_, index) => ({ number: index + 1 }));
  expect(await schema.query(`SELECT number FROM "${name}".migration ORDER BY number`)).toEqual(applied);
});

test('an upgrade of a schema without sizes of histories counts those of open tasks, and loses nothing', async () => {
  const name = `${schema.name}_uncounted`;
  dropLater(name);
  await schema.query(`CREATE SCHEMA "${name}"`);
  await schema.query(`CREATE TABLE "${name}".migration (number integer PRIMARY KEY, applied_at timestamptz NOT NULL)`);
  for (const [index, file] of MIGRATIONS.slice(0, 2).entries()) {
    const sql = readFileSync(new URL(`../../src/store/postgres/migrations/${file}`, import.meta.url), 'utf8');
    await schema.query(sql.replaceAll('{schema}', `"${name}"`));
    await schema.query(`INSERT INTO "${name}".migration VALUES (${index + 1}, now())`);
  }
  const bodies = ['first', 'second'].map((id) => JSON.stringify(message(id, 'x'.repeat(1000))));
  for (const [id, state, endedAt] of [
    ['open', 2, 'NULL'],
    ['ended', 3, '5'],
  ] as const) {
    await schema.query(`INSERT INTO "${name}".task (id, tenant, owner, context_id, agent, state, status_time, visible,
        canceling, pushed, last_event, last_journal, last_message, fence, attempts, created_at, ended_at, status, origin)
      VALUES ('${id}', 'acme', 'alice', 'c', 'translator', ${state}, 1, true, false, false, 0, 0, 2, 0, 0, 1, ${endedAt},
        '{"state":"${endedAt === 'NULL' ? 'TASK_STATE_WORKING' : 'TASK_STATE_COMPLETED'}"}', '{}')`);
    for (const [i, body] of bodies.entries())
      await schema.query(`INSERT INTO "${name}".message VALUES ('${id}', ${i + 1}, '${body}')`);
  }

  const store = postgres(schema.pool, { schema: name });
  onTestFinished(() => store.close());

  const counted = bodies.join('').length;
  expect((await store.read(ALICE, 'open'))?.record.historyBytes).toBe(counted);
  expect((await store.read(ALICE, 'ended'))?.record).not.toHaveProperty('historyBytes');
  expect(await store.read(ALICE, 'ended', { historyBytes: 1500 })).toMatchObject({
    history: [{ messageId: 'second' }],
    omitted: 1,
  });
  const write = { taskId: 'open', guard: { maxHistoryBytes: counted }, history: [message('third')], historyBytes: 7 };
  expect(await store.append(write)).toMatchObject({ kind: 'appended', record: { historyBytes: counted + 7 } });
  expect((await store.append(write)).kind).toBe('rejected');
});

test('a check of outdated tasks fails with a named error', async () => {
  const name = `${schema.name}_outdated`;
  dropLater(name);
  await postgres(schema.pool, { schema: name }).read(ALICE, 'a');

  expect(await schema.query(`SELECT "${name}".assert_current(true) AS checked`)).toEqual([{ checked: 1 }]);
  for (const outdated of ['false', 'NULL'])
    await expect(schema.query(`SELECT "${name}".assert_current(${outdated})`)).rejects.toMatchObject({ code: 'TA001' });
});

test('the store rejects a schema of a newer version, and does not change it', async () => {
  const name = `${schema.name}_newer`;
  dropLater(name);
  await postgres(schema.pool, { schema: name }).read(ALICE, 'a');
  await schema.query(`INSERT INTO "${name}".migration VALUES (99, now())`);
  const store = postgres(schema.pool, { schema: name });

  await expect(store.read(ALICE, 'a')).rejects.toThrow(/was created by a newer version.*update the package/);
  expect(await schema.query(`SELECT max(number) AS last FROM "${name}".migration`)).toEqual([{ last: 99 }]);
});

test('a role that owns its schema needs no right to create schemas', async () => {
  const name = `${schema.name}_role`;
  await schema.query(`CREATE ROLE "${name}" LOGIN`);
  await schema.query(`CREATE SCHEMA "${name}" AUTHORIZATION "${name}"`);
  onTestFinished(async () => void (await schema.query(`DROP ROLE "${name}"`)));
  dropLater(name);
  const url = new URL(schema.url);
  url.username = name;
  const pool = new pg.Pool({ connectionString: url.href });
  onTestFinished(() => pool.end());
  const store = postgres(pool, { schema: name });

  await expect(store.create(newTask('a'))).resolves.toMatchObject({ kind: 'created' });
});

test('the store and serve reject a database whose encoding lacks characters', async () => {
  const store = postgres(await schema.database('LATIN1'));
  onTestFinished(() => store.close());
  const echo = agent({ name: 'Echo', description: 'Repeats the message.', run: async ({ text }) => text });

  const rejection =
    /^The encoding of the database is LATIN1, which cannot store every character: use a database .*UTF8/;
  await expect(store.create(newTask('a'))).rejects.toThrow(rejection);
  await expect(serve(echo, { store, port: 0 })).rejects.toThrow(rejection);
});

test('the store accepts a database with encoding SQL_ASCII, and keeps all characters', async () => {
  const store = postgres(await schema.database('SQL_ASCII'));
  const echo = agent({ name: 'Echo', description: 'Repeats the message.', run: async ({ text }) => text });
  const { url, close } = await serve(echo, { store, port: 0 });
  onTestFinished(async () => {
    await close({ finishMs: 0 });
    await store.close();
  });

  const client = await connect(url);
  expect((await client.send('5 \u20ac, \u{1f600}')).text).toBe('5 \u20ac, \u{1f600}');
});
