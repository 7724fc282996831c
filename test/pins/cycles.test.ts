/** Import cycles, type imports included: files that import each other are one module in several files. */
import { expect, test } from 'vitest';

import { importsOf, isTestFile, readSources, resolveImport } from '../helpers/source.ts';
import type { Sources } from '../helpers/source.ts';

/** Cycles that exist, each as its sorted files. Remove a line when its cycle is gone; add none. */
const KNOWN: readonly (readonly string[])[] = [];

test('no files in src import each other, even for types, except the listed ones', () => {
  expect(cyclesIn(readSources('src'))).toEqual(KNOWN);
});

test('the cycle check finds cycles through type imports, and ignores late imports', () => {
  const sources = new Map([
    ['src/a.ts', "import type { B } from './b.ts';"],
    ['src/b.ts', "import './c.ts';\nimport './d.ts';"],
    ['src/c.ts', "export { a } from './a.ts';"],
    ['src/d.ts', "const a = await import('./a.ts');"],
  ]);
  expect(cyclesIn(sources)).toEqual([['src/a.ts', 'src/b.ts', 'src/c.ts']]);
});

/** The groups of files that reach each other, sorted. */
function cyclesIn(sources: Sources): readonly (readonly string[])[] {
  const files = [...sources.keys()].filter((path) => !isTestFile(path)).sort();
  const targets = new Map(files.map((path) => [path, targetsOf(path, sources)]));
  const reached = new Map(files.map((path) => [path, reachedFrom(path, targets)]));
  const grouped = new Set<string>();
  return files.flatMap((path) => {
    if (grouped.has(path) || reached.get(path)?.has(path) !== true) return [];
    const group = files.filter(
      (other) => reached.get(path)?.has(other) === true && reached.get(other)?.has(path) === true,
    );
    for (const one of group) grouped.add(one);
    return [group];
  });
}

function targetsOf(path: string, sources: Sources): readonly string[] {
  return importsOf(path, sources.get(path) ?? '')
    .filter(({ kind }) => kind !== 'late')
    .flatMap(({ specifier }) => resolveImport(path, specifier ?? '') ?? []);
}

function reachedFrom(path: string, targets: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const reached = new Set(targets.get(path));
  for (const one of reached) for (const next of targets.get(one) ?? []) reached.add(next);
  return reached;
}
