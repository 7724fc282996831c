/** What callers see of a database in trouble, over HTTP: an answer in time, and nothing of it when the trouble is over. */
import pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { serve } from '../../src/node/serve.ts';
import { agent } from '../../src/server/agent/agent.ts';
import { postgres } from '../../src/store/postgres/store.ts';
import { type Deferred, deferred } from '../../src/support/deferred.ts';
import { type DatabaseProxy, proxyTo } from './proxy.ts';
import { type PostgresServer, startPostgres } from './server.ts';

/** Of its own: others would not like to see theirs restarted, or read-only. */
let server: PostgresServer;
let admin: pg.Pool;

beforeAll(async () => {
  server = await startPostgres(['fsync=off']);
  admin = new pg.Pool({ connectionString: server.url, idleTimeoutMillis: 0 });
  admin.on('error', () => {});
  await admin.query('CREATE ROLE agents LOGIN');
  await admin.query('GRANT CREATE ON DATABASE postgres TO agents');
}, 60_000);

afterAll(async () => {
  await admin.end();
  await server.stop();
});

/** However bad it is, nobody waits for longer than this. */
const PATIENCE_MS = 15_000;

interface Scene {
  readonly url: string;
  readonly schema: string;
  readonly proxy: DatabaseProxy;
  readonly pool: pg.Pool;
  /** A task that has ended. */
  readonly ended: string;
  /** One that goes on when its gate opens. */
  readonly running: string;
  readonly gate: Deferred<void>;
}

let scenes = 0;

async function scene(database = server.url.replace('postgres@', 'agents@')): Promise<Scene> {
  const proxy = await proxyTo(database);
  const schema = `trouble_${++scenes}`;
  // As ours is, but for its patience.
  const pool = new pg.Pool({
    connectionString: proxy.url,
    max: 6,
    connectionTimeoutMillis: 500,
    query_timeout: 1500,
    pipeline: true,
  });
  const store = postgres(pool, { schema, lockMs: 300 });
  const gate = deferred<void>();
  const worker = agent({
    name: 'Worker',
    description: 'Works, and waits for a gate if it is told to.',
    async *run({ text, step }) {
      yield 'a';
      if (text === 'wait') await gate.promise;
      yield await step('b', () => 'b');
    },
  });
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const { url, close } = await serve(worker, { store, port: 0, log });
  onTestFinished(async () => {
    await close({ finishMs: 0 });
    await store.close();
    await pool.end();
  });
  const ended = await taskOf(await call(url, 'send'));
  const running = await taskOf(await call(url, 'send', 'wait', true));
  return { url, schema, proxy, pool, ended, running, gate };
}

type Call = 'send' | 'get' | 'stream' | 'list';

interface Answer {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: string;
}

let messages = 0;

async function call(url: string, what: Call, about = 'go', returnImmediately = false): Promise<Answer> {
  const message = { messageId: `m${++messages}`, role: 'ROLE_USER', parts: [{ text: about }] };
  const path = { send: '/message:send', get: `/tasks/${about}`, stream: '/message:stream', list: '/tasks' }[what];
  const isRead = what === 'get' || what === 'list';
  const response = await fetch(url + path, {
    method: isRead ? 'GET' : 'POST',
    headers: { 'a2a-version': '1.0', 'content-type': 'application/json' },
    body: isRead ? null : JSON.stringify({ message, configuration: { returnImmediately } }),
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  return { status: response.status, retryAfter: response.headers.get('retry-after'), body: await response.text() };
}

async function taskOf({ body }: Answer): Promise<string> {
  return (JSON.parse(body) as { task: { id: string } }).task.id;
}

const CALLS: readonly Call[] = ['send', 'get', 'stream', 'list'];

function callAll({ url, ended }: Scene): Promise<readonly Answer[]> {
  return Promise.all(CALLS.map((what) => call(url, what, what === 'get' ? ended : 'go')));
}

type Expected = Readonly<Record<Call, 200 | 503>>;

const ALL: Expected = { send: 503, get: 503, stream: 503, list: 503 };
const NONE: Expected = { send: 200, get: 200, stream: 200, list: 200 };
const WRITES: Expected = { send: 503, get: 200, stream: 503, list: 200 };

interface Trouble {
  readonly what: string;
  readonly answers: Expected;
  /** Returns what ends it. */
  readonly begin: (scene: Scene) => Promise<() => unknown>;
}

/** As an error of the database itself would be. */
async function failing({ schema }: Scene, code: string): Promise<() => unknown> {
  await admin.query(`CREATE FUNCTION ${schema}.fail() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'could not extend file "base/5/1234"' USING ERRCODE = '${code}'; END $$`);
  for (const table of ['task', 'event']) {
    const when = `BEFORE INSERT OR UPDATE ON ${schema}.${table}`;
    await admin.query(`CREATE TRIGGER fail ${when} EXECUTE FUNCTION ${schema}.fail()`);
  }
  return () => admin.query(`DROP FUNCTION ${schema}.fail() CASCADE`);
}

async function holding(statement: string): Promise<() => unknown> {
  const client = await admin.connect();
  await client.query('BEGIN');
  await client.query(statement);
  return async () => {
    await client.query('ROLLBACK');
    client.release();
  };
}

/** As a database that another one has replaced. */
async function setReadOnly(change: 'SET default_transaction_read_only = on' | 'RESET ALL'): Promise<void> {
  const client = await admin.connect();
  await client.query('SET default_transaction_read_only = off');
  await client.query(`ALTER SYSTEM ${change}`);
  await client.query('SELECT pg_reload_conf()');
  client.release();
}

const TROUBLES: readonly Trouble[] = [
  {
    what: 'is away',
    answers: ALL,
    begin: async ({ proxy }) => {
      proxy.set('closed');
      return () => proxy.set('open');
    },
  },
  {
    what: 'says nothing any more',
    answers: ALL,
    begin: async ({ proxy }) => {
      proxy.set('silent');
      return () => proxy.set('open');
    },
  },
  {
    what: 'is slow',
    answers: NONE,
    begin: async ({ proxy }) => {
      proxy.set('slow');
      return () => proxy.set('open');
    },
  },
  {
    what: 'is read-only',
    answers: WRITES,
    begin: async ({ pool }) => {
      await setReadOnly('SET default_transaction_read_only = on');
      await vi.waitFor(async () => {
        const { rows } = await pool.query<{ value: string }>(
          "SELECT current_setting('default_transaction_read_only') AS value",
        );
        expect(rows[0]?.value).toBe('on');
      });
      return () => setReadOnly('RESET ALL');
    },
  },
  { what: 'has no room on its disk', answers: WRITES, begin: (scene) => failing(scene, '53100') },
  { what: 'was told to give up', answers: WRITES, begin: (scene) => failing(scene, '57014') },
  {
    what: 'has too many connections',
    answers: ALL,
    begin: async ({ proxy }) => {
      await admin.query('ALTER ROLE agents CONNECTION LIMIT 0');
      proxy.cut();
      return () => admin.query('ALTER ROLE agents CONNECTION LIMIT -1');
    },
  },
  {
    what: 'refuses the credentials',
    answers: ALL,
    begin: async ({ proxy }) => {
      await admin.query('ALTER ROLE agents NOLOGIN');
      proxy.cut();
      return () => admin.query('ALTER ROLE agents LOGIN');
    },
  },
  {
    what: 'has a table that somebody holds',
    answers: ALL,
    begin: ({ schema }) => holding(`LOCK TABLE ${schema}.task`),
  },
  {
    what: 'has a table that nobody may write to',
    answers: WRITES,
    begin: ({ schema }) => holding(`LOCK TABLE ${schema}.task IN SHARE MODE`),
  },
  {
    what: 'has a task that somebody holds',
    answers: NONE,
    begin: ({ schema, ended }) => holding(`SELECT FROM ${schema}.task WHERE id = '${ended}' FOR UPDATE`),
  },
  {
    what: 'gets no more than the connections that are in use',
    answers: ALL,
    begin: async ({ pool }) => {
      const taken: pg.PoolClient[] = [];
      const trouble = { isOver: false };
      // As soon as one comes free it is taken.
      const takers = Array.from({ length: 6 }, async () => {
        while (taken.length < 5 && !trouble.isOver)
          await pool.connect().then(
            (client) => taken.push(client),
            () => {},
          );
      });
      await vi.waitFor(() => expect(taken.length).toBe(5));
      return async () => {
        trouble.isOver = true;
        await Promise.all(takers);
        for (const client of taken) client.release();
      };
    },
  },
];

/** Callers are told in time, and when it is over there is nothing left of it. */
async function seeThrough(here: Scene, { answers, begin }: Omit<Trouble, 'what'>): Promise<void> {
  const end = await begin(here);
  let isOver = false;
  onTestFinished(async () => void (isOver || (await end())));
  // Twice: the first may find connections that have not heard of it.
  await callAll(here);
  here.gate.resolve();
  const during = await callAll(here);
  await end();
  isOver = true;

  expect(Object.fromEntries(during.map(({ status }, i) => [CALLS[i], status]))).toEqual(answers);
  for (const { status, retryAfter, body } of during.filter(({ status: given }) => given !== 200)) {
    expect(retryAfter).toMatch(/^[1-9]$/);
    expect(JSON.parse(body)).toMatchObject({ error: { code: status, status: 'UNAVAILABLE' } });
    expect(body).not.toMatch(/ECONN|127\.0\.0\.1|SQL|SELECT|INSERT|trouble_|base\/|agents|pg_|at \//);
  }
  await vi.waitFor(
    async () => {
      const after = await callAll(here);
      expect(after.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      for (const i of [0, 2]) expect(after[i]?.body).toContain('TASK_STATE_COMPLETED');
    },
    { timeout: 30_000, interval: 200 },
  );
  // What ran has gone on by itself, and nothing is there twice.
  await vi.waitFor(
    async () => {
      const { status, artifacts } = JSON.parse((await call(here.url, 'get', here.running)).body) as Finished;
      expect(status.state).toBe('TASK_STATE_COMPLETED');
      expect(artifacts.flatMap(({ parts }) => parts.map(({ text }) => text)).join('')).toBe('ab');
    },
    { timeout: 30_000, interval: 200 },
  );
}

test.each(TROUBLES)('a database that $what', async (trouble) => {
  await seeThrough(await scene(), trouble);
});

test('/readyz is 503 while the disk of the database is full, and 200 when there is room, without any call', async () => {
  const here = await scene();
  const readyz = async (): Promise<number> => (await fetch(`${here.url}/readyz`)).status;
  expect(await readyz()).toBe(200);
  const end = await failing(here, '53100');
  expect((await call(here.url, 'send')).status).toBe(503);

  expect(await readyz()).toBe(503);
  await end();
  await expect.poll(readyz).toBe(200);
  const { rows } = await admin.query(`SELECT FROM ${here.schema}.event WHERE task_id = ''`);
  expect(rows).toEqual([]);
});

test('a database that is restarted', async () => {
  const own = await startPostgres();
  onTestFinished(() => own.stop());
  const begin = async (): Promise<() => void> => {
    await own.restart();
    return () => {};
  };
  await seeThrough(await scene(own.url), { answers: NONE, begin });
});

test('a database that is not there when the server starts is waited for', async () => {
  const proxy = await proxyTo(server.url);
  proxy.set('closed');
  const store = postgres(proxy.url, { schema: `trouble_${++scenes}` });
  const warnings: string[] = [];
  const note = (message: string): void => void warnings.push(message);
  const log = { info: () => {}, warn: note, error: note };
  const echo = agent({ name: 'Echo', description: 'Says it again.', run: async ({ text }) => text });
  const { url, close } = await serve(echo, { store, port: 0, log });
  onTestFinished(async () => {
    await close({ finishMs: 0 });
    await store.close();
  });
  const during = await Promise.all([call(url, 'send'), call(url, 'get'), call(url, 'stream'), call(url, 'list')]);
  const ready = await fetch(`${url}/readyz`);
  await ready.text();
  proxy.set('open');

  expect(during.map(({ status, retryAfter }) => [status, retryAfter])).toEqual(CALLS.map(() => [503, '1']));
  expect(ready.status).toBe(503);
  expect(warnings).toContain('Could not start agent yet; retrying');
  await vi.waitFor(async () => expect((await call(url, 'send')).body).toContain('TASK_STATE_COMPLETED'), 20_000);
});

test('a database that refuses the credentials when the server starts is no trouble that passes', async () => {
  await admin.query('CREATE ROLE outsider NOLOGIN');
  const store = postgres(server.url.replace('postgres@', 'outsider@'));
  onTestFinished(() => store.close());
  const echo = agent({ name: 'Echo', description: 'Says it again.', run: async ({ text }) => text });

  await expect(serve(echo, { store, port: 0 })).rejects.toThrow(
    'The database of the task store rejects the credentials of this process',
  );
});

interface Finished {
  readonly status: { readonly state: string };
  readonly artifacts: readonly { readonly parts: readonly { readonly text: string }[] }[];
}
