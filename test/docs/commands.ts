/** Checks the command lines of pages against the commands and options that exist. */
import { COMMANDS, findCommand } from '../../src/cli/command-table.ts';

const CALL = /(?:^|[;|&(]\s*|\bnpx |\$\()(?:npx )?(?:npm run -s tandem --|tandem-a2a|tandem)(?= )([^;|&#)\n]*)/gm;

export async function commandProblems(shell: string): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const [, rest = ''] of shell.replaceAll('\\\n', ' ').matchAll(CALL)) {
    const words = rest.trim().split(/\s+/);
    if (/^(?:--help|--version|<)/.test(words[0] ?? '--help')) continue;
    const found = findCommand(words);
    const entry = found === undefined ? undefined : COMMANDS[found.name];
    if (entry === undefined) {
      problems.push(`tandem ${rest.trim()}: there is no such command`);
      continue;
    }
    const { options, aliases = {} } = (await entry.load()).command;
    const known = new Set(Object.entries(options).flatMap(([name, { short }]) => [`--${name}`, `-${short}`]));
    for (const alias of Object.keys(aliases)) known.add(`--${alias}`);
    const unknown = words
      .map((word) => word.split('=')[0] ?? '')
      .filter((word) => /^--?[a-z]/.test(word) && !known.has(word));
    for (const option of unknown.filter((word) => word !== '--help'))
      problems.push(`tandem ${rest.trim()}: ${option} is not an option`);
  }
  return problems;
}
