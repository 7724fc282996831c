/** Failures of the database as callers see them over HTTP: a response in time, and full recovery afterwards. */
import pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { serve } from '../../src/node/serve.ts';
import { agent } from '../../src/agent/agent.ts';
import { postgres } from '../../src/store/postgres/store.ts';
import { type Deferred, deferred } from '../../src/support/deferred.ts';
import { type DatabaseProxy, proxyTo } from './proxy.ts';
import { type PostgresServer, startPostgres } from './server.ts';

/** Only for this file, because it is restarted and set to read-only. */
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

/** No call may take longer. */
const CALL_TIMEOUT_MS = 15_000;

interface Deployment {
  readonly url: string;
  readonly schema: string;
  readonly proxy: DatabaseProxy;
  readonly pool: pg.Pool;
  /** A task that has ended. */
  readonly ended: string;
  /** A task that waits for the gate. */
  readonly running: string;
  readonly gate: Deferred<void>;
}

let deployments = 0;

async function deploy(database = server.url.replace('postgres@', 'agents@')): Promise<Deployment> {
  const proxy = await proxyTo(database);
  const schema = `failures_${++deployments}`;
  // Like the pool of the store, with shorter timeouts.
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
    description: 'Runs a step, and waits for a gate if the message is "wait".',
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

interface HttpResponse {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: string;
}

let messages = 0;

async function call(url: string, what: Call, about = 'go', returnImmediately = false): Promise<HttpResponse> {
  const message = { messageId: `m${++messages}`, role: 'ROLE_USER', parts: [{ text: about }] };
  const path = { send: '/message:send', get: `/tasks/${about}`, stream: '/message:stream', list: '/tasks' }[what];
  const isRead = what === 'get' || what === 'list';
  const response = await fetch(url + path, {
    method: isRead ? 'GET' : 'POST',
    headers: { 'a2a-version': '1.0', 'content-type': 'application/json' },
    body: isRead ? null : JSON.stringify({ message, configuration: { returnImmediately } }),
    signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
  });
  return { status: response.status, retryAfter: response.headers.get('retry-after'), body: await response.text() };
}

async function taskOf({ body }: HttpResponse): Promise<string> {
  return (JSON.parse(body) as { task: { id: string } }).task.id;
}

const CALLS: readonly Call[] = ['send', 'get', 'stream', 'list'];

function callAll({ url, ended }: Deployment): Promise<readonly HttpResponse[]> {
  return Promise.all(CALLS.map((what) => call(url, what, what === 'get' ? ended : 'go')));
}

type Expected = Readonly<Record<Call, 200 | 503>>;

const ALL_FAIL: Expected = { send: 503, get: 503, stream: 503, list: 503 };
const ALL_SUCCEED: Expected = { send: 200, get: 200, stream: 200, list: 200 };
const WRITES_FAIL: Expected = { send: 503, get: 200, stream: 503, list: 200 };

interface DatabaseFailure {
  readonly what: string;
  readonly statuses: Expected;
  /** Returns a function that ends the failure. */
  readonly begin: (deployment: Deployment) => Promise<() => unknown>;
}

/** Makes writes fail with an error code of the database. */
async function failWrites({ schema }: Deployment, code: string): Promise<() => unknown> {
  await admin.query(`CREATE FUNCTION ${schema}.fail() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'could not extend file "base/5/1234"' USING ERRCODE = '${code}'; END $$`);
  for (const table of ['task', 'event']) {
    const when = `BEFORE INSERT OR UPDATE ON ${schema}.${table}`;
    await admin.query(`CREATE TRIGGER fail ${when} EXECUTE FUNCTION ${schema}.fail()`);
  }
  return () => admin.query(`DROP FUNCTION ${schema}.fail() CASCADE`);
}

async function holdLock(statement: string): Promise<() => unknown> {
  const client = await admin.connect();
  await client.query('BEGIN');
  await client.query(statement);
  return async () => {
    await client.query('ROLLBACK');
    client.release();
  };
}

/** Like a former primary after a failover. */
async function setReadOnly(change: 'SET default_transaction_read_only = on' | 'RESET ALL'): Promise<void> {
  const client = await admin.connect();
  await client.query('SET default_transaction_read_only = off');
  await client.query(`ALTER SYSTEM ${change}`);
  await client.query('SELECT pg_reload_conf()');
  client.release();
}

const FAILURES: readonly DatabaseFailure[] = [
  {
    what: 'is away',
    statuses: ALL_FAIL,
    begin: async ({ proxy }) => {
      proxy.set('closed');
      return () => proxy.set('open');
    },
  },
  {
    what: 'stops responding',
    statuses: ALL_FAIL,
    begin: async ({ proxy }) => {
      proxy.set('silent');
      return () => proxy.set('open');
    },
  },
  {
    what: 'is slow',
    statuses: ALL_SUCCEED,
    begin: async ({ proxy }) => {
      proxy.set('slow');
      return () => proxy.set('open');
    },
  },
  {
    what: 'is read-only',
    statuses: WRITES_FAIL,
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
  { what: 'has a full disk', statuses: WRITES_FAIL, begin: (deployment) => failWrites(deployment, '53100') },
  { what: 'cancels statements', statuses: WRITES_FAIL, begin: (deployment) => failWrites(deployment, '57014') },
  {
    what: 'has too many connections',
    statuses: ALL_FAIL,
    begin: async ({ proxy }) => {
      await admin.query('ALTER ROLE agents CONNECTION LIMIT 0');
      proxy.cut();
      return () => admin.query('ALTER ROLE agents CONNECTION LIMIT -1');
    },
  },
  {
    what: 'rejects the credentials',
    statuses: ALL_FAIL,
    begin: async ({ proxy }) => {
      await admin.query('ALTER ROLE agents NOLOGIN');
      proxy.cut();
      return () => admin.query('ALTER ROLE agents LOGIN');
    },
  },
  {
    what: 'has a locked table',
    statuses: ALL_FAIL,
    begin: ({ schema }) => holdLock(`LOCK TABLE ${schema}.task`),
  },
  {
    what: 'has a table that is locked for writes',
    statuses: WRITES_FAIL,
    begin: ({ schema }) => holdLock(`LOCK TABLE ${schema}.task IN SHARE MODE`),
  },
  {
    what: 'has a locked task',
    statuses: ALL_SUCCEED,
    begin: ({ schema, ended }) => holdLock(`SELECT FROM ${schema}.task WHERE id = '${ended}' FOR UPDATE`),
  },
  {
    what: 'has only connections that are in use',
    statuses: ALL_FAIL,
    begin: async ({ pool }) => {
      const taken: pg.PoolClient[] = [];
      const failure = { isOver: false };
      // Takes connections as soon as they are free.
      const takers = Array.from({ length: 6 }, async () => {
        while (taken.length < 5 && !failure.isOver)
          await pool.connect().then(
            (client) => taken.push(client),
            () => {},
          );
      });
      await vi.waitFor(() => expect(taken.length).toBe(5));
      return async () => {
        failure.isOver = true;
        await Promise.all(takers);
        for (const client of taken) client.release();
      };
    },
  },
];

/** Checks the responses during a failure, and that all calls and runs succeed afterwards. */
async function expectRecovery(here: Deployment, { statuses, begin }: Omit<DatabaseFailure, 'what'>): Promise<void> {
  const end = await begin(here);
  let isOver = false;
  onTestFinished(async () => void (isOver || (await end())));
  // Twice: the first calls may get connections that still look intact.
  await callAll(here);
  here.gate.resolve();
  const during = await callAll(here);
  await end();
  isOver = true;

  expect(Object.fromEntries(during.map(({ status }, i) => [CALLS[i], status]))).toEqual(statuses);
  for (const { status, retryAfter, body } of during.filter((response) => response.status !== 200)) {
    expect(retryAfter).toMatch(/^[1-9]$/);
    expect(JSON.parse(body)).toMatchObject({ error: { code: status, status: 'UNAVAILABLE' } });
    expect(body).not.toMatch(/ECONN|127\.0\.0\.1|SQL|SELECT|INSERT|failures_|base\/|agents|pg_|at \//);
  }
  await vi.waitFor(
    async () => {
      const after = await callAll(here);
      expect(after.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      for (const i of [0, 2]) expect(after[i]?.body).toContain('TASK_STATE_COMPLETED');
    },
    { timeout: 30_000, interval: 200 },
  );
  // The waiting run has completed without a call, and its output is there once.
  await vi.waitFor(
    async () => {
      const { status, artifacts } = JSON.parse((await call(here.url, 'get', here.running)).body) as Finished;
      expect(status.state).toBe('TASK_STATE_COMPLETED');
      expect(artifacts.flatMap(({ parts }) => parts.map(({ text }) => text)).join('')).toBe('ab');
    },
    { timeout: 30_000, interval: 200 },
  );
}

test.each(FAILURES)(
  'calls get the expected status in time from a database that $what, and succeed afterwards',
  async (failure) => {
    await expectRecovery(await deploy(), failure);
  },
);

test('/readyz responds with 503 while the disk of the database is full, and with 200 when there is room', async () => {
  const here = await deploy();
  const readyz = async (): Promise<number> => (await fetch(`${here.url}/readyz`)).status;
  expect(await readyz()).toBe(200);
  const end = await failWrites(here, '53100');
  expect((await call(here.url, 'send')).status).toBe(503);

  expect(await readyz()).toBe(503);
  await end();
  await expect.poll(readyz).toBe(200);
  const { rows } = await admin.query(`SELECT FROM ${here.schema}.event WHERE task_id = ''`);
  expect(rows).toEqual([]);
});

test('calls and runs succeed after a restart of the database', async () => {
  const own = await startPostgres();
  onTestFinished(() => own.stop());
  const begin = async (): Promise<() => void> => {
    await own.restart();
    return () => {};
  };
  await expectRecovery(await deploy(own.url), { statuses: ALL_SUCCEED, begin });
});

test('a server that starts without its database responds with 503 until the database is there', async () => {
  const proxy = await proxyTo(server.url);
  proxy.set('closed');
  const store = postgres(proxy.url, { schema: `failures_${++deployments}` });
  const warnings: string[] = [];
  const note = (message: string): void => void warnings.push(message);
  const log = { info: () => {}, warn: note, error: note };
  const echo = agent({ name: 'Echo', description: 'Repeats the message.', run: async ({ text }) => text });
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

test('a server whose credentials the database rejects does not start', async () => {
  await admin.query('CREATE ROLE outsider NOLOGIN');
  const store = postgres(server.url.replace('postgres@', 'outsider@'));
  onTestFinished(() => store.close());
  const echo = agent({ name: 'Echo', description: 'Repeats the message.', run: async ({ text }) => text });

  await expect(serve(echo, { store, port: 0 })).rejects.toThrow(
    'The database of the task store rejects the credentials of this process',
  );
});

interface Finished {
  readonly status: { readonly state: string };
  readonly artifacts: readonly { readonly parts: readonly { readonly text: string }[] }[];
}
