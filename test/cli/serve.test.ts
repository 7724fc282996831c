import { once } from 'node:events';
import { linkSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { verifies } from '../helpers/verifies.ts';
import { addressOf, projectWith, ROOT, tandem, TIMEOUT_MS } from './program.ts';

const IMPORT = `import { agent } from 'tandem-a2a/server';\n`;
const ECHO = `agent({ name: 'Echo', description: 'Says it again.', run: async ({ text }) => text })`;
const FILE = { 'echo.mjs': `${IMPORT}export default ${ECHO};` };
const ANYWHERE = ['--port', '0', '--store', 'memory'];

async function ask(url: string, text: string): Promise<unknown> {
  const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }] };
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${url}/message:send`, { method: 'POST', headers, body: JSON.stringify({ message }) });
  const { task } = (await response.json()) as { task: { artifacts: { parts: unknown[] }[] } };
  return task.artifacts[0]?.parts[0];
}

test.each([
  ['its default export', 'echo.mjs', `${IMPORT}export default ${ECHO};`],
  ['its only agent', 'echo.mjs', `${IMPORT}export const echo = ${ECHO};\nexport const answer = 42;`],
  ['the default one of several', 'echo.mjs', `${IMPORT}export const other = ${ECHO};\nexport default ${ECHO};`],
  ['what a CommonJS file is', 'echo.js', `const { agent } = require('tandem-a2a/server');\nmodule.exports = ${ECHO};`],
  ['what a CommonJS file has', 'echo.js', `exports.echo = require('tandem-a2a/server').${ECHO};`],
])(
  'a file is served by %s',
  async (_, file, text) => {
    const server = tandem(['serve', file, ...ANYWHERE], { cwd: projectWith({ [file]: text }) });
    const url = await addressOf(server);
    expect(await ask(url, 'Good morning')).toEqual({ text: 'Good morning' });
    expect(server.stdout).toBe(`${url}/.well-known/agent-card.json\n`);
    expect(server.stderr).toContain(`Echo is at ${url}, its tasks are kept in memory.`);
  },
  TIMEOUT_MS,
);

const TYPED = { 'echo.ts': `${IMPORT}const name: string = 'Echo';\nexport default ${ECHO.replace(`'Echo'`, 'name')};` };
const NEEDS_TSX = !(process.features as { typescript?: unknown }).typescript;

test('a TypeScript file is served with tsx', { timeout: TIMEOUT_MS }, async () => {
  const cwd = projectWith(TYPED);
  symlinkSync(join(ROOT, 'node_modules/tsx'), join(cwd, 'node_modules/tsx'), 'junction');
  const server = tandem(['serve', 'echo.ts', ...ANYWHERE], { cwd });
  expect(await ask(await addressOf(server), 'typed')).toEqual({ text: 'typed' });
});

test('a TypeScript file is served without tsx, or the way to it is told', { timeout: TIMEOUT_MS }, async () => {
  const server = tandem(['serve', 'echo.ts', ...ANYWHERE], { cwd: projectWith(TYPED) });
  if (!NEEDS_TSX) expect(await ask(await addressOf(server), 'typed')).toEqual({ text: 'typed' });
  else {
    const stderr = 'tandem: echo.ts needs Node 22.18 or newer to read TypeScript, or tsx: npm install tsx\n';
    expect(await server.ended).toMatchObject({ code: 2, stdout: '', stderr });
  }
});

test.each([
  [
    'no agent',
    'export const answer = 42;',
    'echo.mjs exports no agent: give it a line like export default agent({ … })',
  ],
  [
    'two agents',
    `${IMPORT}export const a = ${ECHO};\nexport const b = ${ECHO};`,
    'echo.mjs exports several agents (a, b): make the one to serve its default export',
  ],
  // A file that serves itself must not keep us waiting for its end.
  [
    'no agent, but its own life',
    'setInterval(() => {}, 1000);',
    'echo.mjs exports no agent: give it a line like export default agent({ … })',
  ],
])(
  'a file with %s is refused in a sentence',
  async (_, text, sentence) => {
    const server = tandem(['serve', 'echo.mjs', ...ANYWHERE], { cwd: projectWith({ 'echo.mjs': text }) });
    expect(await server.ended).toMatchObject({ code: 2, stdout: '', stderr: `tandem: ${sentence}\n` });
  },
  TIMEOUT_MS,
);

test('a file that breaks says where', { timeout: TIMEOUT_MS }, async () => {
  const cwd = projectWith({ 'echo.mjs': `\nthrow new Error('No key');` });
  const { code, stderr } = await tandem(['serve', 'echo.mjs', ...ANYWHERE], { cwd }).ended;
  expect(code).toBe(1);
  expect(stderr).toContain('tandem: echo.mjs cannot be loaded: Error: No key');
  expect(stderr).toContain('echo.mjs:2:7');
});

test('a port that is in use is named', { timeout: TIMEOUT_MS }, async () => {
  const other = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void other.close());
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const options = { cwd: projectWith(FILE), env: { PORT: String(port) } };
  expect(await tandem(['serve', 'echo.mjs', '--store', 'memory'], options).ended).toMatchObject({
    code: 1,
    stdout: '',
    stderr: `tandem: Port ${port} is in use: choose another with --port, or --port 0 for any that is free\n`,
  });
});

test('a store that another process has is named, and free when that has stopped', { timeout: TIMEOUT_MS }, async () => {
  const cwd = projectWith(FILE);
  const args = ['serve', 'echo.mjs', '--port', '0', '--store', 'own.db'];
  const first = tandem(args, { cwd });
  expect(await ask(await addressOf(first), 'one')).toEqual({ text: 'one' });

  const refused = await tandem(args, { cwd }).ended;
  expect([refused.code, refused.stdout]).toEqual([1, '']);
  expect(refused.stderr).toMatch(/^tandem: \S*own\.db is in use by another process: stop it, or give .* own\n$/);

  expect((await first.kill('SIGTERM')).code).toBe(0);
  expect(await ask(await addressOf(tandem(args, { cwd })), 'two')).toEqual({ text: 'two' });
});

test('a store that another process has by another hard link is refused', { timeout: TIMEOUT_MS }, async () => {
  const cwd = projectWith(FILE);
  const first = tandem(['serve', 'echo.mjs', '--port', '0', '--store', 'own.db'], { cwd });
  expect(await ask(await addressOf(first), 'one')).toEqual({ text: 'one' });
  linkSync(join(cwd, 'own.db'), join(cwd, 'other.db'));

  const args = ['serve', 'echo.mjs', '--port', '0', '--store', 'other.db'];
  const refused = await tandem(args, { cwd }).ended;
  expect([refused.code, refused.stdout]).toEqual([1, '']);
  expect(refused.stderr).toMatch(
    /^tandem: \S*other\.db has 2 hard links and is in use by another process: stop it, or /,
  );
  expect(await ask(await addressOf(first), 'two')).toEqual({ text: 'two' });

  expect((await first.kill('SIGTERM')).code).toBe(0);
  const second = tandem(args, { cwd });
  expect(await ask(await addressOf(second), 'three')).toEqual({ text: 'three' });
  expect(second.stderr).toContain('"msg":"The SQLite file has several hard links.');
});

test('a server whose store was deleted acknowledges nothing more', { timeout: TIMEOUT_MS }, async () => {
  const cwd = projectWith(FILE);
  const server = tandem(['serve', 'echo.mjs', '--port', '0', '--store', 'own.db'], { cwd });
  const url = await addressOf(server);
  expect(await ask(url, 'one')).toEqual({ text: 'one' });
  for (const end of ['', '-wal', '-shm']) rmSync(join(cwd, `own.db${end}`));

  // With the next heartbeat, whether or not anybody asks whether it is ready.
  await server.told(/A file of the SQLite store was deleted or replaced/);
  for (let i = 0; i < 5; i++) expect((await start(url)).status).toBe(503);
  expect((await fetch(`${url}/readyz`)).status).toBe(503);
});

test('a store that cannot be opened is named', { timeout: TIMEOUT_MS }, async () => {
  const options = { cwd: projectWith(FILE) };
  const { code, stderr } = await tandem(['serve', 'echo.mjs', '--port', '0', '--store', 'no/such.db'], options).ended;
  expect(code).toBe(1);
  expect(stderr).toMatch(/^tandem: \S*such\.db cannot be opened: check that its folder exists and can be written\n$/);
});

test('a public address that cannot be one is refused in a sentence', { timeout: TIMEOUT_MS }, async () => {
  const args = ['serve', 'echo.mjs', ...ANYWHERE, '--public-url', 'https://echo.example/?agent=1', '--token', 'sesame'];
  expect(await tandem(args, { cwd: projectWith(FILE) }).ended).toMatchObject({
    code: 2,
    stdout: '',
    stderr: 'tandem: --public-url must end with its host or path, without a query\n',
  });
});

test('the card names the public address', { timeout: TIMEOUT_MS }, async () => {
  const args = ['serve', 'echo.mjs', ...ANYWHERE, '--public-url', 'https://echo.example/agent/', '--token', 'sesame'];
  const url = await addressOf(tandem(args, { cwd: projectWith(FILE) }));
  const card = await (await fetch(`${url}/.well-known/agent-card.json`)).json();
  expect(card).toMatchObject({ supportedInterfaces: [{ url: 'https://echo.example/agent/a2a' }, {}, {}, {}] });
});

test.each([
  ['a token', ['--token', 'sesame'], {}, 'sesame', 200],
  ['a token of the environment', [], { TANDEM_TOKEN: 'sesame' }, 'sesame', 200],
  ['another token', [], { TANDEM_TOKEN: 'sesame', A2A_SECRET: 'shared' }, 'other', 401],
  ['the A2A_API_KEY of the environment', [], { A2A_API_KEY: 'sesame' }, 'sesame', 200],
  ['TANDEM_TOKEN before A2A_API_KEY', [], { TANDEM_TOKEN: 'sesame', A2A_API_KEY: 'other' }, 'other', 401],
  ['no token', ['--insecure-public'], {}, undefined, 200],
])(
  'others are let in with %s',
  async (_, more, env, token, status) => {
    const args = ['serve', 'echo.mjs', ...ANYWHERE, '--host', '0.0.0.0', ...more];
    const server = tandem(args, { cwd: projectWith(FILE), env });
    const url = await addressOf(server);
    const body = JSON.stringify({ message: { messageId: '1', role: 'ROLE_USER', parts: [{ text: 'hi' }] } });
    const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
    expect((await fetch(`${url}/message:send`, { method: 'POST', headers, body })).status).toBe(status);
    expect(server.stderr).not.toContain('sesame');
  },
  TIMEOUT_MS,
);

test('tandem serve listens at BIND_HOST unless --host is given', { timeout: TIMEOUT_MS }, async () => {
  const cwd = projectWith(FILE);
  const env = { BIND_HOST: '0.0.0.0' };
  const args = ['serve', 'echo.mjs', ...ANYWHERE];
  const sentence = 'At 0.0.0.0 others can reach the agent: set TANDEM_TOKEN or A2A_SECRET';
  expect(await tandem(args, { cwd, env }).ended).toMatchObject({
    code: 2,
    stderr: `tandem: ${sentence}, or give --insecure-public for everybody\n`,
  });
  expect(await tandem(args, { cwd, env: { BIND_HOST: 'a host' } }).ended).toMatchObject({ code: 2 });

  const local = tandem([...args, '--host', '127.0.0.1'], { cwd, env });
  expect(await ask(await addressOf(local), 'hi')).toEqual({ text: 'hi' });
});

test(
  'tandem demo needs no key and listens on this machine, whatever the environment has',
  { timeout: TIMEOUT_MS },
  async () => {
    const env = { A2A_SECRET: 'a-secret-of-more-than-32-characters', A2A_API_KEY: 'sesame', BIND_HOST: '0.0.0.0' };
    const url = await addressOf(tandem(['demo', '--port', '0', '--store', 'memory'], { env }));
    expect((await fetch(`${url}/tasks`)).status).toBe(200);
  },
);

test('in production nobody is let in without a token, also on this machine', { timeout: TIMEOUT_MS }, async () => {
  const env = { NODE_ENV: 'production' };
  const server = tandem(['serve', 'echo.mjs', ...ANYWHERE], { cwd: projectWith(FILE), env });
  const answer = await fetch(`${await addressOf(server)}/tasks`);
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
  expect(server.stderr).toContain('set TANDEM_TOKEN or A2A_SECRET, or give --insecure-public for everybody');

  const demo = tandem(['demo', '--port', '0', '--store', 'memory'], { env });
  const url = await addressOf(demo);
  expect((await fetch(`${url}/tasks/any`)).status).toBe(404);
  expect((await fetch(`${url}/tasks`)).status).toBe(403);
});

/** Runs until it is aborted, and then a little longer than anybody waits. */
const STUBBORN = {
  'stubborn.mjs': `${IMPORT}export default agent({ name: 'Stubborn', description: 'Does not listen.', async *run() {
    yield { status: 'working' };
    await new Promise((resolve) => setTimeout(resolve, 60_000));
  } });`,
};

async function start(url: string): Promise<Response> {
  const message = { messageId: '1', role: 'ROLE_USER', parts: [{ text: 'go' }] };
  const body = JSON.stringify({ message, configuration: { returnImmediately: true } });
  return fetch(`${url}/message:send`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
}

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)(
  '%s stops gracefully, another one at once',
  async (signal, code) => {
    const server = tandem(['serve', 'stubborn.mjs', ...ANYWHERE], { cwd: projectWith(STUBBORN) });
    await start(await addressOf(server));
    server.child.kill(signal);
    await server.told(/Stopping\./);
    // One that follows at once may be the same press of a key, so a single one is not enough.
    const again = setInterval(() => server.child.kill(signal), 50);
    onTestFinished(() => clearInterval(again));
    expect(await server.ended).toMatchObject({ code, signal: null });
  },
  TIMEOUT_MS,
);

test.each(['SIGINT', 'SIGTERM'] as const)(
  '%s to a server that has nothing to do ends it well',
  async (signal) => {
    const server = tandem(['serve', 'echo.mjs', ...ANYWHERE], { cwd: projectWith(FILE) });
    await addressOf(server);
    expect(await server.kill(signal)).toMatchObject({ code: 0, signal: null });
  },
  TIMEOUT_MS,
);

const SECRET = 'abc123def456ghi';
const FAILING = {
  'agent.mjs': `${IMPORT}export default agent({ name: 'Failing', description: 'Fails.', run() { throw new Error('Bearer ${SECRET}'); } });`,
};

async function failed(...flags: readonly string[]): Promise<string> {
  const server = tandem(['serve', 'agent.mjs', ...ANYWHERE, '--insecure-public', ...flags], {
    cwd: projectWith(FAILING),
  });
  const message = { messageId: '1', role: 'ROLE_USER', parts: [{ text: 'go' }] };
  const headers = { 'content-type': 'application/json' };
  const url = await addressOf(server);
  await fetch(`${url}/message:send`, { method: 'POST', headers, body: JSON.stringify({ message }) });
  server.child.kill('SIGTERM');
  return (await server.ended).stderr;
}

test(
  verifies(['E-11', 'H-13'], 'what goes wrong is a line of JSON where nobody looks, without secrets'),
  { timeout: TIMEOUT_MS },
  async () => {
    const lines = (await failed())
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);

    expect(lines).toMatchObject([
      { level: 'info', msg: expect.stringContaining('Failing is at ') as unknown },
      {
        level: 'error',
        msg: 'A handler failed',
        agent: 'failing',
        taskId: expect.any(String) as unknown,
        err: { type: 'Error', message: 'Error: Bearer [redacted]' },
      },
      { level: 'info', msg: expect.stringContaining('Stopping.') as unknown },
    ]);
    expect(JSON.stringify(lines)).not.toContain(SECRET);
  },
);

test.each([
  [
    ['--log', 'pretty'],
    /^Failing is at .*\ntandem error: A handler failed\n {4}Error: Bearer \[redacted\]\n {8}at .*agent\.[^]*\n {4}taskId=".*\nStopping/,
  ],
  [['--log', 'silent'], /^$/],
])(
  'the log is %j',
  async (flags, pattern) => {
    expect(await failed(...flags)).toMatch(pattern);
  },
  TIMEOUT_MS,
);

test.each([
  [['--log', 'xml'], '--log must be json, pretty or silent, not xml'],
  [['--log-level', 'loud'], '--log-level must be info, warn, error, not loud'],
])(
  '%j is refused',
  async (flags, sentence) => {
    const { code, stderr } = await tandem(['serve', 'agent.mjs', ...flags], { cwd: projectWith(FAILING) }).ended;
    expect([code, stderr]).toEqual([2, `tandem: ${sentence}\n`]);
  },
  TIMEOUT_MS,
);

test('--cors-origin lets pages of that origin call', { timeout: TIMEOUT_MS }, async () => {
  const cwd = projectWith(FILE);
  const args = [
    'serve',
    'echo.mjs',
    ...ANYWHERE,
    '--cors-origin',
    'https://a.example',
    '--cors-origin',
    'https://b.example',
  ];
  const url = await addressOf(tandem(args, { cwd }));
  const allowed = async (origin: string): Promise<string | null> => {
    const headers = { origin, 'access-control-request-method': 'POST' };
    const response = await fetch(`${url}/a2a`, { method: 'OPTIONS', headers });
    return response.headers.get('access-control-allow-origin');
  };
  expect(await allowed('https://b.example')).toBe('https://b.example');
  expect(await allowed('https://c.example')).toBeNull();

  const { code, stderr } = await tandem(['serve', 'echo.mjs', ...ANYWHERE, '--cors-origin', '*'], { cwd }).ended;
  expect(code).toBe(2);
  expect(stderr).toContain("tandem: --cors-origin can be '*' only with auth or insecurePublic");
});

test('--metrics shows numbers to this machine', { timeout: TIMEOUT_MS }, async () => {
  const server = tandem(['serve', 'echo.mjs', ...ANYWHERE, '--metrics'], { cwd: projectWith(FILE) });
  const response = await fetch(`${await addressOf(server)}/metrics`);
  expect(await response.text()).toContain('tandem_runs{agent="echo"} 0');
});

test.each([
  [['--host', '0.0.0.0'], true],
  [['--trust-proxy'], true],
  [['--host', '0.0.0.0', '--public-url', 'https://echo.example'], false],
  [[], false],
])(
  'with A2A_SECRET and %j it is warned of an unknown address: %s',
  async (flags, isWarned) => {
    const options = { cwd: projectWith(FILE), env: { A2A_SECRET: 'a-secret-of-more-than-32-characters' } };
    const server = tandem(['serve', 'echo.mjs', ...ANYWHERE, ...flags], options);
    await addressOf(server);
    expect(server.stderr.includes('without --public-url it refuses tokens')).toBe(isWarned);
  },
  TIMEOUT_MS,
);

test('--push lets callers be told, --trust-proxy believes who stands in front', { timeout: TIMEOUT_MS }, async () => {
  const args = ['serve', 'echo.mjs', ...ANYWHERE, '--push', '--trust-proxy', '--insecure-public'];
  const url = await addressOf(tandem(args, { cwd: projectWith(FILE) }));
  const headers = { 'x-forwarded-host': 'echo.example', 'x-forwarded-proto': 'https' };
  const card: unknown = await (await fetch(`${url}/.well-known/agent-card.json`, { headers })).json();
  expect(card).toMatchObject({ url: 'https://echo.example/a2a', capabilities: { pushNotifications: true } });
});

test(
  '--profile mounts a profile, as often as it is given, and --rpc-path moves JSON-RPC',
  { timeout: TIMEOUT_MS },
  async () => {
    const flags = ['--profile', 'agent-native', '--profile', 'corvid', '--rpc-path', '/rpc'];
    const url = await addressOf(tandem(['serve', 'echo.mjs', ...ANYWHERE, ...flags], { cwd: projectWith(FILE) }));
    const post = (path: string, body: unknown) =>
      fetch(url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const message = { role: 'user', messageId: 'm', parts: [{ kind: 'text', text: 'hi' }] };
    const send = { jsonrpc: '2.0', id: 1, method: 'message/send', params: { message } };
    const statuses = await Promise.all(
      ['/_agent-native/a2a', '/rpc', '/a2a', '/api/a2a'].map(async (path) => (await post(path, send)).status),
    );
    expect(statuses).toEqual([200, 200, 404, 404]);
    expect((await post('/a2a/tasks/send', { message: 'hi' })).status).toBe(200);
    const card = (await (await fetch(`${url}/.well-known/agent-card.json`)).json()) as { readonly url: string };
    expect(card.url).toBe(`${url}/rpc`);
  },
);

test.each([
  [['--profile', 'agentnative'], '--profile must be "rxjs" or "agent-native" or "corvid"'],
  [['--rpc-path', 'a2a'], '--rpc-path must be a path such as "/a2a"'],
])('%j is refused in a sentence', { timeout: TIMEOUT_MS }, async (flags, sentence) => {
  const server = tandem(['serve', 'echo.mjs', ...ANYWHERE, ...flags], { cwd: projectWith(FILE) });
  const { code, stderr } = await server.ended;
  expect([code, stderr]).toEqual([2, expect.stringContaining(sentence)]);
});
