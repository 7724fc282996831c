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

function start(...args: readonly string[]): ReturnType<typeof spawn> {
  const child = spawn(process.execPath, ['--import', 'tsx', 'src/cli/main.ts', ...args], { cwd: ROOT });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'close');
  });
  return child;
}

async function run(...args: readonly string[]): Promise<{ readonly code: number | null; readonly output: string }> {
  const child = start(...args);
  let output = '';
  child.stdout?.on('data', (piece) => (output += String(piece)));
  child.stderr?.on('data', (piece) => (output += String(piece)));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}

test('tandem migrate creates the tables, reports the version, and rejects a schema of a newer version', async () => {
  const created = await run('migrate', schema.url, '--schema', schema.name);
  const again = await run('migrate', schema.url, '--schema', schema.name);
  await schema.query(`INSERT INTO "${schema.name}".migration VALUES (99, now())`);
  const newer = await run('migrate', schema.url, '--schema', schema.name);

  const { host, pathname } = new URL(schema.url);
  const what = `schema ${schema.name} in postgres://${host}${pathname}`;
  const latest = MIGRATIONS.length;
  expect(created).toEqual({ code: 0, output: `Created ${what} with version ${latest}\n` });
  expect(again).toEqual({ code: 0, output: `Already up to date: ${what} has version ${latest}\n` });
  expect(newer.code).toBe(1);
  expect(newer.output).toContain('was created by a newer version of tandem-a2a');
});

test.each([[[]], [['tasks.db']], [['postgres://a', 'postgres://b']]])(
  'tandem migrate %j is rejected with an explanation',
  async (args) => {
    const { code, output } = await run('migrate', ...args);
    expect(code).toBe(2);
    expect(output).toContain('Pass the URL of one database: tandem migrate postgres://');
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
  for (const args of [
    ['serve', 'test/postgres/echo.fixture.ts', '--port', '0', '--store', url],
    ['migrate', url],
  ]) {
    const ended = await run(...args);
    expect(ended.output).toMatch(sentence);
    expect(ended.output).not.toMatch(/se\/cret|should not have happened/);
    expect(ended.code).toBe(code);
  }
});

test('tandem migrate and tandem serve reject a database that cannot store every character', async () => {
  const url = await schema.database('LATIN1');
  for (const args of [
    ['serve', 'test/postgres/echo.fixture.ts', '--port', '0', '--store', url],
    ['migrate', url],
  ]) {
    const ended = await run(...args);
    expect(ended.output).toContain('The encoding of the database is LATIN1, which cannot store every character');
    expect(ended.code).toBe(1);
  }
});

test('tandem migrate fails if the database is unreachable, and tandem serve waits for it', async () => {
  const url = 'postgres://me:secret@127.0.0.1:1/agents';
  const ended = await run('migrate', url);
  const server = start('serve', 'test/postgres/echo.fixture.ts', '--port', '0', '--store', url);
  let stderr = '';
  server.stderr?.on('data', (piece) => (stderr += String(piece)));
  if (server.stdout === null) throw new Error('stdout is not a pipe');
  const [card] = (await once(createInterface(server.stdout), 'line')) as [string];
  const ready = await fetch(new URL('/readyz', card));

  expect(ended.code).toBe(3);
  expect(ended.output).toMatch(/Could not use the database postgres:\/\/127\.0\.0\.1:1\/agents: connect ECONNREFUSED/);
  expect(ready.status).toBe(503);
  expect(stderr).toContain('connect ECONNREFUSED 127.0.0.1:1');
  expect(ended.output + stderr).not.toMatch(/secret|should not have happened/);
});

test('tandem serve stores its tasks in the schema of --schema', async () => {
  const url = await schema.database();
  await run('migrate', url, '--schema', 'other');
  const args = ['serve', 'test/postgres/echo.fixture.ts', '--port', '0', '--store', url, '--schema', 'other'];
  const child = start(...args);
  if (child.stdout === null) throw new Error('stdout is not a pipe');
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
  const newer = await run(...args);

  expect(rows).toEqual([{ id: task?.id }]);
  expect(rowCount).toBe(0);
  expect(newer.code).toBe(1);
  expect(newer.output).toContain('The schema other was created by a newer version of tandem-a2a');
});

test.each([
  ['without a database', [], '--schema requires a PostgreSQL store: add --store postgres://'],
  ['with a file', ['--store', 'tasks.db'], '--schema requires a PostgreSQL store: add --store postgres://'],
  ['that is too long', ['--store', schema.url], '--schema: expected a name of 1 to 63 bytes'],
])('tandem serve --schema %s is rejected with an explanation', async (_, args, sentence) => {
  const { code, output } = await run('serve', 'test/postgres/echo.fixture.ts', ...args, '--schema', 'x'.repeat(64));

  expect(output).toContain(sentence);
  expect(code).toBe(2);
});

test('tandem serve stores its tasks in the database of --store, and does not print its password', async () => {
  const url = new URL(await schema.database());
  url.password = 'pass-word';
  const child = start('serve', 'test/postgres/echo.fixture.ts', '--port', '0', '--store', url.href);
  let stderr = '';
  child.stderr?.on('data', (piece) => (stderr += String(piece)));
  if (child.stdout === null) throw new Error('stdout is not a pipe');
  const [card] = (await once(createInterface(child.stdout), 'line')) as [string];
  const agent = await connect(new URL('/', card).href);
  const { task } = await agent.send('Kept');
  child.kill('SIGTERM');
  await once(child, 'close');
  const client = new pg.Client(url.href);
  await client.connect();
  const { rows } = await client.query('SELECT id FROM tandem.task');
  await client.end();

  expect(stderr).toContain(`Tasks are stored in postgres://${url.host}${url.pathname}`);
  expect(stderr).not.toContain('pass-word');
  expect(rows).toEqual([{ id: task?.id }]);
});
