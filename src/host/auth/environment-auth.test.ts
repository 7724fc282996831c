import { SignJWT } from 'jose';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { connect } from '../../client/connect.ts';
import { consoleLog } from '../../observe/console-log.ts';
import { silentLog } from '../../observe/log.ts';
import { memoryStore } from '../../store/memory/store.ts';
import { agent } from '../../agent/agent.ts';
import { createHandler } from '../../server/handler.ts';
import type { HandlerOptions } from '../../server/options/handler-options.ts';
import { bearerTokens } from './bearer-tokens.ts';

const SECRET = 'a-secret-of-more-than-32-characters';
const WHO = agent({ name: 'Who', description: 'Names its caller.', run: ({ caller }) => caller.id });
const NAMES = ['NODE_ENV', 'A2A_SECRET', 'A2A_API_KEY'];

beforeEach(() => {
  for (const name of NAMES) vi.stubEnv(name, '');
  onTestFinished(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });
});

function handlerOf(options: HandlerOptions) {
  const handler = createHandler(WHO, { store: memoryStore(), log: silentLog, ...options });
  onTestFinished(() => handler.close({ finishMs: 0 }));
  return handler;
}

/** The id of the caller, or the status of the error. */
async function callerOf(options: HandlerOptions, token?: string): Promise<string | number> {
  const headers = {
    'content-type': 'application/json',
    'a2a-version': '1.0',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
  const body = JSON.stringify({ message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'who' }] } });
  const request = new Request('https://agent.example/message:send', { method: 'POST', headers, body });
  const response = await handlerOf(options).fetch(request);
  if (response.status !== 200) return response.status;
  const { task } = (await response.json()) as { task: { artifacts: { parts: { text: string }[] }[] } };
  return task.artifacts[0]?.parts[0]?.text ?? '';
}

function jwt(): Promise<string> {
  return new SignJWT({})
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject('ann@example.com')
    .setExpirationTime('1h')
    .sign(new TextEncoder().encode(SECRET));
}

test('a handler without auth accepts JWTs signed with A2A_SECRET, and no anonymous caller', async () => {
  vi.stubEnv('A2A_SECRET', SECRET);
  expect(await callerOf({}, await jwt())).toBe('shared#ann@example.com');
  expect(await callerOf({})).toBe(401);
});

test.each<[string, HandlerOptions, string | number]>([
  ['auth: false', { auth: false }, 'anonymous'],
  ['insecurePublic', { insecurePublic: true }, 'anonymous'],
  ['other authenticators', { auth: bearerTokens({ bob: 'token-of-bob' }) }, 401],
])('A2A_SECRET is ignored with %s', async (_, options, expected) => {
  vi.stubEnv('A2A_SECRET', SECRET);
  expect(await callerOf(options, await jwt())).toBe(expected);
});

test('connect(agent) needs no credentials if A2A_SECRET is set', async () => {
  vi.stubEnv('A2A_SECRET', SECRET);
  const client = await connect(WHO);
  onTestFinished(() => client.close());
  expect(await client.ask('who')).toBe('anonymous');
});

test('a handler with apiKeyEnv accepts the value of that variable as a bearer token', async () => {
  vi.stubEnv('A2A_API_KEY', 'sesame');
  const options = { apiKeyEnv: 'A2A_API_KEY' };
  expect(await callerOf(options, 'sesame')).toBe('A2A_API_KEY');
  expect(await callerOf(options, 'other')).toBe(401);
  expect(await callerOf(options)).toBe(401);

  const response = await handlerOf(options).fetch(new Request('https://agent.example/.well-known/agent-card.json'));
  expect(await response.json()).toMatchObject({
    securitySchemes: { apiKey: { type: 'http', scheme: 'Bearer' } },
    security: [{ apiKey: [] }],
  });
});

test('A2A_API_KEY is ignored without apiKeyEnv', async () => {
  vi.stubEnv('A2A_API_KEY', 'sesame');
  expect(await callerOf({}, 'sesame')).toBe('anonymous');
});

test('a handler with apiKeyEnv also accepts JWTs signed with A2A_SECRET, and tokens of auth', async () => {
  vi.stubEnv('A2A_API_KEY', 'sesame');
  vi.stubEnv('A2A_SECRET', SECRET);
  expect(await callerOf({ apiKeyEnv: 'A2A_API_KEY' }, await jwt())).toBe('shared#ann@example.com');
  expect(await callerOf({ apiKeyEnv: 'A2A_API_KEY' }, 'sesame')).toBe('A2A_API_KEY');

  const both = { apiKeyEnv: 'A2A_API_KEY', auth: bearerTokens({ bob: 'token-of-bob' }) };
  expect(await callerOf(both, 'token-of-bob')).toBe('bob');
  expect(await callerOf(both, 'sesame')).toBe('A2A_API_KEY');
  expect(await callerOf(both, await jwt())).toBe(401);
});

test('a missing API key is an error at the start, and 503 for every caller in production', async () => {
  expect(() => createHandler(WHO, { apiKeyEnv: 'A2A_API_KEY' })).toThrow(
    'apiKeyEnv: names A2A_API_KEY, which is not set in the environment',
  );
  vi.stubEnv('NODE_ENV', 'production');
  expect(await callerOf({ apiKeyEnv: 'A2A_API_KEY' })).toBe(503);
  expect(await callerOf({ apiKeyEnv: 'A2A_API_KEY' }, 'sesame')).toBe(503);
});

test('a missing API key is a warning if callers can authenticate in another way', async () => {
  const warn = vi.spyOn(consoleLog, 'warn').mockImplementation(() => {});
  vi.stubEnv('A2A_SECRET', SECRET);
  expect(await callerOf({ apiKeyEnv: 'A2A_API_KEY' }, await jwt())).toBe('shared#ann@example.com');
  expect(await callerOf({ apiKeyEnv: 'A2A_API_KEY' }, '')).toBe(401);
  expect(warn).toHaveBeenCalledWith('Environment variable of apiKeyEnv is not set; API keys are rejected', {
    variable: 'A2A_API_KEY',
  });
});

test.each<[unknown, string]>([
  [
    { apiKeyEnv: 'sk-5f0c' },
    'apiKeyEnv: expected the name of an environment variable such as "A2A_API_KEY", not the key',
  ],
  [{ apiKeyEnv: '' }, 'apiKeyEnv: expected the name of an environment variable such as "A2A_API_KEY", not the key'],
  [{ apiKeyEnv: 'A2A_API_KEY', auth: false }, 'apiKeyEnv: must not be set if auth is false'],
  [
    { apiKeyEnv: 'A2A_API_KEY' },
    'apiKeyEnv: names A2A_API_KEY, whose value must contain only visible ASCII characters',
  ],
])('%j is rejected at the start, without the key in the error', (options, fault) => {
  vi.stubEnv('A2A_API_KEY', 'two words');
  expect(() => createHandler(WHO, options as HandlerOptions)).toThrow(
    new TypeError(`Invalid options for createHandler():\n  - ${fault}`),
  );
});
