/** `tandem init` creates a project. `test/docs/package.test.ts` compiles it and runs its test. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TOOL_VERSIONS } from '../../src/cli/project/project-files.ts';
import { projectWith, ROOT, tandem, TIMEOUT_MS } from './program.ts';
import { ENTER, Terminal } from './terminal.ts';

const FILES = ['.gitignore', 'agent.test.ts', 'agent.ts', 'package.json', 'tsconfig.json'];

test('the versions of the tools are those that this package is tested with', () => {
  const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    devDependencies: Readonly<Record<string, string>>;
  };
  expect(devDependencies).toMatchObject(TOOL_VERSIONS);
});

test('init creates the folder and takes its name for the agent and the package', { timeout: TIMEOUT_MS }, async () => {
  const cwd = projectWith();
  const { code, stdout, stderr } = await tandem(['init', 'travel-clerk'], { cwd }).ended;

  expect(code).toBe(0);
  const folder = join(cwd, 'travel-clerk');
  expect(readdirSync(folder).sort()).toEqual(FILES);
  expect(stdout.trim().split('\n').sort()).toEqual(FILES.map((file) => join('travel-clerk', file)));
  expect(stderr).toBe('\nNext:\n  cd travel-clerk\n  npm install\n  npm test\n  npm run dev\n');
  expect(readFileSync(join(folder, 'agent.ts'), 'utf8')).toContain(`name: 'Travel clerk',`);
  expect(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))).toMatchObject({
    name: 'travel-clerk',
    dependencies: { 'tandem-a2a': expect.stringMatching(/^\^\d/) as string, tsx: TOOL_VERSIONS.tsx },
  });
});

test('init keeps the files that exist', { timeout: TIMEOUT_MS }, async () => {
  const cwd = projectWith({ 'package.json': '{}', 'agent.ts': '// mine' });
  const { stderr } = await tandem(['init', '--yes'], { cwd }).ended;

  expect(readFileSync(join(cwd, 'package.json'), 'utf8')).toBe('{}');
  expect(readFileSync(join(cwd, 'agent.ts'), 'utf8')).toBe('// mine');
  expect(existsSync(join(cwd, 'agent.test.ts'))).toBe(true);
  expect(stderr).toContain('Kept the existing package.json, agent.ts.');
  expect(stderr).toContain('npm install tandem-a2a tsx');
});

test('quotes and line breaks in names stay inside the literals', { timeout: TIMEOUT_MS }, async () => {
  const cwd = projectWith();
  const name = `Ann's "clerk" \\ \n\${x}`;
  await tandem(['init', 'a', '--yes', '--name', name, '--description', "It's `good`"], { cwd }).ended;
  writeFileSync(join(cwd, 'a/agent.mjs'), readFileSync(join(cwd, 'a/agent.ts')));

  const { default: agent } = (await import(join(cwd, 'a/agent.mjs'))) as {
    default: { readonly name: string; readonly card: { readonly description: string } };
  };
  expect([agent.name, agent.card.description]).toEqual([name, "It's `good`"]);
});

test('on a terminal init asks for the name and the description', { timeout: TIMEOUT_MS }, async () => {
  const cwd = projectWith();
  const terminal = new Terminal(['init', join(cwd, 'my-agent')]);
  await terminal.type('Name of the agent (My agent): ', `Clerk${ENTER}`);
  await terminal.type('Description (Repeats what you say.): ', ENTER);

  expect(await terminal.ended).toBe(0);
  const agent = readFileSync(join(cwd, 'my-agent/agent.ts'), 'utf8');
  expect(agent).toContain(`name: 'Clerk',`);
  expect(agent).toContain(`description: 'Repeats what you say.',`);
});

test.each([
  [['init', 'a', 'b'], 'Pass one folder: tandem init <folder>'],
  [['init', 'a', '--yes', '--name', '!!'], 'The name of the agent must contain a letter or a digit'],
])(
  'tandem %j is an error of usage',
  async (args, text) => {
    const cwd = projectWith();
    expect(await tandem(args, { cwd }).ended).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(text) as string,
    });
    expect(existsSync(join(cwd, 'a'))).toBe(false);
  },
  TIMEOUT_MS,
);
