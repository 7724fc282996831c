/** Forged, repeated and malformed requests to the serverless endpoints of an agent. */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { agent } from '../../../src/server/index.ts';
import { type SelfRequestPurpose, Signatures } from '../../../src/server/serverless/signature.ts';
import { recordingLog } from '../../helpers/recording-log.ts';
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
    ['an empty token', () => ''],
    ['a token without a signature', () => 'let me in'],
    ['the secret itself', () => SECRET],
    ['the secret of the cron job', () => CRON_SECRET],
    ['an expired token', (run) => signed({ run }, { agoMs: 5 * MINUTE + 1 })],
    ['a token with a lifetime of years', (run) => signed({ run }, { lifeMs: 1000 * 24 * 60 * MINUTE })],
    ['a token signed with another secret', (run) => signed({ run }, { secret: 'a secret that somebody else has' })],
    ['a token for another task', () => signed({ run: 'another' })],
    ['a token for a sweep', () => signed('sweep')],
    [
      'a token with a changed time',
      async (run) => (await signed({ run })).replace(/^\d+/, (ms) => `${Number(ms) + 1}`),
    ],
    ['a truncated token', async (run) => (await signed({ run })).slice(0, -1)],
    ['a token with one more character', async (run) => `${await signed({ run })}A`],
    [
      'a token with another last character',
      async (run) => (await signed({ run })).replace(/.$/, (end) => (end === 'A' ? 'Q' : 'A')),
    ],
    ['a JWT', () => 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl'],
  ];

  test.each(FORGERIES)('POST /_tandem/run with %s gets 401 and runs nothing', async (_, token) => {
    const host = countingHost();
    const { id } = await host.send('go');
    const answer = await call(host, await token(id), { taskId: id });
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    expect(JSON.stringify(await answer.json())).not.toContain(id);
    expect([host.runs(), await host.stateOf(id)]).toEqual([0, 'submitted']);
  });

  test('the response is the same for a waiting, a completed and an unknown task', async () => {
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
    // The repeated request did nothing.
    expect([host.runs(), await host.stateOf(id)]).toEqual([1, 'completed']);
  });

  test('five concurrent requests for one task run it once', async () => {
    const host = countingHost();
    const { id } = await host.send('go');
    const token = await signed({ run: id });
    const answers = await Promise.all(Array.from({ length: 5 }, () => call(host, token, { taskId: id })));
    expect(answers.map(({ status }) => status)).toEqual([204, 204, 204, 204, 204]);
    expect(host.runs()).toBe(1);
  });

  test.each([
    ['a body over the size limit', `{"taskId":"${'x'.repeat(2000)}"}`, 413],
    ['a body that is not JSON', '{"taskId":', 401],
    ['a body that is an array', '[]', 401],
    ['a body without taskId', '{}', 401],
    ['a body with a number as taskId', '{"taskId":7}', 401],
    ['an empty body', '', 401],
  ])('POST /_tandem/run with %s is rejected', async (_, body, status) => {
    const host = countingHost();
    const answer = await call(host, await signed({ run: '7' }), body);
    expect(answer.status).toBe(status);
  });

  test('a request with an expired token gets 401 before its body is read', async () => {
    const host = countingHost();
    const answer = await call(
      host,
      await signed({ run: 'x' }, { agoMs: 6 * MINUTE }),
      `{"taskId":"${'x'.repeat(2000)}"}`,
    );
    expect(answer.status).toBe(401);
  });

  test.each(['GET', 'PUT', 'DELETE'])('%s /_tandem/run gets 405 with Allow: POST', async (method) => {
    const host = countingHost();
    const answer = await host.fetch('/_tandem/run', { method });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
  });

  test('during secret rotation, tokens of the old and the new secret are valid, and the agent signs with the new one', async () => {
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

  test('a rejected request leaves an audit record without its token and body', async () => {
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
    ['another secret', () => 'the secret of the cron jo'],
    ['the secret of the agent', () => SECRET],
    ['a token for a task', () => signed({ run: 'sweep' })],
    ['a token that has expired', () => signed('sweep', { agoMs: 6 * MINUTE })],
  ])('a sweep with %s gets 401 and runs nothing', async (_, token) => {
    const host = countingHost();
    const { id } = await host.send('go');
    expect((await call(host, await token(), {}, '/_tandem/sweep')).status).toBe(401);
    expect([host.runs(), await host.stateOf(id)]).toEqual([0, 'submitted']);
  });

  test('a signed request to /_tandem/sweep runs the waiting tasks', async () => {
    const host = countingHost();
    await host.send('go');
    const answer = await call(host, await signed('sweep'), '', '/_tandem/sweep');
    expect(await answer.json()).toEqual({ taken: 1, finished: 1, handedOver: 0, hasMore: false });
  });
});

describe('the paths of the serverless endpoints', () => {
  test('rpcPaths below /_tandem are rejected, and /_tandem is not a tenant', async () => {
    expect(() => countingHost({ rpcPaths: ['/_tandem/run'] }).newProcess()).toThrow(
      'rpcPaths: must not be below /_tandem',
    );
    const host = countingHost({ basePath: '/agent' });
    expect((await host.post('/agent/_tandem/run', {})).status).toBe(401);
    expect((await host.post('/agent/_tandem/message:send', {})).status).toBe(404);
    expect(host.newProcess().owns('/_tandem/run')).toBe(true);
  });

  test('/_tandem/run and /_tandem/sweep are 404 without the option serverless', async () => {
    const { createHandler, memoryStore } = await import('../../../src/server/index.ts');
    const echo = agent({ name: 'Echo', description: 'Returns the text.', run: ({ text }) => text });
    const handler = createHandler(echo, { store: memoryStore(), log: recordingLog() });
    for (const path of ['run', 'sweep']) {
      const answer = await handler.fetch(new Request(`https://agent.example/_tandem/${path}`, { method: 'POST' }));
      expect(answer.status).toBe(404);
    }
    await handler.close();
  });
});

describe('without a configured secret', () => {
  const NONE = { secret: undefined, cronSecret: undefined } as never;

  test('in production both endpoints get 503, and a request with returnImmediately is rejected', async () => {
    vi.stubEnv('NODE_ENV', 'production');
    vi.stubEnv('A2A_SECRET', ' ');
    const log = recordingLog();
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

  test('in production a request with returnImmediately is accepted if CRON_SECRET enables sweeps', async () => {
    vi.stubEnv('NODE_ENV', 'production');
    vi.stubEnv('CRON_SECRET', CRON_SECRET);
    const host = countingHost({ serverless: NONE });
    const { id } = await host.send('go');
    await call(host, CRON_SECRET, {}, '/_tandem/sweep');
    expect(await host.stateOf(id)).toBe('completed');
  });

  test('in development a process accepts only its own self-requests', async () => {
    vi.stubEnv('A2A_SECRET', '');
    const host = countingHost({ serverless: NONE });
    const { id } = await host.send('go');
    const [request] = host.own;
    const token = request?.headers.get('authorization')?.replace('Bearer ', '');
    expect((await call(host, token, { taskId: id })).status).toBe(401);
    expect((await call(host, await signed({ run: id }, { secret: ' ' }), { taskId: id })).status).toBe(401);
  });

  test('A2A_SECRET of the environment is the secret for self-requests', async () => {
    vi.stubEnv('A2A_SECRET', 'from the environment');
    const host = countingHost({ serverless: NONE });
    const { id } = await host.send('go');
    await call(host, await signed({ run: id }, { secret: 'from the environment' }), { taskId: id });
    expect(await host.stateOf(id)).toBe('completed');
  });
});
