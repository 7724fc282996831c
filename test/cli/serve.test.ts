import { once } from 'node:events';
import { linkSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { addressOf, projectWith, ROOT, tandem, TIMEOUT_MS } from './program.ts';

const IMPORT = `import { agent } from 'tandem-a2a/server';\n`;
const ECHO = `agent({ name: 'Echo', description: 'Repeats the message.', run: async ({ text }) => text })`;
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
  ['the default export', 'echo.mjs', `${IMPORT}export default ${ECHO};`],
  ['the only agent among its exports', 'echo.mjs', `${IMPORT}export const echo = ${ECHO};\nexport const answer = 42;`],
  [
    'the default export of several agents',
    'echo.mjs',
    `${IMPORT}export const other = ${ECHO};\nexport default ${ECHO};`,
  ],
  [
    'module.exports of a CommonJS file',
    'echo.js',
    `const { agent } = require('tandem-a2a/server');\nmodule.exports = ${ECHO};`,
  ],
  ['a named export of a CommonJS file', 'echo.js', `exports.echo = require('tandem-a2a/server').${ECHO};`],
])(
  'tandem serve serves %s',
  async (_, file, text) => {
    const server = tandem(['serve', file, ...ANYWHERE], { cwd: projectWith({ [file]: text }) });
    const url = await addressOf(server);
    expect(await ask(url, 'Good morning')).toEqual({ text: 'Good morning' });
    expect(server.stdout).toBe(`${url}/.well-known/agent-card.json\n`);
    expect(server.stderr).toContain(`Echo is at ${url}. Tasks are stored in memory.`);
  },
  TIMEOUT_MS,
);

test('two agents of one folder are served side by side, each with its own file', { timeout: TIMEOUT_MS }, async () => {
  const other = ECHO.replace('Echo', 'Other');
  const cwd = projectWith({ ...FILE, 'other.mjs': `${IMPORT}export default ${other};` });
  const servers = ['echo.mjs', 'other.mjs'].map((file) => tandem(['serve', file, '--port', '0'], { cwd }));
  for (const server of servers) expect(await ask(await addressOf(server), 'both')).toEqual({ text: 'both' });
  expect(servers.map(({ stderr }) => /Tasks are stored in (\S+)\./.exec(stderr)?.[1])).toEqual([
    '.tandem/echo.db',
    '.tandem/other.db',
  ]);
});

test('the agents of several files are served together, each at its id', { timeout: TIMEOUT_MS }, async () => {
  const other = ECHO.replace('Echo', 'Other').replace('=> text', '=> `Other: ${text}`');
  const cwd = projectWith({ ...FILE, 'other.mjs': `${IMPORT}export default ${other};` });
  const server = tandem(['serve', 'echo.mjs', 'other.mjs', '--port', '0'], { cwd });
  const [, url = ''] = await server.said(/^(http:\S+)\/a\/other\/\.well-known\/agent-card\.json$/m);

  expect(await ask(`${url}/a/echo`, 'Good morning')).toEqual({ text: 'Good morning' });
  expect(await ask(`${url}/a/other`, 'Good morning')).toEqual({ text: 'Other: Good morning' });
  expect(server.stdout).toBe(['echo', 'other'].map((id) => `${url}/a/${id}/.well-known/agent-card.json\n`).join(''));
  expect(server.stderr).toContain(`Echo and Other are at ${url}. Tasks are stored in .tandem/_agents.db.`);
});

test('two files whose agents have the same id are rejected with the names of the files', async () => {
  const cwd = projectWith({ ...FILE, 'copy.mjs': FILE['echo.mjs'] });
  const { code, stderr } = await tandem(['serve', 'echo.mjs', 'copy.mjs', ...ANYWHERE], { cwd }).ended;
  const problem = 'The agents of echo.mjs and copy.mjs have the same id, echo: give one another name, or set its id';
  expect({ code, stderr }).toEqual({ code: 2, stderr: `tandem: ${problem}\n` });
});

const TYPED = { 'echo.ts': `${IMPORT}const name: string = 'Echo';\nexport default ${ECHO.replace(`'Echo'`, 'name')};` };
const NEEDS_TSX = !(process.features as { typescript?: unknown }).typescript;

test('tandem serve loads a TypeScript file with tsx', { timeout: TIMEOUT_MS }, async () => {
  const cwd = projectWith(TYPED);
  symlinkSync(join(ROOT, 'node_modules/tsx'), join(cwd, 'node_modules/tsx'), 'junction');
  const server = tandem(['serve', 'echo.ts', ...ANYWHERE], { cwd });
  expect(await ask(await addressOf(server), 'typed')).toEqual({ text: 'typed' });
});

test(
  'without tsx a TypeScript file is served, or on older versions of Node the error recommends tsx',
  { timeout: TIMEOUT_MS },
  async () => {
    const server = tandem(['serve', 'echo.ts', ...ANYWHERE], { cwd: projectWith(TYPED) });
    if (!NEEDS_TSX) expect(await ask(await addressOf(server), 'typed')).toEqual({ text: 'typed' });
    else {
      const stderr = 'tandem: echo.ts is TypeScript, which needs Node 22.18 or newer, or tsx: npm install tsx\n';
      expect(await server.ended).toMatchObject({ code: 2, stdout: '', stderr });
    }
  },
);

test.each([
  [
    'no agent',
    'export const answer = 42;',
    'echo.mjs does not export an agent: add a line such as export default agent({ … })',
  ],
  [
    'two agents',
    `${IMPORT}export const a = ${ECHO};\nexport const b = ${ECHO};`,
    'echo.mjs exports several agents (a, b): make one of them the default export',
  ],
  // A file that keeps its process alive must not delay the error.
  [
    'no agent and a running timer',
    'setInterval(() => {}, 1000);',
    'echo.mjs does not export an agent: add a line such as export default agent({ … })',
  ],
])(
  'a file with %s is rejected with one sentence',
  async (_, text, sentence) => {
    const server = tandem(['serve', 'echo.mjs', ...ANYWHERE], { cwd: projectWith({ 'echo.mjs': text }) });
    expect(await server.ended).toMatchObject({ code: 2, stdout: '', stderr: `tandem: ${sentence}\n` });
  },
  TIMEOUT_MS,
);

test('the error of a file that throws while it loads has the line', { timeout: TIMEOUT_MS }, async () => {
  const cwd = projectWith({ 'echo.mjs': `\nthrow new Error('No key');` });
  const { code, stderr } = await tandem(['serve', 'echo.mjs', ...ANYWHERE], { cwd }).ended;
  expect(code).toBe(1);
  expect(stderr).toContain('tandem: echo.mjs cannot be loaded: Error: No key');
  expect(stderr).toContain('echo.mjs:2:7');
});

test(
  'the error of an ES module in a CommonJS project has the command that fixes it',
  { timeout: TIMEOUT_MS },
  async () => {
    const files = { 'package.json': '{ "type": "commonjs" }', 'echo.js': FILE['echo.mjs'] };
    const { code, stderr } = await tandem(['serve', 'echo.js', ...ANYWHERE], { cwd: projectWith(files) }).ended;
    expect(code).toBe(2);
    const message = 'tandem: echo.js is an ES module, but its package.json does not have "type": "module"';
    expect(stderr).toContain(`${message}\nTo add it: npm pkg set type=module\n`);
  },
);

test('the error for a port in use names the port', { timeout: TIMEOUT_MS }, async () => {
  const other = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void other.close());
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const options = { cwd: projectWith(FILE), env: { PORT: String(port) } };
  expect(await tandem(['serve', 'echo.mjs', '--store', 'memory'], options).ended).toMatchObject({
    code: 1,
    stdout: '',
    stderr: `tandem: Port ${port} is already in use. Choose another port with --port, or pass --port 0 for any free port\n`,
  });
});

test(
  'a store that another process uses is rejected, and accepted after that process has stopped',
  { timeout: TIMEOUT_MS },
  async () => {
    const cwd = projectWith(FILE);
    const args = ['serve', 'echo.mjs', '--port', '0', '--store', 'own.db'];
    const first = tandem(args, { cwd });
    expect(await ask(await addressOf(first), 'one')).toEqual({ text: 'one' });

    const refused = await tandem(args, { cwd }).ended;
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toMatch(
      /^tandem: \S*own\.db is in use by another process: stop that process, or use another file\n$/,
    );

    expect((await first.kill('SIGTERM')).code).toBe(0);
    expect(await ask(await addressOf(tandem(args, { cwd })), 'two')).toEqual({ text: 'two' });
  },
);

test('a store that another process uses through another hard link is rejected', { timeout: TIMEOUT_MS }, async () => {
  const cwd = projectWith(FILE);
  const first = tandem(['serve', 'echo.mjs', '--port', '0', '--store', 'own.db'], { cwd });
  expect(await ask(await addressOf(first), 'one')).toEqual({ text: 'one' });
  linkSync(join(cwd, 'own.db'), join(cwd, 'other.db'));

  const args = ['serve', 'echo.mjs', '--port', '0', '--store', 'other.db'];
  const refused = await tandem(args, { cwd }).ended;
  expect([refused.code, refused.stdout]).toEqual([1, '']);
  expect(refused.stderr).toMatch(
    /^tandem: \S*other\.db has 2 hard links and is in use by another process: stop that process, or /,
  );
  expect(await ask(await addressOf(first), 'two')).toEqual({ text: 'two' });

  expect((await first.kill('SIGTERM')).code).toBe(0);
  const second = tandem(args, { cwd });
  expect(await ask(await addressOf(second), 'three')).toEqual({ text: 'three' });
  expect(second.stderr).toContain('"msg":"The SQLite file has several hard links.');
});

test('a server whose store was deleted accepts no more work', { timeout: TIMEOUT_MS }, async () => {
  const cwd = projectWith(FILE);
  const server = tandem(['serve', 'echo.mjs', '--port', '0', '--store', 'own.db'], { cwd });
  const url = await addressOf(server);
  expect(await ask(url, 'one')).toEqual({ text: 'one' });
  for (const end of ['', '-wal', '-shm']) rmSync(join(cwd, `own.db${end}`));

  // The next heartbeat detects it, without a request to /readyz.
  await server.told(/A file of the SQLite store was deleted or replaced/);
  for (let i = 0; i < 5; i++) expect((await start(url)).status).toBe(503);
  expect((await fetch(`${url}/readyz`)).status).toBe(503);
});

test('the error for a store that cannot be opened names the file', { timeout: TIMEOUT_MS }, async () => {
  const options = { cwd: projectWith(FILE) };
  const { code, stderr } = await tandem(['serve', 'echo.mjs', '--port', '0', '--store', 'no/such.db'], options).ended;
  expect(code).toBe(1);
  expect(stderr).toMatch(/^tandem: \S*such\.db cannot be opened: check that its directory exists and is writable\n$/);
});

test('an invalid --public-url is rejected in terms of the flag', { timeout: TIMEOUT_MS }, async () => {
  const args = ['serve', 'echo.mjs', ...ANYWHERE, '--public-url', 'https://echo.example/?agent=1', '--token', 'sesame'];
  expect(await tandem(args, { cwd: projectWith(FILE) }).ended).toMatchObject({
    code: 2,
    stdout: '',
    stderr: 'tandem: --public-url: must not have a query or fragment\n',
  });
});

test('the card contains the URL of --public-url', { timeout: TIMEOUT_MS }, async () => {
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
  'tandem serve on a public address checks %s',
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
  expect(await tandem(args, { cwd, env }).ended).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(
      /^tandem: Other machines can reach the agent at 0\.0\.0\.0: set TANDEM_TOKEN .*\n$/,
    ) as string,
  });
  expect(await tandem(args, { cwd, env: { BIND_HOST: 'a host' } }).ended).toMatchObject({ code: 2 });

  const local = tandem([...args, '--host', '127.0.0.1'], { cwd, env });
  expect(await ask(await addressOf(local), 'hi')).toEqual({ text: 'hi' });
});

test(
  'tandem demo needs no key and listens on this machine even if the environment sets a key and a host',
  { timeout: TIMEOUT_MS },
  async () => {
    const env = { A2A_SECRET: 'a-secret-of-more-than-32-characters', A2A_API_KEY: 'sesame', BIND_HOST: '0.0.0.0' };
    const url = await addressOf(tandem(['demo', '--port', '0', '--store', 'memory'], { env }));
    expect((await fetch(`${url}/tasks`)).status).toBe(200);
  },
);

test(
  'in production tandem serve rejects calls without a token, also from this machine',
  { timeout: TIMEOUT_MS },
  async () => {
    const env = { NODE_ENV: 'production' };
    const server = tandem(['serve', 'echo.mjs', ...ANYWHERE], { cwd: projectWith(FILE), env });
    const answer = await fetch(`${await addressOf(server)}/tasks`);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
    expect(server.stderr).toContain('Set TANDEM_TOKEN or A2A_SECRET, or pass --insecure-public');

    const demo = tandem(['demo', '--port', '0', '--store', 'memory'], { env });
    const url = await addressOf(demo);
    expect((await fetch(`${url}/tasks/any`)).status).toBe(404);
    expect((await fetch(`${url}/tasks`)).status).toBe(403);
  },
);

/** Ignores the abort signal, and runs longer than a server waits. */
const STUBBORN = {
  'stubborn.mjs': `${IMPORT}export default agent({ name: 'Stubborn', description: 'Ignores signals.', async *run() {
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
  '%s stops the server gracefully, and a second %s stops it at once',
  async (signal, code) => {
    const server = tandem(['serve', 'stubborn.mjs', ...ANYWHERE], { cwd: projectWith(STUBBORN) });
    await start(await addressOf(server));
    server.child.kill(signal);
    await server.told(/Stopping\./);
    // A signal that follows at once may come from the same key press, so a single one is not enough.
    const again = setInterval(() => server.child.kill(signal), 50);
    onTestFinished(() => clearInterval(again));
    expect(await server.ended).toMatchObject({ code, signal: null });
  },
  TIMEOUT_MS,
);

test.each(['SIGINT', 'SIGTERM'] as const)(
  '%s stops an idle server with exit code 0',
  async (signal) => {
    const server = tandem(['serve', 'echo.mjs', ...ANYWHERE], { cwd: projectWith(FILE) });
    await addressOf(server);
    expect(await server.kill(signal)).toMatchObject({ code: 0, signal: null });
  },
  TIMEOUT_MS,
);

test('--cors-origin accepts calls from pages of that origin', { timeout: TIMEOUT_MS }, async () => {
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
  expect(stderr).toContain("tandem: --cors-origin: can be '*' only with --token or --insecure-public");
});

test('--metrics serves metrics to this machine', { timeout: TIMEOUT_MS }, async () => {
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
  'with A2A_SECRET and %j a warning about the unknown public URL is logged: %s',
  async (flags, isWarned) => {
    const options = { cwd: projectWith(FILE), env: { A2A_SECRET: 'a-secret-of-more-than-32-characters' } };
    const server = tandem(['serve', 'echo.mjs', ...ANYWHERE, ...flags], options);
    await addressOf(server);
    expect(server.stderr.includes('does not know its public URL')).toBe(isWarned);
  },
  TIMEOUT_MS,
);

test(
  '--push declares push notifications, and --trust-proxy applies the X-Forwarded headers',
  { timeout: TIMEOUT_MS },
  async () => {
    const args = ['serve', 'echo.mjs', ...ANYWHERE, '--push', '--trust-proxy', '--insecure-public'];
    const url = await addressOf(tandem(args, { cwd: projectWith(FILE) }));
    const headers = { 'x-forwarded-host': 'echo.example', 'x-forwarded-proto': 'https' };
    const card: unknown = await (await fetch(`${url}/.well-known/agent-card.json`, { headers })).json();
    expect(card).toMatchObject({ url: 'https://echo.example/a2a', capabilities: { pushNotifications: true } });
  },
);

test('each --profile mounts a profile, and --rpc-path moves JSON-RPC', { timeout: TIMEOUT_MS }, async () => {
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
});

test.each([
  [['--profile', 'agentnative'], '--profile: expected "rxjs" or "agent-native" or "corvid"'],
  [['--rpc-path', 'a2a'], '--rpc-path: expected a path such as "/a2a"'],
])('%j is rejected in terms of the flag', { timeout: TIMEOUT_MS }, async (flags, sentence) => {
  const server = tandem(['serve', 'echo.mjs', ...ANYWHERE, ...flags], { cwd: projectWith(FILE) });
  const { code, stderr } = await server.ended;
  expect([code, stderr]).toEqual([2, expect.stringContaining(sentence)]);
});
