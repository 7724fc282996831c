/** Where the tables are, and who may make them. */
import pg from 'pg';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { connect } from '../../src/index.ts';
import { serve } from '../../src/node/serve.ts';
import { agent } from '../../src/server/agent.ts';
import { MIGRATIONS } from '../../src/store/postgres/migrate.ts';
import { postgres } from '../../src/store/postgres/store.ts';
import { newTask, ALICE } from '../../src/testing/store-contract/samples.ts';
import { TestSchema } from './schemas.ts';

const schema = new TestSchema();

afterAll(() => schema.drop());

function dropLater(name: string): void {
  onTestFinished(
    async () => void (await schema.query(`DROP SCHEMA IF EXISTS "${name.replaceAll('"', '""')}" CASCADE`)),
  );
}

test.each([
  ['with quotes and spaces', `${schema.name} "of" it's own`],
  ['as long as it may be', schema.name.padEnd(63, 'x')],
])('a schema may have a name %s', async (_, name) => {
  dropLater(name);
  const store = postgres(schema.pool, { schema: name });
  onTestFinished(() => store.close());
  const heard = new Promise((resolve) => store.watch(resolve));
  const other = postgres(schema.pool, { schema: name });
  onTestFinished(() => other.close());
  await store.create(newTask('a'));

  await expect(heard).resolves.toBe('a');
  await expect(other.read(ALICE, 'a')).resolves.toBeDefined();
});

test.each([
  [{ schema: '' }, 'schema must be a name of 1 to 63 bytes'],
  [{ schema: 'x'.repeat(64) }, 'schema must be a name of 1 to 63 bytes'],
  [{ schema: 'x\0' }, 'schema must be a name of 1 to 63 bytes'],
  [{ connections: 1 }, 'connections must be a whole number, at least 2: one of them only listens'],
  [{ connections: 2.5 }, 'connections must be a whole number, at least 2: one of them only listens'],
])('%j is refused', (options, sentence) => {
  expect(() => postgres(schema.url, options)).toThrow(sentence);
});

test('nodes that start at once make the tables once', async () => {
  const name = `${schema.name}_once`;
  dropLater(name);
  const stores = Array.from({ length: 8 }, () => postgres(schema.pool, { schema: name }));
  onTestFinished(async () => void (await Promise.all(stores.map((store) => store.close()))));

  await expect(Promise.all(stores.map((store) => store.read(ALICE, 'a')))).resolves.toHaveLength(8);
  expect(await schema.query(`SELECT number FROM "${name}".migration`)).toEqual(
    MIGRATIONS.map((_, i) => ({ number: i + 1 })),
  );
});

test('a schema of a newer version is refused, and left as it is', async () => {
  const name = `${schema.name}_newer`;
  dropLater(name);
  await postgres(schema.pool, { schema: name }).read(ALICE, 'a');
  await schema.query(`INSERT INTO "${name}".migration VALUES (99, now())`);
  const store = postgres(schema.pool, { schema: name });

  await expect(store.read(ALICE, 'a')).rejects.toThrow(/was made by a newer version.*update the package/);
  expect(await schema.query(`SELECT max(number) AS last FROM "${name}".migration`)).toEqual([{ last: 99 }]);
});

test('a role that owns its schema need not be allowed to make others', async () => {
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

test('a database that cannot hold every character is refused', async () => {
  const store = postgres(await schema.database('LATIN1'));
  onTestFinished(() => store.close());
  const echo = agent({ name: 'Echo', description: 'Says it again.', run: async ({ text }) => text });

  const refusal = /^The encoding of the database is LATIN1, which cannot hold every character: use one .*UTF8/;
  await expect(store.create(newTask('a'))).rejects.toThrow(refusal);
  await expect(serve(echo, { store, port: 0 })).rejects.toThrow(refusal);
});

test('a database that keeps bytes as they come is taken', async () => {
  const store = postgres(await schema.database('SQL_ASCII'));
  const echo = agent({ name: 'Echo', description: 'Says it again.', run: async ({ text }) => text });
  const { url, close } = await serve(echo, { store, port: 0 });
  onTestFinished(async () => {
    await close({ finishMs: 0 });
    await store.close();
  });

  const client = await connect(url);
  expect((await client.send('5 \u20ac, \u{1f600}')).text).toBe('5 \u20ac, \u{1f600}');
});
