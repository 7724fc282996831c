/** `tandem dev` with real processes: it restarts the agent when a file changes. */
import { existsSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type AgentClient, connect } from '../../src/index.ts';
import { addressOf, type Program, projectWith, ROOT, tandem, TIMEOUT_MS } from './program.ts';

const agentOf = (run: string, more = ''): string => `
import { agent } from 'tandem-a2a/server';
${more}
export default agent({ name: 'Clerk', description: 'Books trains.', ${run} });
`;
const says = (text: string): string => agentOf(`run: () => '${text}'`);

async function develop(files: Readonly<Record<string, string>>, args: readonly string[] = []) {
  const cwd = projectWith(files);
  const program = tandem(['dev', 'agent.mjs', '--port', '0', ...args], { cwd });
  const save = (name: string, text: string): void => writeFileSync(join(cwd, name), text);
  return { cwd, program, save };
}

async function clientOf(program: Program): Promise<AgentClient> {
  const client = await connect(await addressOf(program));
  onTestFinished(() => client.close());
  return client;
}

/** The printed lines about tasks, without their ids. */
function taskLines({ stderr }: Program): readonly (string | undefined)[] {
  return [...stderr.matchAll(/^ {2}task [\da-f]{8} {2}(.*)$/gm)].map(([, line]) => line);
}

async function restarted(program: Program, number = 1): Promise<void> {
  await program.told(new RegExp(`(?:Ready again after[^]*){${number}}`));
}

test('a changed file restarts the agent at the same address', { timeout: TIMEOUT_MS }, async () => {
  const { cwd, program, save } = await develop({ 'agent.mjs': says('one') });
  const client = await clientOf(program);
  expect(await client.ask('hi')).toBe('one');

  save('agent.mjs', says('two'));
  await restarted(program);
  expect(await client.ask('hi')).toBe('two');

  // As editors save that write a new file and rename it.
  save('agent.mjs.tmp', says('three'));
  renameSync(join(cwd, 'agent.mjs.tmp'), join(cwd, 'agent.mjs'));
  await restarted(program, 2);
  expect(await client.ask('hi')).toBe('three');
  expect(program.stdout).toBe(`${client.chosen.url.replace(/\/a2a$/, '')}/.well-known/agent-card.json\n`);
});

test(
  'an imported file in another folder restarts the agent, and other files do not',
  { timeout: TIMEOUT_MS },
  async () => {
    const { cwd, program, save } = await develop({
      'agent.mjs': agentOf('run: () => word', `import { word } from './lib/word.mjs';`),
      'lib.txt': '',
    });
    await program.told(/The agent is not running/);
    mkdirSync(join(cwd, 'lib'));
    save('lib/word.mjs', `export const word = 'one';`);
    save('agent.mjs', agentOf('run: () => word', `import { word } from './lib/word.mjs'; // now it exists`));
    const client = await clientOf(program);
    expect(await client.ask('hi')).toBe('one');

    save('notes.json', '{}');
    save('lib/other.mjs', 'export {};');
    save('lib/word.mjs', `export const word = 'two';`);
    await program.told(/word\.mjs has changed/);
    await restarted(program);

    expect(await client.ask('hi')).toBe('two');
    expect(program.stderr).not.toMatch(/notes\.json has changed|other\.mjs has changed/);
  },
);

test('TypeScript that is loaded with tsx restarts when an imported file changes', { timeout: TIMEOUT_MS }, async () => {
  const cwd = projectWith({
    'agent.ts': agentOf('run: (): string => word', `import { word } from './word.ts';`),
    'word.ts': `export const word: string = 'one';`,
  });
  symlinkSync(join(ROOT, 'node_modules/tsx'), join(cwd, 'node_modules/tsx'), 'junction');
  const program = tandem(['dev', 'agent.ts', '--port', '0', '--store', 'memory'], { cwd });
  const client = await clientOf(program);
  expect(await client.ask('hi')).toBe('one');

  writeFileSync(join(cwd, 'word.ts'), `export const word: string = 'two';`);
  await restarted(program);

  expect(await client.ask('hi')).toBe('two');
});

test('a change of one of several agents restarts them all', { timeout: TIMEOUT_MS }, async () => {
  const other = says('other').replace('Clerk', 'Porter');
  const { program, save } = await develop({ 'agent.mjs': says('one'), 'other.mjs': other }, ['other.mjs']);
  const [, url = ''] = await program.said(/^(http:\S+)\/a\/porter\/\.well-known\/agent-card\.json$/m);
  expect(program.stderr).toContain(`Clerk and Porter are at ${url}. Tasks are stored in .tandem/_agents.db.`);
  const client = await connect(`${url}/a/porter`);
  onTestFinished(() => client.close());
  expect(await client.ask('hi')).toBe('other');

  save('other.mjs', other.replace('other', 'changed'));
  await restarted(program);

  expect(await client.ask('hi')).toBe('changed');
});

test('an open task resumes in the new code', { timeout: TIMEOUT_MS }, async () => {
  const books = (word: string): string =>
    agentOf(`run: async ({ ask }) => (await ask({ confirm: 'Book?' })) ? '${word}' : 'Nothing'`);
  const { cwd, program, save } = await develop({ 'agent.mjs': books('Booked') });
  const client = await clientOf(program);
  const asked = await client.send('Rome');
  expect(asked.state).toBe('input-required');

  save('agent.mjs', books('Reserved'));
  await restarted(program);

  expect((await client.task(asked.handle ?? '').answer('yes')).text).toBe('Reserved');
  expect(existsSync(join(cwd, '.tandem/clerk.db'))).toBe(true);
});

test('a syntax error is printed, and the next change starts the agent again', { timeout: TIMEOUT_MS }, async () => {
  const { program, save } = await develop({ 'agent.mjs': says('one') });
  const client = await clientOf(program);

  save('agent.mjs', 'export default agent({');
  await program.told(/SyntaxError[^]*The agent is not running/);
  save('agent.mjs', says('two'));
  await restarted(program);

  expect(await client.ask('hi')).toBe('two');
});

test('an agent that crashes its process starts again after a change', { timeout: TIMEOUT_MS }, async () => {
  const crashes = agentOf(`run: () => new Promise(() => setImmediate(() => { throw new Error('Out of luck'); }))`);
  const { program, save } = await develop({ 'agent.mjs': crashes });
  const client = await clientOf(program);
  await client.send('hi', { wait: 'none' });
  await program.told(/Out of luck[^]*The agent is not running/);

  save('agent.mjs', says('two'));
  await restarted(program);

  expect(await client.ask('hi')).toBe('two');
});

test('requests and changes of tasks are printed as they happen', { timeout: TIMEOUT_MS }, async () => {
  const run = `async *run({ ask }) { yield { status: 'working', text: 'Looking' }; yield await ask('Where to?'); }`;
  const { program } = await develop({ 'agent.mjs': agentOf(run) });
  const client = await clientOf(program);
  const asked = await client.send('book');
  await client.task(asked.handle ?? '').answer('Rome');
  await client.get('gone').catch(() => {});
  await program.told(/GetTask {2}200 {2}TASK_NOT_FOUND {2}\d+ ms/);

  expect(program.stderr).toMatch(/ {2}GET \/\.well-known\/agent-card\.json {2}200 {2}\d+ ms\n/);
  expect(program.stderr).toMatch(/ {2}SendStreamingMessage {2}200 {2}\d+ ms\n/);
  // The end may be stored together with the state before it.
  const lines = taskLines(program).filter((line) => line !== 'working');
  expect(lines).toEqual(['submitted  book', 'working  Looking', 'input-required  Where to?', 'completed']);
});

test('a task is printed as submitted before its end, also if it ends at once', { timeout: TIMEOUT_MS }, async () => {
  const { program } = await develop({ 'agent.mjs': says('one') });
  await (await clientOf(program)).ask('hi');
  await program.told(/ {2}task [\da-f]{8} {2}submitted[^]*SendStreamingMessage/);

  expect(taskLines(program)).toEqual(['submitted  hi', 'completed']);
});

test('warnings of the agent are printed, and information is not', { timeout: TIMEOUT_MS }, async () => {
  const undeclared = agentOf(
    `outputModes: ['text/plain'], async *run() { yield { artifact: 'a.json', data: { a: 1 } }; }`,
  );
  const { program } = await develop({ 'agent.mjs': undeclared });
  await (await clientOf(program)).send('hi');

  await program.told(/tandem warning: /);
  expect(program.stderr).not.toMatch(/tandem info/);
});

test.each(['SIGINT', 'SIGTERM'] as const)(
  '%s stops both processes',
  async (signal) => {
    const { program } = await develop({ 'agent.mjs': says('one') });
    const url = await addressOf(program);

    const { code } = await program.kill(signal);

    expect(code).toBe(0);
    await expect(fetch(`${url}/healthz`)).rejects.toThrow('fetch failed');
  },
  TIMEOUT_MS,
);

test('SIGINT stops an agent that could not be loaded', { timeout: TIMEOUT_MS }, async () => {
  const { program } = await develop({ 'agent.mjs': 'export default agent({' });
  await program.told(/The agent is not running/);

  expect((await program.kill('SIGINT')).code).toBe(0);
});

test('the agent stops when its supervisor is killed', { timeout: TIMEOUT_MS }, async () => {
  const { program } = await develop({ 'agent.mjs': says('one') });
  const url = await addressOf(program);

  // Resolves when the pipes of both processes are closed.
  await program.kill('SIGKILL');

  await expect(fetch(`${url}/healthz`)).rejects.toThrow('fetch failed');
});

test.each([
  [['dev'], 'Pass a file: tandem dev <file>'],
  [['dev', 'agent.mjs', 'gone.mjs'], 'File gone.mjs does not exist'],
  [['dev', 'gone.mjs'], 'File gone.mjs does not exist'],
  [['dev', 'agent.mjs', '--port', 'x'], '--port'],
])(
  'tandem %j is an error of usage',
  async (args, text) => {
    const cwd = projectWith({ 'agent.mjs': says('one') });
    expect(await tandem(args, { cwd }).ended).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(text) as string,
    });
  },
  TIMEOUT_MS,
);
