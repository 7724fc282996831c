#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { demo } from './commands/demo.ts';

const COMMANDS: Readonly<Record<string, { readonly summary: string; run(): void }>> = {
  demo: { summary: 'Show one exchange in every version of the protocol', run: demo },
};

const HELP = `tandem: the A2A runtime for TypeScript

Usage: tandem <command>

Commands:
${Object.entries(COMMANDS)
  .map(([name, { summary }]) => `  ${name.padEnd(10)}${summary}`)
  .join('\n')}

Options:
  --version   Print the version
  --help      Print this help
`;

function main(name: string | undefined): void {
  if (name === '--version' || name === '-v') {
    process.stdout.write(`${version()}\n`);
    return;
  }
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    process.stdout.write(HELP);
    return;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) {
    process.stderr.write(`tandem: there is no command ${JSON.stringify(name)}; tandem --help lists them\n`);
    process.exitCode = 2;
    return;
  }
  command.run();
}

function version(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}

// Whoever reads our output may stop reading, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

main(process.argv[2]);
