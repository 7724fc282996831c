/** Data that the database cannot store: its callers get an error over HTTP, and concurrent writes succeed. */
import { randomInt } from 'node:crypto';
import { afterAll, afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { serve } from '../../src/node/serve.ts';
import { agent } from '../../src/agent/agent.ts';
import { TestSchema } from './schemas.ts';

const schema = new TestSchema();

afterAll(() => schema.drop());
afterEach(() => schema.query(`DROP FUNCTION IF EXISTS "${schema.name}".reject() CASCADE`));

/** Random characters of three bytes each, which compress badly. */
function incompressible(length: number): string {
  return Array.from({ length }, () => String.fromCodePoint(randomInt(0x4e00, 0x9fff))).join('');
}

let runs = 0;
const logged: string[] = [];

async function start(): Promise<string> {
  const echo = agent({
    name: 'Echo',
    description: 'Repeats the message, in two chunks.',
    maxAttempts: 2,
    async *run({ text }) {
      if (text === 'poison') runs++;
      yield 'It is ';
      yield text;
    },
  });
  const note = (message: string): void => void logged.push(message);
  const server = await serve(echo, {
    port: 0,
    store: schema.connect(),
    log: { info: () => {}, warn: note, error: note },
    limits: { rate: false },
    auth: (request) => ({ id: decodeURIComponent(request.header('x-name') ?? ''), isVerified: true }),
  });
  onTestFinished(() => server.close({ finishMs: 0 }));
  return server.url;
}

interface SendOptions {
  readonly as?: string;
  readonly tenant?: string;
  readonly contextId?: string;
  readonly text?: string;
  readonly returnImmediately?: boolean;
}

let messages = 0;

async function send(
  url: string,
  options: SendOptions = {},
): Promise<{ readonly status: number; readonly body: string }> {
  const { as = 'ann', tenant, contextId, text = 'hello', returnImmediately } = options;
  const message = { messageId: `m${++messages}`, role: 'ROLE_USER', parts: [{ text }], contextId };
  const response = await fetch(`${url}/message:send`, {
    method: 'POST',
    headers: { 'a2a-version': '1.0', 'content-type': 'application/json', 'x-name': encodeURIComponent(as) },
    body: JSON.stringify({ tenant, message, configuration: { returnImmediately } }),
  });
  return { status: response.status, body: await response.text() };
}

/** Makes the database reject rows with an error code. */
async function rejectRows(table: string, condition: string, code: string): Promise<void> {
  await schema.query(`CREATE FUNCTION "${schema.name}".reject() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN IF ${condition} THEN RAISE EXCEPTION 'no' USING ERRCODE = '${code}'; END IF; RETURN NEW; END $$`);
  await schema.query(`CREATE TRIGGER reject BEFORE INSERT ON "${schema.name}".${table}
    FOR EACH ROW EXECUTE FUNCTION "${schema.name}".reject()`);
}

async function sendMany(
  url: string,
  bad: SendOptions,
): Promise<{ good: number[]; bad: { status: number; body: string }[] }> {
  const all = await Promise.all(
    Array.from({ length: 40 }, async (_, i) => ({ isBad: i % 4 === 1, got: await send(url, i % 4 === 1 ? bad : {}) })),
  );
  const of = (isBad: boolean) => all.filter((each) => each.isBad === isBad).map(({ got }) => got);
  return { good: of(false).map(({ status }) => status), bad: of(true) };
}

test('a message whose owner, tenant and context id are together too long for an index gets 400, and concurrent ones succeed', async () => {
  const url = await start();
  const long = { as: incompressible(512), tenant: incompressible(256), contextId: incompressible(256) };

  const { good, bad } = await sendMany(url, long);

  expect(new Set(good)).toEqual(new Set([200]));
  expect(new Set(bad.map(({ status }) => status))).toEqual(new Set([400]));
  expect(JSON.parse(bad[0]?.body ?? '')).toMatchObject({ error: { code: 400, status: 'INVALID_ARGUMENT' } });
  expect(bad[0]?.body).toContain('message.contextId: is too long, together with the tenant');
});

test.each([
  ['22P05', 400],
  ['54000', 400],
  ['23514', 500],
])('a message that the database rejects with %s gets %d, and concurrent ones succeed', async (code, status) => {
  const url = await start();
  await send(url);
  await rejectRows('task', "NEW.context_id = 'poison'", code);

  const { good, bad } = await sendMany(url, { contextId: 'poison' });

  expect(new Set(good)).toEqual(new Set([200]));
  expect(new Set(bad.map((each) => each.status))).toEqual(new Set([status]));
  expect(bad[0]?.body).not.toMatch(/22P05|54000|23514|RAISE|plpgsql/);
  expect(logged).toContain(status === 400 ? 'Request could not be served' : 'Request failed');
});

test('a task whose output cannot be stored fails, and concurrent tasks complete', async () => {
  const url = await start();
  await send(url);
  await rejectRows(
    'event',
    "NEW.body LIKE '%It is %poison%' OR NEW.body LIKE '%\"poison\"%' AND NEW.kind = 2",
    '22P05',
  );
  runs = 0;

  const { body } = await send(url, { text: 'poison', returnImmediately: true });
  const others = await Promise.all(Array.from({ length: 20 }, () => send(url)));
  const { task } = JSON.parse(body) as { task: { id: string } };
  const read = async (): Promise<string> =>
    (await fetch(`${url}/tasks/${task.id}`, { headers: { 'a2a-version': '1.0', 'x-name': 'ann' } })).text();

  await vi.waitFor(async () => expect(await read()).toContain('TASK_STATE_FAILED'), { timeout: 20_000, interval: 100 });
  expect(others.map(({ status }) => status)).toEqual(others.map(() => 200));
  expect(runs).toBe(2);
});

test('a message with the longest owner, tenant and context id of three-byte characters is stored', async () => {
  const url = await start();

  const { status } = await send(url, {
    as: incompressible(290),
    tenant: incompressible(256),
    contextId: incompressible(256),
  });

  expect(status).toBe(200);
});

test('a task of 0.1 with the longest id, owner and session id is stored', async () => {
  const url = await start();
  const params = {
    id: incompressible(256),
    sessionId: incompressible(256),
    message: { role: 'user', parts: [{ type: 'text', text: 'a' }] },
  };
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-name': encodeURIComponent(incompressible(290)) },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tasks/send', params }),
  });

  expect(await response.text()).toContain('"state":"completed"');
});
