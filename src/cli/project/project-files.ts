/** Versions of the tools of a new project. A test keeps them equal to those of this package. */
export const TOOL_VERSIONS = {
  tsx: '^4.23.15',
  typescript: '^7.0.2',
  '@types/node': '^20.19.43',
} as const;

export interface Project {
  /** The name of the npm package. */
  readonly packageName: string;
  /** The name of the agent. */
  readonly name: string;
  readonly description: string;
  /** The version of this package. */
  readonly version: string;
}

/** The files of a new project by name. */
export function projectFiles(project: Project): Readonly<Record<string, string>> {
  return {
    'package.json': json(manifestOf(project)),
    'tsconfig.json': json(TSCONFIG),
    'agent.ts': agentFile(project),
    'agent.test.ts': TEST_FILE,
    '.gitignore': 'node_modules/\n.tandem/\n',
  };
}

function manifestOf({ packageName, version }: Project): object {
  const { tsx, ...tools } = TOOL_VERSIONS;
  return {
    name: packageName,
    private: true,
    type: 'module',
    scripts: {
      dev: 'tandem dev agent.ts',
      start: 'tandem serve agent.ts',
      test: 'node --import tsx --test agent.test.ts',
      typecheck: 'tsc',
    },
    // Node before 22.18 needs tsx to run agent.ts, also in production.
    dependencies: { 'tandem-a2a': `^${version}`, tsx },
    devDependencies: { ...tools },
    engines: { node: '>=20.19' },
  };
}

const TSCONFIG = {
  compilerOptions: {
    target: 'es2022',
    lib: ['es2023', 'esnext.disposable'],
    types: ['node'],
    module: 'nodenext',
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
  },
  include: ['*.ts'],
};

function agentFile({ name, description }: Project): string {
  return `import { agent } from 'tandem-a2a/server';

export default agent({
  name: ${quoted(name)},
  description: ${quoted(description)},
  async *run({ text, step, ask }) {
    yield { status: 'working', text: 'Thinking…' };
    // A step runs once. After a crash its recorded result is used.
    const answer = await step('answer', () => \`You wrote: \${text}\`);
    // The question stays open across restarts.
    const isWanted = await ask({ confirm: 'Shall I repeat it?' });
    yield isWanted ? answer : 'As you like.';
  },
});
`;
}

const TEST_FILE = `import assert from 'node:assert/strict';
import test from 'node:test';
import { testAgent } from 'tandem-a2a/testing';
import subject from './agent.ts';

test('the agent asks before it answers', async (t) => {
  const agent = await testAgent(subject);
  t.after(() => agent.close());

  const asked = await agent.send('hello');
  assert.equal(asked.state, 'input-required');

  const reply = await agent.answer(true);
  assert.equal(reply.text, 'You wrote: hello');
});

test('a crash while the question is open loses nothing', async (t) => {
  const agent = await testAgent(subject);
  t.after(() => agent.close());

  await agent.send('hello');
  await agent.crash();

  assert.equal((await agent.answer(true)).text, 'You wrote: hello');
  assert.deepEqual(
    agent.steps.map(({ name }) => name),
    ['answer'],
  );
});
`;

/** A string literal with single quotes. */
function quoted(text: string): string {
  const inner = JSON.stringify(text)
    .slice(1, -1)
    .replaceAll('\\"', '"')
    .replaceAll("'", String.raw`\'`);
  return `'${inner}'`;
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
