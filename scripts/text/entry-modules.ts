/** Lists the modules that each entry of the package loads at start, so that a change of weight shows in a diff. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import posix from 'node:path/posix';

import { importsOf, readSources, resolveImport } from '../../test/helpers/source.ts';
import type { Sources } from '../../test/helpers/source.ts';
import { ROOT } from './root.ts';

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
  readonly bin: Readonly<Record<string, string>>;
}

/** A page with one section per entry, and in it one line per folder. */
export function entryModulesPage(): string {
  const sources = readSources('src');
  const sections = entriesOf(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest).map(
    ([name, entry]) => {
      const modules = modulesOf(entry, sources);
      return [`## ${name}`, '', `${modules.length} modules`, '', ...linesByFolder(modules), ''].join('\n');
    },
  );
  const intro = [
    '# Modules that each entry loads',
    '',
    'The modules of `src` that an `import` of each entry loads. Types and modules that `import()` loads later are not listed.',
    'Update this page with `npm run text`.',
    '',
  ];
  return [...intro, ...sections].join('\n');
}

/** The modules that importing the entry loads, sorted. */
export function modulesOf(entry: string, sources: Sources): readonly string[] {
  const modules = new Set([entry]);
  for (const path of modules) {
    for (const { specifier, kind } of importsOf(path, sources.get(path) ?? '')) {
      const target = kind === 'static' ? resolveImport(path, specifier ?? '') : undefined;
      if (target !== undefined) modules.add(target);
    }
  }
  return [...modules].sort();
}

function entriesOf({ exports, bin }: Manifest): readonly (readonly [name: string, source: string])[] {
  const named = Object.entries(exports).flatMap(([name, entry]) =>
    typeof entry === 'string' ? [] : [[posix.join('tandem-a2a', name), entry.default] as const],
  );
  const commands = Object.entries(bin).map(([name, path]) => [`the command \`${name}\``, path] as const);
  return [...named, ...commands].map(([name, path]) => [
    name,
    posix.join('src', posix.relative('dist', path)).replace(/\.js$/, '.ts'),
  ]);
}

function linesByFolder(modules: readonly string[]): readonly string[] {
  const folders = [...new Set(modules.map((path) => posix.dirname(path)))];
  const namesIn = (folder: string): readonly string[] =>
    modules.filter((path) => posix.dirname(path) === folder).map((path) => posix.basename(path, '.ts'));
  return folders.map((folder) => `- ${folder}: ${namesIn(folder).join(', ')}`);
}
