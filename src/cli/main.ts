#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { nearest } from '../support/nearest.ts';
import { CliError } from './cli-error.ts';

interface Command {
  readonly usage: string;
  run(args: readonly string[]): Promise<void>;
}

/** Each is loaded when it is called: to print a help text nobody needs a server. */
const COMMANDS: Readonly<Record<string, { readonly summary: string; load(): Promise<Command> }>> = {
  serve: { summary: 'Serve the agent of a file', load: () => import('./commands/serve.ts') },
  demo: { summary: 'Serve an agent that shows what agents can do', load: () => import('./commands/demo.ts') },
  send: { summary: 'Send a message to an agent and print its answer', load: () => import('./commands/send.ts') },
};

const HELP = `tandem: the A2A runtime for TypeScript

Usage: tandem <command>

Commands:
${Object.entries(COMMANDS)
  .map(([name, { summary }]) => `  ${name.padEnd(10)}${summary}`)
  .join('\n')}

tandem <command> --help says more about one.

Options:
  --version   Print the version
  --help      Print this help
`;

async function main(name: string | undefined, args: readonly string[]): Promise<void> {
  if (name === '--version' || name === '-v') {
    process.stdout.write(`${version()}\n`);
  } else if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    process.stdout.write(HELP);
  } else {
    const command = await commandNamed(name).load();
    const end = args.indexOf('--');
    const options = end < 0 ? args : args.slice(0, end);
    if (options.includes('--help') || options.includes('-h')) process.stdout.write(command.usage);
    else await command.run(args);
  }
}

function commandNamed(name: string): { load(): Promise<Command> } {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command !== undefined) return command;
  const meant = nearest(name, Object.keys(COMMANDS));
  const advice = meant === undefined ? 'tandem --help lists them' : `did you mean ${meant}?`;
  throw new CliError('usage', `There is no command ${JSON.stringify(name)}; ${advice}`);
}

function version(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}

// Whoever reads our output may stop reading, as `head` does. There is nobody left to work for then.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

try {
  await main(process.argv[2], process.argv.slice(3));
} catch (error) {
  const [text, code] = error instanceof CliError ? [error.message, error.exitCode] : [describe(error), 1];
  // Not by itself: what the file of a user has opened would keep the process alive.
  process.stderr.write(`tandem: ${text}\n`, () => process.exit(code));
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
