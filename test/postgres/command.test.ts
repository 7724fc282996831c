/** The command line with a PostgreSQL database. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { connect } from '../../src/index.ts';
import { MIGRATIONS } from '../../src/store/postgres/migrate.ts';
import { TestSchema } from './schemas.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const schema = new TestSchema();

afterAll(() => schema.drop());

function start(...words: readonly string[]): ReturnType<typeof spawn> {
  const child = spawn(process.execPath, ['--import', 'tsx', 'src/cli/main.ts', ...words], { cwd: ROOT });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'close');
  });
  return child;
}

async function run(...words: readonly string[]): Promise<{ readonly code: number | null; readonly said: string }> {
  const child = start(...words);
  let said = '';
  child.stdout?.on('data', (piece) => (said += String(piece)));
  child.stderr?.on('data', (piece) => (said += String(piece)));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, said };
}

test('tandem migrate creates the tables, reports the version, and rejects a schema of a newer version', async () => {
  const made = await run('migrate', schema.url, '--schema', schema.name);
  const again = await run('migrate', schema.url, '--schema', schema.name);
  await schema.query(`INSERT INTO "${schema.name}".migration VALUES (99, now())`);
  const newer = await run('migrate', schema.url, '--schema', schema.name);

  const { host, pathname } = new URL(schema.url);
  const what = `schema ${schema.name} in postgres://${host}${pathname}`;
  const latest = MIGRATIONS.length;
  expect(made).toEqual({ code: 0, said: `Created ${what} with version ${latest}\n` });
  expect(again).toEqual({ code: 0, said: `Already up to date: ${what} has version ${latest}\n` });
  expect(newer.code).toBe(1);
  expect(newer.said).toContain('was created by a newer version of tandem-a2a');
});

test.each([[[]], [['tasks.db']], [['postgres://a', 'postgres://b']]])(
  'tandem migrate %j is rejected with an explanation',
  async (words) => {
    const { code, said } = await run('migrate', ...words);
    expect(code).toBe(2);
    expect(said).toContain('Pass the URL of one database: tandem migrate postgres://');
  },
);

test.each([
  [
    'does not exist',
    schema.url.replace(/[^/]*$/, 'nowhere'),
    1,
    /Could not use the database .*: database "nowhere" does not exist/,
  ],
  ['is not a URL', 'postgres://me:se/cret@[', 2, /The address of the database is not a valid URL/],
])('a database that %s is reported in one sentence', async (_, url, code, sentence) => {
  for (const words of [
    ['serve', 'test/postgres/echo.fixture.ts', '--port', '0', '--store', url],
    ['migrate', url],
  ]) {
    const ended = await run(...words);
    expect(ended.said).toMatch(sentence);
    expect(ended.said).not.toMatch(/se\/cret|should not have happened/);
    expect(ended.code).toBe(code);
  }
});

test('tandem migrate and tandem serve reject a database that cannot store every character', async () => {
  const url = await schema.database('LATIN1');
  for (const words of [
    ['serve', 'test/postgres/echo.fixture.ts', '--port', '0', '--store', url],
    ['migrate', url],
  ]) {
    const ended = await run(...words);
    expect(ended.said).toContain('The encoding of the database is LATIN1, which cannot store every character');
    expect(ended.code).toBe(1);
  }
});

test('tandem migrate fails if the database is unreachable, and tandem serve waits for it', async () => {
  const url = 'postgres://me:secret@127.0.0.1:1/agents';
  const ended = await run('migrate', url);
  const server = start('serve', 'test/postgres/echo.fixture.ts', '--port', '0', '--store', url);
  let heard = '';
  server.stderr?.on('data', (piece) => (heard += String(piece)));
  if (server.stdout === null) throw new Error('It has an output');
  const [card] = (await once(createInterface(server.stdout), 'line')) as [string];
  const ready = await fetch(new URL('/readyz', card));

  expect(ended.code).toBe(3);
  expect(ended.said).toMatch(/Could not use the database postgres:\/\/127\.0\.0\.1:1\/agents: connect ECONNREFUSED/);
  expect(ready.status).toBe(503);
  expect(heard).toContain('connect ECONNREFUSED 127.0.0.1:1');
  expect(ended.said + heard).not.toMatch(/secret|should not have happened/);
});

test('tandem serve stores its tasks in the schema of --schema', async () => {
  const url = await schema.database();
  await run('migrate', url, '--schema', 'other');
  const words = ['serve', 'test/postgres/echo.fixture.ts', '--port', '0', '--store', url, '--schema', 'other'];
  const child = start(...words);
  if (child.stdout === null) throw new Error('It has an output');
  const [card] = (await once(createInterface(child.stdout), 'line')) as [string];
  const agent = await connect(new URL('/', card).href);
  const { task } = await agent.send('Kept');
  child.kill('SIGTERM');
  await once(child, 'close');
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query('SELECT id FROM other.task');
  const { rowCount } = await client.query("SELECT FROM pg_namespace WHERE nspname = 'tandem'");
  await client.query('INSERT INTO other.migration VALUES (99, now())');
  await client.end();
  const newer = await run(...words);

  expect(rows).toEqual([{ id: task?.id }]);
  expect(rowCount).toBe(0);
  expect(newer.code).toBe(1);
  expect(newer.said).toContain('The schema other was created by a newer version of tandem-a2a');
});

test.each([
  ['without a database', [], '--schema requires a PostgreSQL store: add --store postgres://'],
  ['with a file', ['--store', 'tasks.db'], '--schema requires a PostgreSQL store: add --store postgres://'],
  ['that is too long', ['--store', schema.url], '--schema: expected a name of 1 to 63 bytes'],
])('tandem serve --schema %s is rejected with an explanation', async (_, words, sentence) => {
  const { code, said } = await run('serve', 'test/postgres/echo.fixture.ts', ...words, '--schema', 'x'.repeat(64));

  expect(said).toContain(sentence);
  expect(code).toBe(2);
});

test('tandem serve stores its tasks in the database of --store, and does not print its password', async () => {
  const url = new URL(await schema.database());
  url.password = 'pass-word';
  const child = start('serve', 'test/postgres/echo.fixture.ts', '--port', '0', '--store', url.href);
  let heard = '';
  child.stderr?.on('data', (piece) => (heard += String(piece)));
  if (child.stdout === null) throw new Error('It has an output');
  const [card] = (await once(createInterface(child.stdout), 'line')) as [string];
  const agent = await connect(new URL('/', card).href);
  const { task } = await agent.send('Kept');
  child.kill('SIGTERM');
  await once(child, 'close');
  const client = new pg.Client(url.href);
  await client.connect();
  const { rows } = await client.query('SELECT id FROM tandem.task');
  await client.end();

  expect(heard).toContain(`Tasks are stored in postgres://${url.host}${url.pathname}`);
  expect(heard).not.toContain('pass-word');
  expect(rows).toEqual([{ id: task?.id }]);
});
