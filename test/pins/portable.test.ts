/** The root entry, the receiver of webhooks, the model and the wire run in every runtime, and load no package at start. */
import { expect, test } from 'vitest';

import { importsOf, isTestFile, readSources, resolveImport } from '../helpers/source.ts';
import type { Import, Sources } from '../helpers/source.ts';

/** Files that sign, and the package that each loads when it signs: loading `jose` alone takes 58 ms. */
const LOADED_LATE: Readonly<Record<string, string>> = {
  'src/client/auth/signed-token.ts': 'jose',
  'src/push/notification-tokens.ts': 'jose',
  'src/support/remote-keys.ts': 'jose',
  'src/wire/card/signing/canonical-card.ts': 'canonicalize',
  'src/wire/card/signing/card-signature.ts': 'jose',
  'src/wire/card/card-signature-key.ts': 'jose',
  'src/webhooks/options.ts': 'jose',
  'src/webhooks/token-check.ts': 'jose',
};

function isEntry(path: string): boolean {
  return path === 'src/index.ts' || /^src\/(?:model|wire|push|webhooks)\//.test(path);
}

/** Every file that the entries reach, even by late imports, and the forbidden imports in them. */
function walk(sources: Sources): { readonly reached: ReadonlySet<string>; readonly violations: readonly string[] } {
  const reached = new Set([...sources.keys()].filter((path) => isEntry(path) && !isTestFile(path)));
  const violations: string[] = [];
  for (const path of reached) {
    for (const found of importsOf(path, sources.get(path) ?? '')) {
      const target = resolveImport(path, found.specifier ?? '');
      if (target !== undefined && sources.has(target)) reached.add(target);
      const why = target === undefined ? packageViolation(path, found) : missing(sources, target);
      if (why !== undefined) violations.push(`${path}:${found.line} ${why}`);
    }
  }
  return { reached, violations };
}

function packageViolation(path: string, { specifier, kind }: Import): string | undefined {
  if (specifier === undefined) return 'imports a path that is computed';
  if (LOADED_LATE[path] !== specifier) return `imports ${specifier}`;
  return kind === 'static' ? `imports ${specifier} at start: load it late with import()` : undefined;
}

function missing(sources: Sources, target: string): string | undefined {
  return sources.has(target) ? undefined : `imports ${target}, which does not exist`;
}

test('the portable entries import no Node modules, and no packages except those for signing, by late import', () => {
  const { reached, violations } = walk(readSources('src'));

  expect(violations).toEqual([]);
  expect([...reached]).toEqual(expect.arrayContaining(['src/index.ts', 'src/errors.ts', ...Object.keys(LOADED_LATE)]));
});

test.each([
  ['src/index.ts', "import { createServer } from 'node:http';"],
  ['src/model/task.ts', "import type { Server } from 'node:http';"],
  ['src/wire/sse.ts', "import { z } from 'zod';"],
  ['src/wire/sse.ts', "const { z } = await import('zod');"],
  ['src/wire/sse.ts', 'await import(name);'],
  ['src/wire/sse.ts', "import './gone.ts';"],
  ['src/wire/card/signing/card-signature.ts', "import { FlattenedSign } from 'jose';"],
  ['src/wire/v1/task.ts', "const { FlattenedSign } = await import('jose');"],
])('the portability check finds in %s the import %s', (path, line) => {
  expect(walk(new Map([[path, line]])).violations).toEqual([expect.stringContaining(`${path}:1 imports`)]);
});

test('the portability check finds forbidden imports in files that an entry reaches through other folders', () => {
  const sources = new Map([
    ['src/index.ts', "export { connect } from './client/connect.ts';"],
    ['src/client/connect.ts', "const { pool } = await import('./pool.ts');"],
    ['src/client/pool.ts', "import { Agent } from 'node:http';"],
  ]);

  expect(walk(sources).violations).toEqual(['src/client/pool.ts:1 imports node:http']);
});
