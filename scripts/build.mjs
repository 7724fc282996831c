/**
 * `npm run build [-- folder]`: makes what users install. Declarations come from `tsc`, one for each module. The code is
 * bundled, with what several entries need in chunks: to import 180 small modules takes five times as long as these few.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { directImports } from './direct-imports.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const folder = process.argv[2] ?? join(ROOT, 'dist');
const SERVER = /[\\/]src[\\/](engine|observe|server|store[\\/]memory|store[\\/]\w+\.ts)/;

rmSync(folder, { recursive: true, force: true });
declare();
const bundle = await rolldown({
  cwd: ROOT,
  input: entries(),
  platform: 'node',
  external: (id) => !id.startsWith('.') && !isAbsolute(id) && !id.startsWith('src/'),
  transform: { target: 'node20' },
  plugins: [directImports()],
});
const { output } = await bundle.write({
  dir: folder,
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: 'chunks/[name]-[hash].js',
  // Few files: a small one costs more to open than to read.
  codeSplitting: {
    groups: [
      // With what entries of several sides have in common: else servers would load the client for it, and receivers of
      // notifications both.
      {
        name: 'base',
        test: /[\\/]src[\\/](errors|model|support|client[\\/]event\.ts|observe[\\/](log|opentelemetry|trace-context)\.ts)/,
      },
      // All of the wire but what is in the next two, which is loaded late.
      {
        name: 'wire',
        test: /[\\/]src[\\/]wire[\\/](v1[\\/]|(?!select|card-forms|superset-card|canonical-card|card-document|card-marks|card-signature\.)[\w-]+\.ts)/,
      },
      // For those who sign cards, or check that they are signed.
      { name: 'signing', test: /[\\/]src[\\/]wire[\\/](canonical-card|card-document|card-marks|card-signature)\.ts/ },
      // What clients load when they meet an agent that is older than 1.0, and servers when they start.
      {
        name: 'dialects',
        test: /[\\/]src[\\/]wire[\\/](v0\d[\\/]|profiles[\\/]|(select|card-forms|superset-card)\.ts)/,
      },
      // Nor its entry, which loads the rest when it is called.
      { name: 'client', test: /[\\/]src[\\/]client[\\/](?!entry|inspect-card|verify-card)/ },
      // What help texts need, and what commands need that talk to agents.
      { name: 'command', test: /[\\/]src[\\/]cli[\\/](cli-error|command-table|option)\.ts/ },
      {
        name: 'cli',
        test: /[\\/]src[\\/]cli[\\/](commands[\\/]send\.ts|(?!main|demo-agent|load-agent|serving|artifact-files|card-details|completion|diagnosis|event-log)[\w-]+\.ts)/,
      },
      { name: 'push', test: /[\\/]src[\\/]push[\\/]/ },
      // What describes an agent and mounts it; and what it does at work, loaded when it starts.
      { name: 'server', tags: ['$initial'], test: SERVER },
      { name: 'engine', test: SERVER },
    ],
  },
  charset: 'ascii',
  comments: { annotation: true, jsdoc: false, legal: true },
});
for (const chunk of output) {
  if (chunk.type !== 'chunk') continue;
  const { fileName, moduleIds } = chunk;
  // Beside the code that reads them, wherever it has come to lie.
  const migrate = moduleIds.find((id) => /[\\/]src[\\/]store[\\/]\w+[\\/]migrate\.ts$/.test(id));
  if (migrate === undefined) continue;
  cpSync(join(dirname(migrate), 'migrations'), join(folder, dirname(fileName), 'migrations'), { recursive: true });
}

function declare() {
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
  const args = [tsc, '-p', 'tsconfig.build.json', '--emitDeclarationOnly', '--outDir', folder];
  execFileSync(process.execPath, args, { cwd: ROOT, stdio: 'inherit' });
}

/** The sources of all that `package.json` names in `dist/`, by that name. */
function entries() {
  /** @type {{ exports: Record<string, string | { default: string }>, bin: Record<string, string> }} */
  const { exports, bin } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const named = Object.values(exports).flatMap((entry) => (typeof entry === 'string' ? [] : entry.default));
  const names = [...named, ...Object.values(bin)].map((path) => relative('dist', path).replace(/\.js$/, ''));
  return Object.fromEntries(names.map((name) => [name, join('src', `${name}.ts`)]));
}
