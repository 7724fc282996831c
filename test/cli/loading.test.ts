/** A command starts fast because it loads few files. The tests count files, because times differ between machines. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, inject, test } from 'vitest';

/** The files that a file imports when it loads, directly and indirectly. */
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

/** The names of the files without the hashes of the build. */
function names(dist: string, files: ReadonlySet<string>): readonly string[] {
  return [...files].map((file) => relative(dist, file).replace(/^chunks\/(.*)-[\w-]{8}\.js$/, '$1')).sort();
}

test('a help text loads only the list of commands', () => {
  const dist = join(inject('installed'), 'dist');
  expect(names(dist, loadedWith(join(dist, 'cli/main.js')))).toEqual(['cli/main.js', 'command']);
});

test('send loads six files and no code of older protocol versions', () => {
  const dist = join(inject('installed'), 'dist');
  expect(readFileSync(chunk(dist, 'command'), 'utf8')).toMatch(/send: \{[^}]*import\("\.\/cli-/);
  expect(names(dist, loadedWith(chunk(dist, 'cli')))).toEqual(['base', 'cli', 'client', 'command', 'http', 'wire']);
});

test('no file of the build only re-exports another', () => {
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
  ['card-get', 'published-card', 'inspect-card', 'dialects'],
  ['doctor', 'published-card', 'inspect-card', 'dialects'],
  ['peers'],
])('%s loads the client and no server', (name, ...more) => {
  const dist = join(inject('installed'), 'dist');
  const allowed = ['base', 'cli', 'client', 'command', 'http', 'wire', name, ...more];
  expect(names(dist, loadedWith(chunk(dist, name))).filter((file) => !allowed.includes(file))).toEqual([]);
});
