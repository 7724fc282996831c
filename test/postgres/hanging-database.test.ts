/** A database that hangs, with the default options of the store: callers get 503 soon, and runs wait for it. */
import pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { serve } from '../../src/node/serve.ts';
import { agent } from '../../src/agent/agent.ts';
import { postgres } from '../../src/store/postgres/store.ts';
import { type Deferred, deferred } from '../../src/support/deferred.ts';
import { type DatabaseProxy, proxyTo } from './proxy.ts';
import { type PostgresServer, startPostgres } from './server.ts';

let server: PostgresServer;
let admin: pg.Pool;

beforeAll(async () => {
  server = await startPostgres(['fsync=off']);
  admin = new pg.Pool({ connectionString: server.url, idleTimeoutMillis: 0 });
  admin.on('error', () => {});
}, 60_000);

afterAll(async () => {
  await admin.end();
  await server.stop();
});

/** Longer than the five seconds that callers wait, and shorter than the thirty that a statement may take. */
const CALL_TIMEOUT_MS = 15_000;

interface Deployment {
  readonly url: string;
  readonly schema: string;
  readonly proxy: DatabaseProxy;
  readonly gate: Deferred<void>;
  /** A task that waits for the gate, and how often its run has begun. */
  readonly taskId: string;
  readonly begun: () => number;
}

let deployments = 0;

async function deploy(): Promise<Deployment> {
  const proxy = await proxyTo(server.url);
  const schema = `hanging_${++deployments}`;
  const store = postgres(proxy.url, { schema });
  const gate = deferred<void>();
  let begun = 0;
  const waiter = agent({
    name: 'Waiter',
    description: 'Waits for a gate if the message is "wait".',
    async *run({ text }) {
      if (text !== 'wait') return;
      begun += 1;
      yield 'a';
      await gate.promise;
      yield 'b';
    },
  });
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const { url, close } = await serve(waiter, { store, port: 0, log, pushNotifications: true });
  onTestFinished(async () => {
    await close({ finishMs: 0 });
    await store.close();
  });
  const { body } = await call(url, 'POST', '/message:send', {
    message: { messageId: 'first', role: 'ROLE_USER', parts: [{ text: 'wait' }] },
    configuration: { returnImmediately: true },
  });
  const taskId = (JSON.parse(body) as { task: { id: string } }).task.id;
  await vi.waitFor(async () => expect((await call(url, 'GET', `/tasks/${taskId}`)).body).toContain('"a"'));
  return { url, schema, proxy, gate, taskId, begun: () => begun };
}

interface HttpResponse {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: string;
}

async function call(url: string, method: string, path: string, body?: unknown): Promise<HttpResponse> {
  const response = await fetch(url + path, {
    method,
    headers: { 'a2a-version': '1.0', 'content-type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
    signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
  });
  return { status: response.status, retryAfter: response.headers.get('retry-after'), body: await response.text() };
}

let messages = 0;

function callAll({ url, taskId }: Deployment): Promise<readonly HttpResponse[]> {
  const message = { messageId: `m${++messages}`, role: 'ROLE_USER', parts: [{ text: 'go' }] };
  const config = { id: 'c', url: 'https://example.com/hook' };
  return Promise.all([
    call(url, 'POST', '/message:send', { message }),
    call(url, 'POST', '/message:stream', { message: { ...message, messageId: `s${messages}` } }),
    call(url, 'GET', `/tasks/${taskId}`),
    call(url, 'GET', '/tasks'),
    call(url, 'POST', `/tasks/${taskId}:cancel`, {}),
    call(url, 'GET', `/tasks/${taskId}/pushNotificationConfigs`),
    call(url, 'POST', `/tasks/${taskId}/pushNotificationConfigs`, config),
    call(url, 'GET', '/readyz'),
  ]);
}

async function expectUnavailable(deployment: Deployment): Promise<void> {
  for (const { status, retryAfter } of await callAll(deployment)) expect([status, retryAfter]).toEqual([503, '1']);
}

test.each<[string, (deployment: Deployment) => Promise<() => unknown>]>([
  [
    'stops responding',
    async ({ proxy }) => {
      proxy.set('silent');
      return () => {
        proxy.cut();
        proxy.set('open');
      };
    },
  ],
  [
    'has its tables locked',
    async ({ schema }) => {
      const client = await admin.connect();
      await client.query(`BEGIN; LOCK TABLE ${schema}.task`);
      return async () => {
        await client.query('ROLLBACK');
        client.release();
      };
    },
  ],
])(
  'callers get 503 within seconds from a database that %s, and their tasks complete afterwards',
  async (_case, begin) => {
    const here = await deploy();
    const end = await begin(here);
    let isOver = false;
    onTestFinished(async () => void (isOver || (await end())));
    // Twice: the first calls get connections that look idle, the second find all of them in use.
    await expectUnavailable(here);
    await expectUnavailable(here);
    // The store gives up connections also at the database: it never has more than its ten.
    await vi.waitFor(async () => {
      const { rows } = await admin.query("SELECT FROM pg_stat_activity WHERE application_name = 'tandem-a2a'");
      expect(rows.length).toBeLessThanOrEqual(10);
    }, 10_000);
    await end();
    isOver = true;

    await vi.waitFor(async () => expect((await call(here.url, 'GET', '/readyz')).status).toBe(200), 20_000);
    here.gate.resolve();
    await vi.waitFor(async () => {
      const { body } = await call(here.url, 'GET', `/tasks/${here.taskId}`);
      expect(body).toContain('TASK_STATE_COMPLETED');
    }, 30_000);
  },
);

/** Stops all processes of the server, until the returned function is called. */
async function pauseServer(): Promise<() => void> {
  const { rows } = await admin.query<{ readonly pid: number }>('SELECT pid FROM pg_stat_activity');
  let stopped = [server.pid, ...rows.map(({ pid }) => pid)];
  for (const pid of stopped) process.kill(pid, 'SIGSTOP');
  return () => {
    for (const pid of stopped) process.kill(pid, 'SIGCONT');
    stopped = [];
  };
}

test('a run waits for a paused database and continues, while callers get 503', async () => {
  const here = await deploy();
  const resume = await pauseServer();
  onTestFinished(resume);
  // The write of the run enters the same queue as those of the callers.
  here.gate.resolve();
  await expectUnavailable(here);
  resume();

  await vi.waitFor(async () => {
    const { body } = await call(here.url, 'GET', `/tasks/${here.taskId}`);
    expect(body).toContain('TASK_STATE_COMPLETED');
  }, 30_000);
  expect(here.begun()).toBe(1);
});
