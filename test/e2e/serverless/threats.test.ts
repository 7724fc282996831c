/** Requests that an agent makes to itself, made by others. */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { agent } from '../../../src/server/index.ts';
import { type SelfRequestPurpose, Signatures } from '../../../src/server/serverless/signature.ts';
import { keptLog } from '../../helpers/kept-log.ts';
import { CRON_SECRET, type Host, type Network, SECRET, startHost } from './host.ts';

afterEach(() => vi.unstubAllEnvs());

const MINUTE = 60_000;

function countingHost(options: Parameters<typeof startHost>[1] = {}): Host & { readonly runs: () => number } {
  let runs = 0;
  const network: Network = { isDown: true };
  const counter = agent({ name: 'Counter', description: 'Counts.', run: () => `${++runs}` });
  return { ...startHost(counter, options, network), runs: () => runs };
}

function signed(
  purpose: SelfRequestPurpose,
  { secret = SECRET, agoMs = 0, lifeMs = 5 * MINUTE } = {},
): Promise<string> {
  return new Signatures([secret], lifeMs, () => Date.now() - agoMs).sign(purpose);
}

function call(host: Host, token: string | undefined, body: unknown, path = '/_tandem/run'): Promise<Response> {
  return host.post(path, body, token === undefined ? {} : { authorization: `Bearer ${token}` });
}

describe('/_tandem/run', () => {
  const FORGERIES: readonly (readonly [
    what: string,
    token: (taskId: string) => Promise<string> | string | undefined,
  ])[] = [
    ['no token', () => undefined],
    ['an empty one', () => ''],
    ['words', () => 'let me in'],
    ['the secret itself', () => SECRET],
    ['what the cron job has', () => CRON_SECRET],
    ['one that has expired', (run) => signed({ run }, { agoMs: 5 * MINUTE + 1 })],
    ['one that would be good for years', (run) => signed({ run }, { lifeMs: 1000 * 24 * 60 * MINUTE })],
    ['one of another secret', (run) => signed({ run }, { secret: 'a secret that somebody else has' })],
    ['one for another task', () => signed({ run: 'another' })],
    ['one for a sweep', () => signed('sweep')],
    ['one whose time was put off', async (run) => (await signed({ run })).replace(/^\d+/, (ms) => `${Number(ms) + 1}`)],
    ['one that was cut', async (run) => (await signed({ run })).slice(0, -1)],
    ['one with more behind it', async (run) => `${await signed({ run })}A`],
    [
      'one with another last letter',
      async (run) => (await signed({ run })).replace(/.$/, (end) => (end === 'A' ? 'Q' : 'A')),
    ],
    ['a token of the kind that callers have', () => 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl'],
  ];

  test.each(FORGERIES)('refuses %s, and runs nothing', async (_, token) => {
    const host = countingHost();
    const { id } = await host.send('go');
    const answer = await call(host, await token(id), { taskId: id });
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    expect(JSON.stringify(await answer.json())).not.toContain(id);
    expect([host.runs(), await host.stateOf(id)]).toEqual([0, 'submitted']);
  });

  test('says the same of a task that there is, that is over, and that there is not', async () => {
    const host = countingHost();
    const { id } = await host.send('go');
    const token = await signed({ run: id });
    const answers = [];
    for (const [run, proof] of [
      [id, token],
      [id, token],
      ['nothing', await signed({ run: 'nothing' })],
      ['no\0thing', await signed({ run: 'no\0thing' })],
    ] as const) {
      const answer = await call(host, proof, { taskId: run });
      answers.push([answer.status, await answer.text(), [...answer.headers]]);
    }
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]?.[0]).toBe(204);
    // The same request again did nothing.
    expect([host.runs(), await host.stateOf(id)]).toEqual([1, 'completed']);
  });

  test('a request that comes twice at once runs the task once', async () => {
    const host = countingHost();
    const { id } = await host.send('go');
    const token = await signed({ run: id });
    const answers = await Promise.all(Array.from({ length: 5 }, () => call(host, token, { taskId: id })));
    expect(answers.map(({ status }) => status)).toEqual([204, 204, 204, 204, 204]);
    expect(host.runs()).toBe(1);
  });

  test.each([
    ['too much', `{"taskId":"${'x'.repeat(2000)}"}`, 413],
    ['no JSON', '{"taskId":', 401],
    ['a list', '[]', 401],
    ['no id', '{}', 401],
    ['a number', '{"taskId":7}', 401],
    ['nothing', '', 401],
  ])('a body of %s is refused', async (_, body, status) => {
    const host = countingHost();
    const answer = await call(host, await signed({ run: '7' }), body);
    expect(answer.status).toBe(status);
  });

  test('nothing of a body is read whose token cannot be good', async () => {
    const host = countingHost();
    const answer = await call(
      host,
      await signed({ run: 'x' }, { agoMs: 6 * MINUTE }),
      `{"taskId":"${'x'.repeat(2000)}"}`,
    );
    expect(answer.status).toBe(401);
  });

  test.each(['GET', 'PUT', 'DELETE'])('%s is no way to ask', async (method) => {
    const host = countingHost();
    const answer = await host.fetch('/_tandem/run', { method });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
  });

  test('a secret that follows another is believed, and so is the one before it', async () => {
    const next = 'the secret that comes after it';
    const host = countingHost({ serverless: { secret: [next, SECRET] } });
    for (const secret of [SECRET, next]) {
      const { id } = await host.send('go');
      expect((await call(host, await signed({ run: id }, { secret }), { taskId: id })).status).toBe(204);
      expect(await host.stateOf(id)).toBe('completed');
    }
    const [request] = host.own;
    const token = request?.headers.get('authorization')?.replace('Bearer ', '') ?? '';
    const body = (await request?.json()) as { readonly taskId: string } | undefined;
    expect(await new Signatures([next], 5 * MINUTE).verify(token, { run: body?.taskId ?? '' })).toBe(true);
  });

  test('a refusal is written down, without what was sent', async () => {
    const records: unknown[] = [];
    const host = countingHost({ audit: (record) => void records.push(record) });
    await call(host, 'let-me-in-please', { taskId: 'secret-task' });
    expect(records).toEqual([expect.objectContaining({ path: '/_tandem/run' })]);
    expect(JSON.stringify(records)).not.toMatch(/let-me-in|secret-task/);
  });
});

describe('/_tandem/sweep', () => {
  test.each([
    ['no token', () => undefined],
    ['another secret', () => 'what the cron job has been tol'],
    ['the secret that signs', () => SECRET],
    ['a token for a task', () => signed({ run: 'sweep' })],
    ['a token that has expired', () => signed('sweep', { agoMs: 6 * MINUTE })],
  ])('refuses %s, and runs nothing', async (_, token) => {
    const host = countingHost();
    const { id } = await host.send('go');
    expect((await call(host, await token(), {}, '/_tandem/sweep')).status).toBe(401);
    expect([host.runs(), await host.stateOf(id)]).toEqual([0, 'submitted']);
  });

  test('a signed request sweeps', async () => {
    const host = countingHost();
    await host.send('go');
    const answer = await call(host, await signed('sweep'), '', '/_tandem/sweep');
    expect(await answer.json()).toEqual({ taken: 1, finished: 1, handedOver: 0, hasMore: false });
  });
});

describe('where they are', () => {
  test('neither a tenant nor JSON-RPC takes their paths', async () => {
    expect(() => countingHost({ rpcPaths: ['/_tandem/run'] }).newProcess()).toThrow(
      'rpcPaths: must not be below /_tandem',
    );
    const host = countingHost({ basePath: '/agent' });
    expect((await host.post('/agent/_tandem/run', {})).status).toBe(401);
    expect((await host.post('/agent/_tandem/message:send', {})).status).toBe(404);
    expect(host.newProcess().owns('/_tandem/run')).toBe(true);
  });

  test('an agent that is not serverless has neither', async () => {
    const { createHandler, memoryStore } = await import('../../../src/server/index.ts');
    const echo = agent({ name: 'Echo', description: 'Says it again.', run: ({ text }) => text });
    const handler = createHandler(echo, { store: memoryStore(), log: keptLog() });
    for (const path of ['run', 'sweep']) {
      const answer = await handler.fetch(new Request(`https://agent.example/_tandem/${path}`, { method: 'POST' }));
      expect(answer.status).toBe(404);
    }
    await handler.close();
  });
});

describe('without a secret', () => {
  const NONE = { secret: undefined, cronSecret: undefined } as never;

  test('in production both are closed, and nothing is promised that nobody would do', async () => {
    vi.stubEnv('NODE_ENV', 'production');
    vi.stubEnv('A2A_SECRET', ' ');
    const log = keptLog();
    const host = countingHost({ serverless: NONE, log });
    for (const path of ['/_tandem/run', '/_tandem/sweep']) {
      const answer = await call(host, await signed('sweep'), {}, path);
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
    }
    await expect(host.send('go')).rejects.toThrow('This agent cannot run tasks in the background');
    expect((await host.send('go', { waits: true })).status.state).toBe('TASK_STATE_COMPLETED');
    expect(log.lines.map(({ message }) => message).join('\n')).toContain('No secret is configured for self-requests');
    expect(host.own).toEqual([]);
  });

  test('in production a sweep is enough to be promised something', async () => {
    vi.stubEnv('NODE_ENV', 'production');
    vi.stubEnv('CRON_SECRET', CRON_SECRET);
    const host = countingHost({ serverless: NONE });
    const { id } = await host.send('go');
    await call(host, CRON_SECRET, {}, '/_tandem/sweep');
    expect(await host.stateOf(id)).toBe('completed');
  });

  test('on a desk a process believes itself and nobody else', async () => {
    vi.stubEnv('A2A_SECRET', '');
    const host = countingHost({ serverless: NONE });
    const { id } = await host.send('go');
    const [request] = host.own;
    const token = request?.headers.get('authorization')?.replace('Bearer ', '');
    expect((await call(host, token, { taskId: id })).status).toBe(401);
    expect((await call(host, await signed({ run: id }, { secret: ' ' }), { taskId: id })).status).toBe(401);
  });

  test('that of the environment is taken', async () => {
    vi.stubEnv('A2A_SECRET', 'from the environment');
    const host = countingHost({ serverless: NONE });
    const { id } = await host.send('go');
    await call(host, await signed({ run: id }, { secret: 'from the environment' }), { taskId: id });
    expect(await host.stateOf(id)).toBe('completed');
  });
});
