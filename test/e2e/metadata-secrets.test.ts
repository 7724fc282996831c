/** Secrets in metadata are redacted before the metadata is stored or returned. */
import { describe, expect, test } from 'vitest';
import { memoryStore } from '../../src/store/memory/store.ts';
import { verifies } from '../helpers/verifies.ts';
import { startServer } from './kit/server.ts';
import { RPC_1, WIRE_FORMATS } from './kit/wire-formats.ts';
import { rpc } from './kit/wire-formats/rpc.ts';

const SECRET = 'hunter2';

describe.each(WIRE_FORMATS)('$name', (format) => {
  test(verifies('H-12', 'a secret in metadata is in no response, log line or stored record'), async () => {
    const store = memoryStore();
    const logged: unknown[] = [];
    const take = (...fields: readonly unknown[]): void => void logged.push(fields);
    const log = { info: take, warn: take, error: take };
    const { ask } = await startServer({ store, log });
    const metadata = { githubToken: SECRET, deep: [{ 'X-API-Key': SECRET }], color: 'red', maxTokens: 7 };

    const answer = await ask(format.send({ text: 'about', metadata }));
    const sent = format.sent(answer);
    const id = 'task' in sent ? sent.task.id : expect.fail('Expected a task');
    const got = await ask(format.get(id));

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

test.each(NAMES)('the value of %s is redacted at every level of the metadata of messages and parts', async (name) => {
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
])('the value %s is redacted under any name', async (value, hidden) => {
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

test('names and values that are similar to secrets are kept', async () => {
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
