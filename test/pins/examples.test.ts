import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { connect } from '../../src/index.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const README = readFileSync(join(ROOT, 'README.md'), 'utf8');

/** The command that runs an example in its own folder, in which it may write files. */
function example(name: string, file = 'main'): { args: string[]; options: { cwd: string; env: NodeJS.ProcessEnv } } {
  const cwd = mkdtempSync(join(tmpdir(), 'tandem-example-'));
  onTestFinished(() => rmSync(cwd, { recursive: true }));
  const args = ['--import', import.meta.resolve('tsx'), join(ROOT, `examples/${name}/${file}.ts`)];
  return { args, options: { cwd, env: { ...process.env, TSX_TSCONFIG_PATH: join(ROOT, 'tsconfig.json'), PORT: '0' } } };
}

async function ended(program: ChildProcess): Promise<void> {
  program.kill();
  if (program.exitCode === null && program.signalCode === null) await once(program, 'exit');
}

interface ServedExample {
  readonly program: ChildProcess;
  readonly url: string;
  readonly cwd: string;
  readonly logged: (pattern: RegExp) => Promise<RegExpExecArray>;
  readonly log: () => string;
}

/** Serves `agent.ts` of an example with the command line. */
async function serveExample(name: string, port = '0', cwd = example(name).options.cwd): Promise<ServedExample> {
  const main = [join(ROOT, 'src/cli/main.ts'), 'serve', join(ROOT, `examples/${name}/agent.ts`)];
  const program = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), ...main, '--port', port], {
    cwd,
    env: { ...process.env, TSX_TSCONFIG_PATH: join(ROOT, 'tsconfig.json') },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => ended(program));
  let log = '';
  program.stdout.setEncoding('utf8').on('data', (text: string) => (log += text));
  const logged = async (pattern: RegExp): Promise<RegExpExecArray> => {
    for (;;) {
      const found = pattern.exec(log);
      if (found !== null) return found;
      await once(program.stdout, 'data');
    }
  };
  const [, url = ''] = await logged(/^(http:\S+?)\/\.well-known/m);
  return { program, url, cwd, logged, log: () => log };
}

test.each(['agent', 'model'])('the README contains the code of examples/ai-sdk/%s.ts', (file) => {
  const code = readFileSync(join(ROOT, `examples/ai-sdk/${file}.ts`), 'utf8');
  expect(README).toContain(`\`\`\`ts\n${code}\`\`\``);
});

test(
  'the caller of the LLM agent of the README gets the whole story after a kill of the agent',
  { timeout: 60_000 },
  async () => {
    const first = await serveExample('ai-sdk');
    const client = await connect(first.url);
    onTestFinished(() => client.close());
    const story = client.ask('a lighthouse');
    await first.logged(/writes the middle/);
    first.program.kill('SIGKILL');
    const second = await serveExample('ai-sdk', new URL(first.url).port, first.cwd);

    const parts = ['beginning', 'middle', 'end'].map(
      (part) => `Here is the ${part} of a story about a lighthouse, word by word, as models write.\n`,
    );
    expect(await story).toBe(parts.join(''));
    expect(second.log()).not.toContain('writes the beginning');
  },
);

test('examples/ai-sdk-tools asks for approval before it refunds an order', { timeout: 60_000 }, async () => {
  const { url, log } = await serveExample('ai-sdk-tools');
  const client = await connect(url);
  onTestFinished(() => client.close());
  expect(client.card.skills.map(({ id }) => id)).toEqual(['findOrder', 'refund']);
  const asked = await client.send('Please refund my order A-1');
  expect(asked.text).toMatch(/^May I run refund with this input\?\n\{\n {2}"order": "A-1",\n {2}"amount": 40\n\}/);
  const reply = await client.send('yes', { taskId: asked.task?.id ?? '', contextId: asked.contextId ?? '' });
  expect(reply.text).toBe('Your order A-1 is refunded.');
  expect(log().match(/Refunded 40 for A-1/g)).toHaveLength(1);
});

test('docs/llm-agents.md shows examples/ai-sdk-tools/agent.ts as it is', () => {
  const code = readFileSync(join(ROOT, 'examples/ai-sdk-tools/agent.ts'), 'utf8').replace(/^\/\*\*.*\*\/\n/, '');
  expect(readFileSync(join(ROOT, 'docs/llm-agents.md'), 'utf8')).toContain(`\`\`\`ts\n${code}\`\`\``);
});

// They run in `npm run test:peers`, because their packages are not installed here.
test.each(['openai-agents/durable', 'openai-agents/agent', 'langgraph/durable', 'langgraph/agent'])(
  'docs/llm-frameworks.md shows examples/%s.ts as it is',
  (file) => {
    const code = readFileSync(join(ROOT, `examples/${file}.ts`), 'utf8').replace(/^\/\*\*.*\*\/\n/, '');
    expect(readFileSync(join(ROOT, 'docs/llm-frameworks.md'), 'utf8')).toContain(`\`\`\`tsx\n${code}\`\`\``);
  },
);

test('examples/greeter serves an agent and calls it', { timeout: 30_000 }, async () => {
  const { args, options } = example('greeter');
  const greeter = spawn(process.execPath, args, { ...options, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => ended(greeter));
  const [text] = (await once(greeter.stdout.setEncoding('utf8'), 'data')) as [string];
  const [url] = text.split('/.well-known/');

  const { args: calling, options: elsewhere } = example('greeter', 'call');
  const called = await promisify(execFile)(process.execPath, [...calling, url ?? ''], elsewhere);
  expect(called.stdout).toMatch(/^Hello, Ada!\n[^]*artifact Hello, Bob!\n/);
});

test('examples/public serves only callers with a token, under its public address', { timeout: 30_000 }, async () => {
  const { args, options } = example('public');
  const token = 'token-of-alice-0123456789';
  const env = { ...options.env, ALICE_TOKEN: token };
  const greeter = spawn(process.execPath, args, { ...options, env, stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => ended(greeter));
  const [text] = (await once(greeter.stdout.setEncoding('utf8'), 'data')) as [string];
  /** Sends the headers of a proxy. */
  const ask = (path: string, from: string, authorization?: string): Promise<Response> =>
    fetch(text.trim() + path, {
      headers: { 'x-forwarded-for': from, 'x-forwarded-proto': 'https', ...(authorization && { authorization }) },
    });

  const card: unknown = await (await ask('/.well-known/agent-card.json', '203.0.113.1')).json();
  expect(card).toMatchObject({
    url: 'https://agent.example/a2a',
    capabilities: { pushNotifications: true },
    securitySchemes: { bearer: expect.anything() },
  });
  const guesses = Array.from({ length: 40 }, (_, i) => ask('/tasks', '203.0.113.1', `Bearer guess-${i}`));
  expect(new Set((await Promise.all(guesses)).map(({ status }) => status))).toEqual(new Set([401, 429]));
  expect((await ask('/tasks', '203.0.113.2')).status).toBe(401);
  expect((await ask('/tasks', '203.0.113.2', `Bearer ${token}`)).status).toBe(200);
});

test(
  'examples/durable-agent resumes a task after the engine was closed at a question',
  { timeout: 30_000 },
  async () => {
    const { args, options } = example('durable-agent');
    const { stdout } = await promisify(execFile)(process.execPath, args, options);
    expect(stdout.trim().split('\n')).toEqual([
      "{ text: 'Shall I book the 9:05 to Rome? (yes/no)' }",
      "{ text: 'Booked the 9:05 to Rome.' }",
    ]);
  },
);

test(
  'examples/three-agents answers after its middle agent was killed, with one task for each call',
  { timeout: 60_000 },
  async () => {
    const { args, options } = example('three-agents');
    const { stdout } = await promisify(execFile)(process.execPath, args, options);
    const lines = stdout.trim().split('\n');
    // The log of the warehouse arrives from another process, before or after the reply.
    const log = 'The warehouse counts signups in Europe';
    expect(lines.filter((line) => line === log)).toHaveLength(1);
    expect(lines.filter((line) => line !== log)).toEqual([
      'analytics › warehouse asks: Which region?',
      '1. Europe',
      '2. Asia',
      'Analytics says: 1204 signups in Europe.',
      'Front desk 1',
      'Analytics 1',
      'Warehouse 1',
    ]);
  },
);

test('examples/express serves the card under its prefix, and the process exits', { timeout: 30_000 }, async () => {
  const { args, options } = example('express');
  const { stdout } = await promisify(execFile)(process.execPath, [...args, 'tasks.db', 'once'], options);
  expect(stdout).toMatch(/name: 'Echo'[^]+url: 'http:\/\/127\.0\.0\.1:\d+\/agent\/a2a'/);
});

test('the tests of examples/testing pass', { timeout: 30_000 }, async () => {
  const { args, options } = example('testing');
  // Set, because the default reporter depends on the version of Node.
  const { stdout } = await promisify(execFile)(process.execPath, ['--test-reporter=tap', ...args], options);
  expect(stdout).toMatch(/^# pass 5$/m);
  expect(readFileSync(join(options.cwd, 'clerk.json'), 'utf8')).not.toContain('secret-token');
});

test(
  'the tests of examples/test-your-agent pass, and docs/testing.md shows them as they are',
  { timeout: 30_000 },
  async () => {
    const { args, options } = example('test-your-agent');
    const { stdout } = await promisify(execFile)(process.execPath, ['--test-reporter=tap', ...args], options);
    expect(stdout).toMatch(/^# pass 3$/m);
    const page = readFileSync(join(ROOT, 'docs/testing.md'), 'utf8');
    for (const file of ['clerk', 'main']) {
      const code = readFileSync(join(ROOT, `examples/test-your-agent/${file}.ts`), 'utf8');
      expect(page).toContain(`\`\`\`ts\n${code.replace(/^\/\*\*.*\*\/\n/, '')}\`\`\``);
    }
  },
);

test('examples/client calls its agent', { timeout: 30_000 }, async () => {
  const { args, options } = example('client');
  const { stdout } = await promisify(execFile)(process.execPath, args, options);
  expect(stdout.split('\n').map((line) => line.trim())).toEqual(
    expect.arrayContaining([
      'The 9:05 to Rome',
      "JSONRPC 1.0 at /a2a: JSONRPC 1.0 is the first of the card's interfaces that this client supports",
      'working Looking for trains',
      'Shall I book the 9:05 to Rome? (yes/no)',
      'Booked the 9:05 to Rome.',
      'The clerk could not do it',
      'The agent card could not be verified: it has no signature',
      'null',
    ]),
  );
});

test(
  'examples/typed-skill calls its skills and prints the fields of an input that do not match',
  { timeout: 30_000 },
  async () => {
    const { args, options } = example('typed-skill');
    const { stdout } = await promisify(execFile)(process.execPath, args, options);
    expect(stdout.trim().split('\n')).toEqual([
      '240',
      'Booked a window seat to Oslo.',
      'message.parts[0].data.city: expected 1 or more characters; got ""',
      'message.parts[0].data.seats: expected 1 or more; got 0',
    ]);
  },
);

test('docs/server.md shows examples/typed-skill/agent.ts as it is', () => {
  const code = readFileSync(join(ROOT, 'examples/typed-skill/agent.ts'), 'utf8').replace(/^\/\*\*.*\*\/\n/, '');
  expect(readFileSync(join(ROOT, 'docs/server.md'), 'utf8')).toContain(`\`\`\`ts\n${code}\`\`\``);
});

test(
  'examples/push delivers notifications to a receiver, and docs/push.md contains its code',
  { timeout: 30_000 },
  async () => {
    const { args, options } = example('push');
    const { stdout } = await promisify(execFile)(process.execPath, args, options);
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => line.trim()),
    ).toEqual(['task', 'status Translating…', 'artifact Bonjour', 'status', '1 artifact']);
    expectPiecesOf('push', 4);
  },
);

test(
  'examples/worker completes a task over several requests, and docs/serverless.md contains its code',
  { timeout: 30_000 },
  async () => {
    const { args, options } = example('worker');
    const { stdout } = await promisify(execFile)(process.execPath, args, options);
    expect(stdout.split('\n').map((line) => line.trim())).toEqual([
      'submitted',
      'completed un deux trois quatre',
      "[ 'POST /_tandem/run' ]",
      '',
    ]);
    const [, block = ''] = /^```ts\n(.*?)^```/ms.exec(readFileSync(join(ROOT, 'docs/serverless.md'), 'utf8')) ?? [];
    expect(block).toContain('serverless:');
    expect(readFileSync(join(ROOT, 'examples/worker/worker.ts'), 'utf8')).toContain(block);
  },
);

/** Expects that every code block of a page is part of the example. */
function expectPiecesOf(name: string, least = 5): void {
  const page = readFileSync(join(ROOT, `docs/${name}.md`), 'utf8');
  const code = readFileSync(join(ROOT, `examples/${name}/main.ts`), 'utf8');
  const blocks = [...page.matchAll(/^```ts\n(.*?)^```/gms)].map(([, block = '']) => block);
  expect(blocks.length).toBeGreaterThanOrEqual(least);
  for (const block of blocks) expect(code).toContain(block);
}
