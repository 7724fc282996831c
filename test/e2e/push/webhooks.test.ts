/** The webhook handler: authentication of senders, handling of repeats, and responses. */
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { Webhook } from 'standardwebhooks';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { fakeClock } from '../../../src/testing/fake-clock.ts';
import { createWebhookHandler, type WebhookEvent, type WebhookOptions } from '../../../src/webhooks/index.ts';
import { verifies } from '../../helpers/verifies.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const OTHER_SECRET = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
const STATUS = { state: 'TASK_STATE_WORKING', timestamp: '2026-03-12T10:00:00.000Z' };
const BODY = JSON.stringify({ statusUpdate: { taskId: 'task-1', contextId: 'c', status: STATUS } });

interface TestWebhook {
  readonly events: readonly WebhookEvent[];
  post(body: string, headers?: Readonly<Record<string, string>>, method?: string): Promise<Response>;
}

const clock = fakeClock();
const NOW = Math.floor(clock.now() / 1000);

function receiver(options: Partial<WebhookOptions>): TestWebhook {
  const events: WebhookEvent[] = [];
  const handler = createWebhookHandler({ onEvent: (event) => void events.push(event), clock, ...options });
  const post: TestWebhook['post'] = (body, headers = {}, method = 'POST') =>
    handler.fetch(new Request('https://me.example.com/hook', { method, headers, ...(method === 'POST' && { body }) }));
  return { events, post };
}

function signed(body = BODY, { id = 'd-1', at = NOW, secret = SECRET } = {}): Record<string, string> {
  const signature = new Webhook(secret).sign(id, new Date(at * 1000), body);
  return { 'webhook-id': id, 'webhook-timestamp': String(at), 'webhook-signature': signature };
}

describe('a webhook with a secret', () => {
  test(verifies(['P-14', 'P-17'], 'accepts a signature by the secret with 204'), async () => {
    const { events, post } = receiver({ secret: SECRET });
    expect((await post(BODY, signed())).status).toBe(204);
    expect(events).toMatchObject([{ type: 'status', taskId: 'task-1', state: 'working', id: 'd-1' }]);
  });

  const good = signed();
  test.each([
    ['it is missing', {}],
    ['it is by another secret', signed(BODY, { secret: OTHER_SECRET })],
    ['it is for another body', signed(`${BODY} `)],
    ['it is for another id', { ...good, 'webhook-id': 'd-2' }],
    ['it is for another time', { ...good, 'webhook-timestamp': String(NOW + 1) }],
    [
      'it has another version',
      { ...good, 'webhook-signature': good['webhook-signature']?.replace('v1,', 'v1a,') ?? '' },
    ],
    ['it is not base64', { ...good, 'webhook-signature': 'v1,%%%' }],
    ['it is empty', { ...good, 'webhook-signature': '' }],
    ['it has no time', { 'webhook-id': 'd-1', 'webhook-signature': good['webhook-signature'] ?? '' }],
    ['the time is not a number', { ...good, 'webhook-timestamp': 'now' }],
  ])(verifies('P-17', 'rejects a signature if %s'), async (_, headers) => {
    const { events, post } = receiver({ secret: SECRET });
    expect((await post(BODY, headers)).status).toBe(401);
    expect(events).toEqual([]);
  });

  test.each([
    [-301, 401],
    [-300, 204],
    [0, 204],
    [300, 204],
    [301, 401],
    [-86_400, 401],
  ])(verifies('P-19', 'responds to a signature that is %d seconds off with %d'), async (offset, status) => {
    const { post } = receiver({ secret: SECRET });
    expect((await post(BODY, signed(BODY, { at: NOW + offset }))).status).toBe(status);
  });

  test('accepts signatures by any of several secrets', async () => {
    const { events, post } = receiver({ secrets: [OTHER_SECRET, SECRET] });
    await post(BODY, signed(BODY, { id: '1' }));
    await post(BODY, signed(BODY, { id: '2', secret: OTHER_SECRET }));
    expect(events.map(({ id }) => id)).toEqual(['1', '2']);
  });
});

describe('a webhook that expects a token or credentials', () => {
  test.each([
    ['abc', 'abc', 204],
    ['abc', 'abd', 401],
    ['abc', '', 401],
    ['abc', undefined, 401],
    [['old', 'new'], 'new', 204],
    [(taskId: string) => `for-${taskId}`, 'for-task-1', 204],
    [(taskId: string) => `for-${taskId}`, 'for-task-2', 401],
    [() => undefined, 'undefined', 401],
    [() => '', '', 401],
    [async () => ['a', 'b'], 'b', 204],
  ])(verifies('P-17', 'responds, with the token option %s, to the token %s with %d'), async (token, given, status) => {
    const { post } = receiver({ token });
    const headers: Record<string, string> = given === undefined ? {} : { 'x-a2a-notification-token': given };
    expect((await post(BODY, headers)).status).toBe(status);
  });

  test.each([
    [{ 'a2a-notification-token': 'tok1' }, 204],
    [{ 'a2a-notification-token': 'tok2' }, 401],
    [{ 'x-a2a-notification-token': 'tok2', 'a2a-notification-token': 'tok1' }, 401],
  ])('reads the token also from the header of the Go SDK 2.x: %j gets %d', async (headers, status) => {
    const { events, post } = receiver({ token: 'tok1' });
    expect((await post(BODY, headers as Record<string, string>)).status).toBe(status);
    expect(events).toHaveLength(status === 204 ? 1 : 0);
  });

  test.each([
    ['Bearer xyz', 204],
    ['bearer xyz', 401],
    ['Bearer xy', 401],
    [undefined, 401],
  ])(verifies('P-17', 'responds to the Authorization header %s with %d'), async (authorization, status) => {
    const { post } = receiver({ authorization: 'Bearer xyz' });
    expect((await post(BODY, authorization === undefined ? {} : { authorization })).status).toBe(status);
  });

  test.each([
    ['token', { token: 'abc' }],
    ['Authorization header', { authorization: 'Bearer abc' }],
  ])('responds to a wrong %s with 401 before it parses the body', async (_, options) => {
    const parse = vi.spyOn(JSON, 'parse');
    onTestFinished(() => parse.mockRestore());
    const { post } = receiver(options);
    const body = '['.repeat(100_000);
    const response = await post(body, { 'x-a2a-notification-token': 'abd', authorization: 'Bearer abd' });

    expect(response.status).toBe(401);
    expect(parse).not.toHaveBeenCalled();
  });

  test('requires a signature, too, if it has a secret', async () => {
    const { post } = receiver({ token: 'abc', secret: SECRET });
    const token = { 'x-a2a-notification-token': 'abc' };
    expect((await post(BODY, token)).status).toBe(401);
    expect((await post(BODY, signed())).status).toBe(401);
    expect((await post(BODY, { ...token, ...signed() })).status).toBe(204);
  });
});

describe('a webhook that verifies signed tokens', async () => {
  const pair = await generateKeyPair('ES256', { extractable: true });
  const otherPair = await generateKeyPair('ES256', { extractable: true });
  const keys = { keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'k', alg: 'ES256' }] };
  const digest = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(BODY))).toString('hex');
  const CLAIMS = {
    request_body_sha256: digest,
    taskId: 'task-1',
    jti: 'd-1',
    iss: 'https://a.example',
    aud: 'https://me',
  };

  const token = async (claims: object = {}, { key = pair.privateKey, at = NOW, lasts = 300 } = {}): Promise<string> =>
    new SignJWT({ ...CLAIMS, ...claims })
      .setProtectedHeader({ alg: 'ES256', kid: 'k' })
      .setIssuedAt(at)
      .setExpirationTime(at + lasts)
      .sign(key);

  test.each([
    ['accepts a valid token', token(), 204],
    ['rejects a token for another task', token({ taskId: 'task-2' }), 401],
    ['rejects a token for another body', token({ request_body_sha256: 'f'.repeat(64) }), 401],
    ['rejects a token without the digest of a body', token({ request_body_sha256: undefined }), 401],
    ['rejects a token from another issuer', token({ iss: 'https://b.example' }), 401],
    ['rejects a token for another audience', token({ aud: 'https://you' }), 401],
    ['rejects a token by another key', token({}, { key: otherPair.privateKey }), 401],
    ['rejects an expired token', token({}, { at: NOW - 1000 }), 401],
    ['rejects a token from the future', token({}, { at: NOW + 1000 }), 401],
    ['rejects a text that is not a token', Promise.resolve('abc'), 401],
  ])(verifies(['P-17', 'P-19'], '%s'), async (_, signing, status) => {
    const { post } = receiver({ keys, issuer: 'https://a.example', audience: 'https://me' });
    expect((await post(BODY, { authorization: `Bearer ${await signing}` })).status).toBe(status);
    expect((await post(BODY, { 'x-a2a-notification-jwt': await signing, authorization: 'Basic x' })).status).toBe(
      status,
    );
  });

  test.each([
    [-599, 300_000, 401],
    [-301, 300_000, 401],
    [-300, 300_000, 204],
    [300, 300_000, 204],
    [301, 300_000, 401],
    [-2, 1500, 401],
    [0, 0, 204],
  ])(
    verifies('P-19', 'responds to a token that is %d seconds off, with toleranceMs: %d, with %d'),
    async (offset, toleranceMs, status) => {
      const { post } = receiver({ keys, audience: 'https://me', toleranceMs });
      const lasting = await token({}, { at: NOW + offset, lasts: 9000 });
      expect((await post(BODY, { authorization: `Bearer ${lasting}` })).status).toBe(status);
    },
  );

  test('rejects a token without the time of its signature', async () => {
    const { post } = receiver({ keys, audience: 'https://me' });
    const timeless = await new SignJWT(CLAIMS).setProtectedHeader({ alg: 'ES256', kid: 'k' }).sign(pair.privateKey);
    expect((await post(BODY, { authorization: `Bearer ${timeless}` })).status).toBe(401);
  });

  test.each(['https://me', 'https://me/'])(
    'accepts the audience %s as it is configured and with a trailing slash',
    async (audience) => {
      for (const aud of ['https://me', 'https://me/']) {
        const { post } = receiver({ keys, audience });
        const expected = aud === audience || aud === 'https://me/' ? 204 : 401;
        expect((await post(BODY, { authorization: `Bearer ${await token({ aud })}` })).status).toBe(expected);
      }
    },
  );

  test.each([
    [
      'responds with 503 to a token whose keys cannot be fetched',
      () => Promise.reject(new TypeError('fetch failed')),
      503,
    ],
    [
      'responds with 503 to a token if the request for its keys gets 502',
      async () => new Response('', { status: 502 }),
      503,
    ],
    ['responds with 503 to a token if the response is not a key set', async () => new Response('hello'), 503],
    ['responds with 401 to a token whose key is not in the key set', async () => Response.json({ keys: [] }), 401],
    ['accepts a token whose key is in the fetched key set', async () => Response.json(keys), 204],
  ])('%s', async (_, respond, status) => {
    const fetched = vi.spyOn(globalThis, 'fetch').mockImplementation(respond);
    onTestFinished(() => fetched.mockRestore());
    const logged: unknown[] = [];
    const error = (_message: string, fields: unknown): void => void logged.push(fields);
    const { post } = receiver({
      jwks: 'https://agent.example/jwks.json?key=abc',
      audience: 'https://me',
      log: { info() {}, warn() {}, error },
    });
    expect((await post(BODY, { authorization: `Bearer ${await token()}` })).status).toBe(status);
    expect(logged).toMatchObject(status === 503 ? [{ host: 'agent.example' }] : []);
  });

  test('recognises a repeat by the jti of the token', async () => {
    const { events, post } = receiver({ keys, audience: false });
    const authorization = `Bearer ${await token()}`;
    await post(BODY, { authorization });
    await post(BODY, { authorization, 'webhook-id': 'another' });
    expect(events.map(({ id }) => id)).toEqual(['d-1']);
  });

  test('handles a token without jti once, whatever its webhook-id is', async () => {
    const { events, post } = receiver({ keys, audience: false });
    const authorization = `Bearer ${await token({ jti: undefined })}`;
    for (const headers of [{ 'webhook-id': 'd-1' }, { 'webhook-id': 'd-2' }, {}]) {
      expect((await post(BODY, { authorization, ...headers })).status).toBe(204);
    }
    expect(events.map(({ id }) => id)).toEqual(['d-1']);
  });

  test('recognises a repeat without jti that was signed again by its webhook-id', async () => {
    const { events, post } = receiver({ keys, audience: false });
    for (const at of [NOW, NOW + 1]) {
      const authorization = `Bearer ${await token({ jti: undefined }, { at })}`;
      expect((await post(BODY, { authorization, 'webhook-id': 'd-1' })).status).toBe(204);
    }
    expect(events).toHaveLength(1);
  });
});

describe('a webhook that gets a repeat', () => {
  test('with long ids recognises the repeat by a key of at most 600 characters', async () => {
    const kept = new Set<string>();
    const { events, post } = receiver({ token: 'abc', seen: kept as never });
    const long = 'x'.repeat(100_000);
    for (const [taskId, id] of [
      [long, 'd-1'],
      ['task-1', long],
      [long, 'd-1'],
    ] as const) {
      const body = JSON.stringify({ statusUpdate: { taskId, contextId: 'c', status: STATUS } });
      expect((await post(body, { 'x-a2a-notification-token': 'abc', 'webhook-id': id })).status).toBe(204);
    }
    expect(events).toHaveLength(2);
    expect([...kept].map(({ length }) => length <= 600)).toEqual([true, true]);
  });

  test(verifies(['P-15', 'P-19'], 'responds like the first time, and emits no event'), async () => {
    const { events, post } = receiver({ secret: SECRET });
    for (const at of [NOW, NOW, NOW + 5]) expect((await post(BODY, signed(BODY, { at }))).status).toBe(204);
    expect(events).toHaveLength(1);
  });

  test(verifies('P-15', 'while it handles the first notification waits for it'), async () => {
    let finish: () => void = () => {};
    let calls = 0;
    const { post } = receiver({
      secret: SECRET,
      onEvent: () => {
        calls += 1;
        return new Promise((resolve) => (finish = resolve));
      },
    });
    const both = [post(BODY, signed()), post(BODY, signed())];
    await expect.poll(() => calls).toBe(1);
    finish();
    expect((await Promise.all(both)).map(({ status }) => status)).toEqual([204, 204]);
    expect(calls).toBe(1);
  });

  test(verifies('P-15', 'of a notification that it failed to handle handles the repeat'), async () => {
    const logged: unknown[] = [];
    let calls = 0;
    const { post } = receiver({
      secret: SECRET,
      log: { info() {}, warn() {}, error: (_, fields) => logged.push(fields?.['error']) },
      onEvent: () => {
        calls += 1;
        if (calls === 1) throw new Error('the database is away');
      },
    });
    const first = await post(BODY, signed());
    expect(first.status).toBe(500);
    expect(await first.text()).not.toContain('database');
    expect(logged).toMatchObject([{ message: 'the database is away' }]);
    expect((await post(BODY, signed())).status).toBe(204);
    expect((await post(BODY, signed())).status).toBe(204);
    expect(calls).toBe(2);
  });

  test(
    verifies(
      'P-15',
      'of an id that another task has used handles it, so that a task cannot suppress events of another one',
    ),
    async () => {
      const { events, post } = receiver({ token: (taskId) => `for-${taskId}` });
      for (const taskId of ['mallory', 'alice', 'alice']) {
        const body = JSON.stringify({ statusUpdate: { taskId, contextId: 'c', status: STATUS } });
        const headers = { 'webhook-id': 'd-1', 'x-a2a-notification-token': `for-${taskId}` };
        expect((await post(body, headers)).status).toBe(204);
      }
      expect(events).toMatchObject([{ taskId: 'mallory' }, { taskId: 'alice' }]);
    },
  );

  test('with a store of its own for ids uses that store', async () => {
    const table = new Set(['["task-1","d-1"]']);
    const { events, post } = receiver({ secret: SECRET, seen: table as never });
    await post(BODY, signed());
    await post(BODY, signed(BODY, { id: 'd-2' }));
    expect(events.map(({ id }) => id)).toEqual(['d-2']);
    expect([...table]).toEqual(['["task-1","d-1"]', '["task-1","d-2"]']);
  });
});

describe('a webhook that gets a body', () => {
  const status = { state: 'completed' };
  const task03 = { kind: 'task', id: 'task-1', contextId: 'c', status, artifacts: [] };
  test.each([
    ['a status of 1.0', BODY, { type: 'status', state: 'working' }],
    ['a task of 1.0', { task: { id: 'task-1', status: STATUS } }, { type: 'task', state: 'working' }],
    [
      'an artifact of 1.0',
      { artifactUpdate: { taskId: 'task-1', contextId: 'c', artifact: { artifactId: 'a', parts: [{ text: 'hi' }] } } },
      { type: 'artifact', text: 'hi' },
    ],
    [
      'a message of 1.0',
      { message: { messageId: 'm', taskId: 'task-1', role: 'ROLE_AGENT', parts: [{ text: 'hi' }] } },
      { type: 'message', text: 'hi' },
    ],
    ['a task of 0.3', task03, { type: 'task', state: 'completed' }],
    [
      'a status of 0.3',
      { kind: 'status-update', taskId: 'task-1', contextId: 'c', status, final: true },
      { type: 'status', state: 'completed' },
    ],
    ['a task of 0.1', { id: 'task-1', sessionId: 's', status }, { type: 'task', state: 'completed' }],
    [
      'the example of 0.1',
      { eventType: 'taskUpdate', taskId: 'task-1', status: 'completed', summary: 'Done' },
      { type: 'status', state: 'completed' },
    ],
  ])('that is %s emits its event', async (_, body, expected) => {
    const { events, post } = receiver({ token: 'abc', expects: (taskId) => taskId === 'task-1' });
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    expect((await post(text, { 'x-a2a-notification-token': 'abc' })).status).toBe(204);
    expect(events).toMatchObject([expected]);
    expect(events[0]?.raw).toEqual(JSON.parse(text));
  });

  test.each([
    ['{', 400],
    ['', 400],
    ['[]', 400],
    ['null', 400],
    ['{}', 400],
    ['{"hello":"world"}', 400],
    ['{"statusUpdate":{"taskId":7,"status":{"state":"TASK_STATE_WORKING"}}}', 400],
    [`{"task":{"id":"${'x'.repeat(2000)}","status":{"state":"TASK_STATE_WORKING"}}}`, 413],
  ])('that is %s responds with %d', async (body, status) => {
    const { events, post } = receiver({ insecure: true, maxBodyBytes: 1000 });
    const response = await post(body);
    expect(response.status).toBe(status);
    if (status === 413) expect(await response.json()).toEqual({ error: 'The body has more than 1000 bytes' });
    expect(events).toEqual([]);
  });

  test('that deviates from the protocol emits its event with a warning', async () => {
    const { events, post } = receiver({ insecure: true });
    await post(JSON.stringify({ kind: 'status-update', taskId: 'task-1', status, final: true }));
    expect(events[0]?.warnings.length).toBeGreaterThan(0);
  });
});

test(
  verifies('P-16', 'a webhook responds to a task that it does not expect with 404, and accepts a repeat later'),
  async () => {
    const known = new Set<string>();
    const { events, post } = receiver({ secret: SECRET, expects: async (taskId) => known.has(taskId) });
    expect((await post(BODY, signed())).status).toBe(404);
    expect(events).toEqual([]);
    known.add('task-1');
    expect((await post(BODY, signed())).status).toBe(204);
    expect(events).toHaveLength(1);
  },
);

test.each(['GET', 'PUT', 'DELETE'])('a webhook responds to %s with 405', async (method) => {
  const { post } = receiver({ insecure: true });
  expect((await post('', {}, method)).status).toBe(405);
});

describe('fetchTask of a webhook event', () => {
  const task = { id: 'task-1', status: { state: 'TASK_STATE_WORKING' } } as const;
  const client = { get: async (taskId: string) => ({ ...task, id: taskId }) };

  test.each([
    ['a client', client],
    ['a function that returns a client', async () => client],
  ])('returns the task from %s', async (_, given) => {
    const { events, post } = receiver({ insecure: true, client: given });
    await post(BODY);
    expect(await events[0]?.fetchTask()).toEqual(task);
  });

  test('throws without a client', async () => {
    const { events, post } = receiver({ insecure: true });
    await post(BODY);
    await expect(events[0]?.fetchTask()).rejects.toThrow('a client');
  });
});

test.each([
  [{}, 'cannot authenticate senders'],
  [{ secrets: [] }, 'secrets: must not be empty'],
  [{ secrets: [], token: 'abc' }, 'secrets: must not be empty'],
  [{ secret: undefined as never, token: 'abc' }, 'secret: is undefined'],
  [{ token: undefined as never, secret: SECRET }, 'token: is undefined'],
  [{ keys: undefined as never, secret: SECRET }, 'keys: is undefined'],
  [{ keys: { keys: [] } }, 'audience: expected the absolute URL'],
  [{ keys: { keys: [] }, audience: 'me' }, 'audience: expected the absolute URL'],
  [{ jwks: 'https://a.example/jwks.json' }, 'audience: expected the absolute URL'],
  [{ jwks: 'http://keys.example/jwks.json', audience: false as const }, 'jwks: expected an https URL'],
  [{ jwks: '', audience: 'https://me.example/hook' }, 'jwks: expected the absolute URL'],
  [{ insecure: false }, 'cannot authenticate senders'],
  [{ secret: 'short' }, 'at least 16 bytes'],
  [{ secret: 'whsec_***' }, 'base64'],
  [{ token: '' }, 'token: must not be empty'],
  [{ token: ['a', ''] }, 'token: must not be empty'],
  [{ token: [] }, 'token: must not be empty'],
  [{ authorization: '' }, 'authorization: must not be empty'],
  [{ secret: SECRET, onEvent: undefined as never }, 'onEvent'],
  [{ secret: SECRET, expect: () => true }, 'expect: is not an option; did you mean expects?'],
])(verifies('P-17', 'createWebhookHandler rejects the options %j: %s'), (options, message) => {
  expect(() => receiver(options)).toThrow(message);
});
