/** To begin quickly, a command loads no more than it needs. Milliseconds differ from machine to machine; files do not. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, inject, test } from 'vitest';

/** The files that a file imports at its start, and what these import. */
function loadedWith(file: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(file)) return found;
  found.add(file);
  for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(/^import (?:[^;]*? from )?"(\.[^"]+)";/gm)) {
    loadedWith(join(dirname(file), path), found);
  }
  return found;
}

function chunk(dist: string, name: string): string {
  const file = readdirSync(join(dist, 'chunks')).find((entry) => entry.startsWith(`${name}-`));
  return join(dist, 'chunks', file ?? `${name} is missing`);
}

/** Without the marks that a build gives to their names. */
function names(dist: string, files: ReadonlySet<string>): readonly string[] {
  return [...files].map((file) => relative(dist, file).replace(/^chunks\/(.*)-[\w-]{8}\.js$/, '$1')).sort();
}

test('a help text needs the list of commands', () => {
  const dist = join(inject('installed'), 'dist');
  expect(names(dist, loadedWith(join(dist, 'cli/main.js')))).toEqual(['cli/main.js', 'command']);
});

test('to send a message takes five files after the first, and none with the words of older versions', () => {
  const dist = join(inject('installed'), 'dist');
  expect(readFileSync(chunk(dist, 'command'), 'utf8')).toMatch(/send: \{[^}]*import\("\.\/cli-/);
  expect(names(dist, loadedWith(chunk(dist, 'cli')))).toEqual(['base', 'cli', 'client', 'command', 'wire']);
});

test('no file is there only to name another', () => {
  const dist = join(inject('installed'), 'dist');
  const files = readdirSync(join(dist, 'chunks')).filter((file) => file.endsWith('.js'));
  expect(
    files.filter((file) =>
      /^export \{[^}]*\} from "[^"]*";\s*$/.test(readFileSync(join(dist, 'chunks', file), 'utf8')),
    ),
  ).toEqual([]);
});

test.each([
  ['chat'],
  ['wait'],
  ['task-get'],
  ['card-get', 'inspect-card', 'dialects'],
  ['doctor', 'inspect-card', 'dialects'],
  ['peers'],
])('%s needs a client and no server', (name, ...more) => {
  const dist = join(inject('installed'), 'dist');
  const allowed = ['base', 'cli', 'client', 'command', 'wire', name, ...more];
  expect(names(dist, loadedWith(chunk(dist, name))).filter((file) => !allowed.includes(file))).toEqual([]);
});
