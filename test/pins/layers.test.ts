import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import posix from 'node:path/posix';

import { expect, onTestFinished, test } from 'vitest';

import { ROOT, importsOf, readSources } from '../helpers/source.ts';
import { LAYERS, isNodeOnly, layerViolations, mayImport } from './layers.ts';

test('no file in src imports from a layer that LAYERS forbids', () => {
  const sources = readSources('src');

  expect(sources.size).toBeGreaterThan(20);
  expect(layerViolations(sources)).toEqual([]);
});

test.each([
  ['client', "import { agent } from '../server/agent.ts';"],
  ['client', "import type { Store } from '../store/store.ts';"],
  ['client', "export * from '../engine/engine.ts';"],
  ['client', "export type { Engine } from '../engine/engine.ts';"],
  ['client', "const engine = await import('../engine/engine.ts');"],
  ['client', "type Engine = import('../engine/engine.ts').Engine;"],
  ['client', "import engine = require('../engine/engine.ts');"],
  ['client', "import '../wire/v1/index.ts';"],
  ['engine', "import { memory } from '../store/memory/store.ts';"],
  ['engine', "import { decode } from '../wire/select.ts';"],
  ['store/memory', "import { decode } from '../../wire/codec.ts';"],
  ['wire', "import { v1 } from './v1/index.ts';"],
  ['wire/v1', "import { pick } from '../select.ts';"],
  ['wire/v1', "import { decodePart } from '../v03/part.ts';"],
  ['wire/v03/proto', "import { profile } from '../../profiles/profile.ts';"],
  ['wire/profiles', "import { v03 } from '../v03/index.ts';"],
  ['server', "import { v1 } from '../wire/v1/index.ts';"],
  ['node', "import { main } from '../cli/main.ts';"],
  ['model', "import { readFile } from 'node:fs/promises';"],
  ['server', 'const store = await import(name);'],
  ['server', "import config from '../../package.json' with { type: 'json' };"],
  ['utilities', 'export {};'],
])('the layer check finds in src/%s the import %s', (folder, line) => {
  const path = `src/${folder}/planted.ts`;

  expect(layerViolations(new Map([[path, `\n${line}\n`]]))).toEqual([expect.stringContaining(path)]);
});

test.each([
  ['client', "import { pick } from '../wire/select.ts';"],
  ['engine', "import type { Store } from '../store/store.ts';"],
  ['wire/v02', "import { decodePart } from '../v03/part.ts';"],
  ['wire/v01', "import { decodePart } from '../v03/part.ts';"],
  ['wire/v03/proto', "import { decodePart } from '../part.ts';"],
  ['node', "import { createServer } from 'node:http';"],
  ['client', "// import { agent } from '../server/agent.ts';\nconst text = \"import '../server/agent.ts'\";"],
])('the layer check allows in src/%s the import %s', (folder, line) => {
  expect(layerViolations(new Map([[`src/${folder}/planted.ts`, line]]))).toEqual([]);
});

test('the lint rules forbid exactly the imports that LAYERS forbids', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tandem-layers-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  copyFileSync(join(ROOT, '.oxlintrc.json'), join(folder, '.oxlintrc.json'));
  // Lint sees only the specifier, and dialects have an index.ts, too. Only LAYERS restricts imports of the root's index.ts.
  const targets = Object.keys(LAYERS).filter((key) => key !== 'index.ts');

  const forbidden = new Set<string>();
  const expected = new Set<string>();
  for (const [from, path] of Object.keys(LAYERS).flatMap(probesOf)) {
    const lines = targets.map((to) => (to === from ? '' : `import '${relativeSpecifier(path, fileIn(to))}';`));
    write(join(folder, path), [...lines, "import 'node:fs/promises';"].join('\n'));
    for (const to of targets) if (!mayImport(from, to)) expected.add(`${path} -> ${to}`);
    if (!isNodeOnly(path)) expected.add(`${path} -> node:`);
  }
  for (const { path, line } of lint(folder)) forbidden.add(`${path} -> ${targets[line - 1] ?? 'node:'}`);

  expect([...forbidden].sort()).toEqual([...expected].sort());
}, 30_000);

/** Test files of a layer: directly in its folder and deeper. */
function probesOf(layer: string): readonly (readonly [string, string])[] {
  if (layer.endsWith('.ts')) return [[layer, `src/${layer}`]];
  const inside: Readonly<Record<string, readonly string[]>> = {
    wire: ['wire'],
    store: ['store/memory', 'store/sqlite'],
  };
  return (inside[layer] ?? [layer, `${layer}/deeper`]).map((folder) => [layer, `src/${folder}/probe.ts`]);
}

function fileIn(layer: string): string {
  return layer.endsWith('.ts') ? `src/${layer}` : `src/${layer}/target.ts`;
}

function relativeSpecifier(from: string, to: string): string {
  const path = posix.relative(posix.dirname(from), to);
  return path.startsWith('.') ? path : `./${path}`;
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function lint(folder: string): readonly { readonly path: string; readonly line: number }[] {
  const oxlint = join(ROOT, 'node_modules/oxlint/bin/oxlint');
  const run = spawnSync(process.execPath, [oxlint, '--format=json'], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  const { diagnostics } = JSON.parse(run.stdout) as {
    diagnostics: { code: string; filename: string; labels: { span: { line: number } }[] }[];
  };
  return diagnostics
    .filter(({ code }) => code.includes('no-restricted-imports'))
    .map(({ filename, labels }) => ({ path: filename, line: labels[0]?.span.line ?? 0 }));
}

test.each([
  ['src/cli/main.ts', ['./cli-error.ts', './command-table.ts', './option.ts']],
  ['src/cli/cli-error.ts', []],
  ['src/cli/command-table.ts', []],
  ['src/cli/option.ts', []],
])('%s imports no command statically, so that the command line loads only the called one', (path, files) => {
  const found = importsOf(path, readFileSync(join(ROOT, path), 'utf8'));
  const early = found.filter(({ kind }) => kind === 'static');
  expect(early.map(({ specifier }) => specifier)).toEqual(files);
});
