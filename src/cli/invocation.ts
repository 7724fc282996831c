import { basename, relative } from 'node:path';

/** What to type to call this program again, from the folder in which it was called. */
export function invocation(): string {
  const [, path = ''] = process.argv;
  if (import.meta.url.endsWith('.ts')) return 'npm run -s tandem --';
  if (process.env['npm_command'] !== undefined) return 'npx tandem-a2a';
  return basename(path).startsWith('tandem') ? 'tandem' : `node ${shellWord(relative('.', path))}`;
}

/** As one word of a shell's command. Much of what is printed so comes from strangers: nothing in it may be obeyed. */
export function shellWord(text: string): string {
  return /^[\w./:@%+,][\w./:@%+,=-]*$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
