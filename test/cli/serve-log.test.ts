/** The log of `tandem serve` and `tandem demo`. */
import { expect, test } from 'vitest';
import { verifies } from '../helpers/verifies.ts';
import { addressOf, projectWith, tandem, TIMEOUT_MS } from './program.ts';

const IMPORT = `import { agent } from 'tandem-a2a/server';\n`;
const ECHO = `agent({ name: 'Echo', description: 'Repeats the message.', run: async ({ text }) => text })`;
const FILE = { 'echo.mjs': `${IMPORT}export default ${ECHO};` };
const ANYWHERE = ['--port', '0', '--store', 'memory'];

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
  verifies(['E-11', 'H-13'], 'without a terminal a handler error is logged as one line of JSON, without secrets'),
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
  'a handler error with %j is logged in that format',
  async (flags, pattern) => {
    expect(await failed(...flags)).toMatch(pattern);
  },
  TIMEOUT_MS,
);

test.each([
  [['--log', 'xml'], '--log must be json, pretty or silent, not "xml"'],
  [['--log-level', 'loud'], '--log-level must be info, warn or error, not "loud"'],
  [['--role', 'boss'], '--role must be all, web or worker, not "boss"'],
])(
  '%j is rejected',
  async (flags, sentence) => {
    const { code, stderr } = await tandem(['serve', 'agent.mjs', ...flags], { cwd: projectWith(FAILING) }).ended;
    expect([code, stderr]).toEqual([2, `tandem: ${sentence}\n`]);
  },
  TIMEOUT_MS,
);

test.each([
  ['serve', ['serve', 'echo.mjs', ...ANYWHERE, '--log', 'pretty']],
  ['demo', ['demo', ...ANYWHERE]],
])(
  'tandem %s without authentication logs one info line',
  async (_, args) => {
    const server = tandem(args, { cwd: projectWith(FILE) });
    await addressOf(server);
    const line = 'tandem info: Authentication is not configured: every program on this machine can call this agent';
    expect(server.stderr.split('\n').filter((each) => each.startsWith('tandem '))).toEqual([line]);
  },
  TIMEOUT_MS,
);
