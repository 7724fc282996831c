import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { humanise, slug } from '../../agent/names.ts';
import { PACKAGE_VERSION } from '../../support/package-version.ts';
import { CliError } from '../cli-error.ts';
import { exitCodeOf } from '../interrupt.ts';
import { shellWord } from '../invocation.ts';
import { defineCommand, type Options, type Values } from '../option.ts';
import { isInteractive, LinePrompt } from '../output/line-prompt.ts';
import { screen } from '../output/screen.ts';
import { projectFiles } from '../project/project-files.ts';

const DESCRIPTION = 'Repeats what you say.';

const OPTIONS = {
  name: { value: '<text>', help: 'The name of the agent. Default: that of the folder', flagOnly: true },
  description: { value: '<text>', help: 'The description of the agent', flagOnly: true },
  yes: { short: 'y', help: 'Ask nothing', flagOnly: true },
} as const satisfies Options;

export const command = defineCommand({
  synopsis: 'init [folder]',
  about: `Creates a small TypeScript project with an agent and its test: package.json, tsconfig.json, agent.ts, agent.test.ts and
.gitignore. The folder is created if necessary; by default it is the current one. Files that exist are kept. On a terminal, it asks
for the name and the description of the agent.`,
  examples: ['tandem init my-agent', 'tandem init my-agent --yes --name Clerk'],
  options: OPTIONS,
  async run({ values, positionals: [folder = '.', ...others] }) {
    if (others.length > 0) throw new CliError('usage', 'Pass one folder: tandem init <folder>');
    const folderName = basename(resolve(folder));
    const { name, description } = await agentOf(values, humanise(folderName) || 'My agent');
    if (slug(name) === '') throw new CliError('usage', 'The name of the agent must contain a letter or a digit');
    const packageName = packageNameOf(folderName);
    const files = Object.entries(projectFiles({ packageName, name, description, version: PACKAGE_VERSION }));
    mkdirSync(folder, { recursive: true });
    const kept = files.filter(([file, text]) => !create(join(folder, file), text)).map(([file]) => file);
    for (const [file] of files) if (!kept.includes(file)) screen.writeLine(join(folder, file));
    if (kept.length > 0) screen.notice(`Kept the existing ${kept.join(', ')}.`, 'yellow');
    screen.notice('\nNext:', 'dim');
    if (folder !== '.') screen.notice(`  cd ${shellWord(folder)}`);
    screen.notice(kept.includes('package.json') ? '  npm install tandem-a2a tsx' : '  npm install');
    screen.notice(kept.includes('package.json') ? '  npx tandem-a2a dev agent.ts' : '  npm test\n  npm run dev');
  },
});

/** The name and description: those of the options, of the user on a terminal, or the defaults. */
async function agentOf(
  { name, description, yes }: Values<typeof OPTIONS>,
  defaultName: string,
): Promise<{ readonly name: string; readonly description: string }> {
  if (yes || !isInteractive()) return { name: name ?? defaultName, description: description ?? DESCRIPTION };
  const prompt = new LinePrompt(() => process.exit(exitCodeOf('SIGINT')));
  const ask = async (what: string, preset: string): Promise<string> => {
    const line = await prompt.read(`${what} (${preset}): `);
    return line === undefined || line === '' ? preset : line;
  };
  try {
    return {
      name: name ?? (await ask('Name of the agent', defaultName)),
      description: description ?? (await ask('Description', DESCRIPTION)),
    };
  } finally {
    prompt.close();
  }
}

/** Returns false if the file exists. It is not changed then. */
function create(file: string, text: string): boolean {
  try {
    writeFileSync(file, text, { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw new CliError('failure', error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/** npm allows lower-case ASCII letters, digits and some signs. */
function packageNameOf(folder: string): string {
  const name = slug(folder).replaceAll(/[^a-z\d-]+/g, '-');
  return /[a-z\d]/.test(name) ? name.replaceAll(/^-+|-+$/g, '') : 'agent';
}
