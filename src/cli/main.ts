#!/usr/bin/env node
import { CliError } from './cli-error.ts';
import { ALIASES, COMMANDS, findCommand } from './command-table.ts';
import { EVERYWHERE } from './option.ts';

const HELP = `tandem: the A2A runtime for TypeScript

Usage: tandem <command>

Commands:
${Object.entries(COMMANDS)
  .map(([name, { summary }]) => `  ${name.padEnd(18)}${summary}`)
  .join('\n')}

Run tandem <command> --help for the options of a command.

Options:
  -v, --version   Print the version
  -h, --help      Print this help
`;

/** Node 22.1 and later can cache compiled code in the folder for temporary files. */
interface CompileCache {
  enableCompileCache?(): unknown;
}

const isHelp = (word: string | undefined): boolean => word === '--help' || word === '-h';

async function main(words: readonly string[]): Promise<void> {
  const [first, ...others] = words;
  if (first === '--version' || first === '-v' || first === 'version') {
    const { PACKAGE_VERSION } = await import('../support/package-version.ts');
    process.stdout.write(`${PACKAGE_VERSION}\n`);
  } else if (first === undefined || isHelp(first) || (first === 'help' && others.length === 0)) {
    process.stdout.write(HELP);
  } else if (first === 'help') {
    await main([...others, '--help']);
  } else {
    await runCommand(words);
  }
}

async function runCommand(words: readonly string[]): Promise<void> {
  const found = findCommand(words);
  if (found === undefined) return explainUnknown(words);
  const node = process.getBuiltinModule('node:module') as CompileCache;
  node.enableCompileCache?.();
  const { command } = (await COMMANDS[found.name]?.load()) ?? {};
  if (command === undefined) return;
  const end = found.rest.indexOf('--');
  if ((end < 0 ? found.rest : found.rest.slice(0, end)).some(isHelp)) {
    const { usageOf } = await import('./usage.ts');
    process.stdout.write(usageOf(command));
    return;
  }
  const { readArguments } = await import('./read-arguments.ts');
  await command.run(readArguments(found.rest, { ...command.options, ...EVERYWHERE }, command.aliases));
}

/** Lists the commands of a group if only the group is named. Otherwise suggests the nearest command. */
async function explainUnknown([first = '', second]: readonly string[]): Promise<void> {
  const group = Object.entries(COMMANDS).filter(([name]) => name.startsWith(`${first} `));
  if (group.length > 0 && (second === undefined || isHelp(second))) {
    process.stdout.write(`${group.map(([name, { summary }]) => `tandem ${name.padEnd(18)}${summary}`).join('\n')}\n`);
    return;
  }
  const { nearest } = await import('../support/nearest.ts');
  const [word, known] =
    group.length > 0
      ? [`${first} ${second}`, group.map(([name]) => name)]
      : [first, [...Object.keys(COMMANDS), ...Object.keys(ALIASES)]];
  const meant = nearest(word, known);
  const advice = meant === undefined ? 'run tandem --help for all commands' : `did you mean ${meant}?`;
  throw new CliError('usage', `Unknown command ${JSON.stringify(word)}; ${advice}`);
}

// The process at the other end of a pipe can exit first, as `head` does. No more output is needed then.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

try {
  await main(process.argv.slice(2));
} catch (error) {
  const { reportFailure } = await import('./agents/report-failure.ts');
  reportFailure(error, process.argv.slice(2));
}
