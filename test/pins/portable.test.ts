/** The root entry, the receiver of webhooks, the model and the wire run in any runtime and cost nothing but their own text to load. */
import { expect, test } from 'vitest';

import { importsOf, isTestFile, readSources, resolveImport } from '../helpers/source.ts';
import type { Import, Sources } from '../helpers/source.ts';

/** Signing cards and tokens needs these two, and loads them when it is done: `jose` alone takes 58 ms. */
const LOADED_LATE: Readonly<Record<string, string>> = {
  'src/client/auth/signed-token.ts': 'jose',
  'src/push/notification-tokens.ts': 'jose',
  'src/wire/card/signing/canonical-card.ts': 'canonicalize',
  'src/wire/card/signing/card-signature.ts': 'jose',
  'src/wire/card/card-signature-key.ts': 'jose',
  'src/webhooks/options.ts': 'jose',
  'src/webhooks/token-check.ts': 'jose',
};

function isEntry(path: string): boolean {
  return path === 'src/index.ts' || /^src\/(?:model|wire|push|webhooks)\//.test(path);
}

/** Every file that the entries reach, late imports included, with what is wrong in it. */
function walk(sources: Sources): { readonly reached: ReadonlySet<string>; readonly violations: readonly string[] } {
  const reached = new Set([...sources.keys()].filter((path) => isEntry(path) && !isTestFile(path)));
  const violations: string[] = [];
  for (const path of reached) {
    for (const found of importsOf(path, sources.get(path) ?? '')) {
      const target = resolveImport(path, found.specifier ?? '');
      if (target !== undefined && sources.has(target)) reached.add(target);
      const why = target === undefined ? outsideRefusal(path, found) : missing(sources, target);
      if (why !== undefined) violations.push(`${path}:${found.line} ${why}`);
    }
  }
  return { reached, violations };
}

function outsideRefusal(path: string, { specifier, kind }: Import): string | undefined {
  if (specifier === undefined) return 'imports a path that is computed';
  if (LOADED_LATE[path] !== specifier) return `imports ${specifier}`;
  return kind === 'static' ? `imports ${specifier} at start: load it late with import()` : undefined;
}

function missing(sources: Sources, target: string): string | undefined {
  return sources.has(target) ? undefined : `imports ${target}, which does not exist`;
}

test('nothing reachable needs Node, or a package but those for signing, loaded late', () => {
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
])('in %s, %s is found', (path, line) => {
  expect(walk(new Map([[path, line]])).violations).toEqual([expect.stringContaining(`${path}:1 imports`)]);
});

test('what an entry reaches through another folder is found', () => {
  const sources = new Map([
    ['src/index.ts', "export { connect } from './client/connect.ts';"],
    ['src/client/connect.ts', "const { pool } = await import('./pool.ts');"],
    ['src/client/pool.ts', "import { Agent } from 'node:http';"],
  ]);

  expect(walk(sources).violations).toEqual(['src/client/pool.ts:1 imports node:http']);
});
