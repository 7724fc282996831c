/** Metadata is kept and given back: what its names call a secret is in none of it. */
import { describe, expect, test } from 'vitest';
import { memoryStore } from '../../src/store/memory/store.ts';
import { verifies } from '../helpers/verifies.ts';
import { startServer } from './kit/server.ts';
import { RPC_1, VOICES } from './kit/voices.ts';
import { rpc } from './kit/voices/rpc.ts';

const SECRET = 'hunter2';

describe.each(VOICES)('$name', (voice) => {
  test(verifies('H-12', 'a secret in metadata is neither given back nor kept'), async () => {
    const store = memoryStore();
    const logged: unknown[] = [];
    const take = (...said: readonly unknown[]): void => void logged.push(said);
    const log = { info: take, warn: take, error: take };
    const { ask } = await startServer({ store, log });
    const metadata = { githubToken: SECRET, deep: [{ 'X-API-Key': SECRET }], color: 'red', maxTokens: 7 };

    const answer = await ask(voice.send({ text: 'about', metadata }));
    const sent = voice.sent(answer);
    const id = 'task' in sent ? sent.task.id : expect.fail('Expected a task');
    const got = await ask(voice.get(id));

    for (const { text } of [answer, got]) {
      expect(text).not.toContain(SECRET);
      expect(text).toContain('red');
      expect(text).toContain('7');
    }
    const { tasks } = await store.list({ tenant: '', owner: 'anonymous' }, { limit: 10, artifacts: true });
    expect(tasks).toHaveLength(1);
    expect(JSON.stringify([tasks, logged])).not.toContain(SECRET);
  });
});

const NAMES = [
  'authorization',
  'Cookie',
  'password',
  'client_secret',
  'apiKey',
  'access-key',
  'refreshToken',
  'passwords',
  'apiKeys',
  'accesstoken',
  'privatekey',
  'tokenValue',
  'passcode',
  'pass',
  'otp',
  'cardPin',
  'passwort',
  'ｐａｓｓｗｏｒｄ',
];

test.each(NAMES)('%s names a secret wherever it stands', async (name) => {
  const { ask } = await startServer();
  const metadata = { [name]: SECRET, list: [{ [name]: { user: 'ann', value: SECRET } }] };
  const message = {
    messageId: 'm',
    role: 'ROLE_USER',
    parts: [{ text: 'hello', metadata: { ...metadata, page: 1 } }, { text: 'plain' }],
    metadata,
  };
  const { task } = ((await ask(rpc('1.0', 'SendMessage', { message }))).json as { result: Result }).result;
  const hidden = { [name]: '[redacted]', list: [{ [name]: '[redacted]' }] };
  expect(task.history).toMatchObject([
    { parts: [{ text: 'hello', metadata: { ...hidden, page: 1 } }, { text: 'plain' }], metadata: hidden },
  ]);
});

test.each([
  ['Authorization: Bearer sk-123456789012345678', 'Authorization: Bearer [redacted]'],
  ['see ghp_0123456789012345678901234567890123456', 'see [redacted]'],
  ['-----BEGIN PRIVATE KEY-----\nMIIE', '[redacted]'],
  ['postgres://ann:hunter2@db/tasks', 'postgres://redacted@db/tasks'],
])('%s is one by its looks, whatever its name', async (value, hidden) => {
  const { ask } = await startServer();
  const metadata = { note: value, headers: [value] };
  const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hello', metadata }], metadata };
  const { task } = ((await ask(rpc('1.0', 'SendMessage', { message }))).json as { result: Result }).result;
  const seen = { note: hidden, headers: [hidden] };
  expect(task.history).toMatchObject([{ parts: [{ metadata: seen }], metadata: seen }]);
});

interface Result {
  readonly task: { readonly history: readonly unknown[] };
}

test('what only looks like one stays', async () => {
  const { ask } = await startServer();
  const metadata = {
    'https://example.com/extensions/auth': { level: 2 },
    usage: { inputTokens: 12, tokens: 3, maxTokens: 'unlimited' },
    sessionId: 's-1',
    idempotencyKey: 'i-1',
    nextPageToken: 'p2',
    key: 'a-minor',
    password: null,
    author: 'Ann',
  };
  const sent = await ask(RPC_1.send({ text: 'about', metadata }));
  expect(sent.json).toMatchObject({ result: { task: { artifacts: [{ parts: [{ data: { metadata } }] }] } } });
});

test('a number in metadata is redacted under the name of a secret, and kept under the name of a count', async () => {
  const { ask } = await startServer();
  const sent = await ask(RPC_1.send({ text: 'about', metadata: { token: 123_456, pin: 1234, outputTokens: 7 } }));
  const metadata = { token: '[redacted]', pin: '[redacted]', outputTokens: 7 };
  expect(sent.json).toMatchObject({ result: { task: { artifacts: [{ parts: [{ data: { metadata } }] }] } } });
});
