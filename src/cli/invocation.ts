import { basename, relative } from 'node:path';

/** Returns the command that runs this program again from the current folder. */
export function invocation(): string {
  const [, path = ''] = process.argv;
  if (import.meta.url.endsWith('.ts')) return 'npm run -s tandem --';
  if (process.env['npm_command'] !== undefined) return 'npx tandem-a2a';
  return basename(path).startsWith('tandem') ? 'tandem' : `node ${shellWord(relative('.', path))}`;
}

/** Quotes a text as one word of a shell command. Many of these texts come from agents, so the shell must not expand them. */
export function shellWord(text: string): string {
  return /^[\w./:@%+,][\w./:@%+,=-]*$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
