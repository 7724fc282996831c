/**
 * `npm run build [-- folder]`: builds the package that users install. Declarations come from `tsc`, one file per
 * module. The code is bundled, with shared code in chunks, because importing 180 small modules takes five times as
 * long.
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
const SEND = within('cli/commands/send.ts');
const AGENT_COMMANDS = within('cli', '!cli/main.ts', '!cli/{commands,details,project,serving}');
const SERVER = within('agent', 'engine', 'host', 'observe', 'server', 'store/memory');

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
  // Few files, because opening a small file takes longer than reading it.
  codeSplitting: {
    groups: [
      // Shared by client, server and webhooks. Without this group, servers would load the client, and webhook receivers
      // both.
      {
        name: 'base',
        test: within(
          'errors.ts',
          'model',
          '!model/answer-schema.ts',
          'support',
          '!support/http-client',
          'client/event.ts',
          'observe/{log,opentelemetry,trace-context}.ts',
        ),
      },
      // The HTTP client, which the client, push notifications and JWKS share.
      { name: 'http', test: within('support/http-client') },
      // With the answer schemas, which servers check, and commands that prompt for answers.
      {
        name: 'wire',
        test: within(
          'wire',
          'model/answer-schema.ts',
          '!wire/{v01,v02,v03,profiles,card/signing,card/served}',
          '!wire/select.ts',
        ),
      },
      // Loaded late: signing cards, verifying their signatures, and versions before 1.0.
      { name: 'signing', test: within('wire/card/signing') },
      { name: 'dialects', test: within('wire/{v01,v02,v03,profiles,card/served}', 'wire/select.ts') },
      // Without the entry, which loads the rest when it is called, and without two functions that are called
      // separately.
      { name: 'client', test: within('client', '!client/entry.ts', '!client/card/{inspect-card,verify-card}.ts') },
      // Help texts need the first group, commands that call agents the second.
      { name: 'command', test: within('cli/{cli-error,command-table,option}.ts') },
      { name: 'cli', test: (id) => AGENT_COMMANDS(id) || SEND(id) },
      { name: 'push', test: within('push') },
      // Shared by all stores. Without the entry, which only exports it to authors of other stores.
      { name: 'store', test: within('store', '!store/{memory,sqlite,postgres}', '!store/index.ts') },
      // The first group describes and mounts an agent; the second is loaded when it starts.
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
  // Copied beside the code that reads them, whichever chunk contains it.
  const migrate = moduleIds.find((id) => /[\\/]src[\\/]store[\\/]\w+[\\/]migrate\.ts$/.test(id));
  if (migrate === undefined) continue;
  cpSync(join(dirname(migrate), 'migrations'), join(folder, dirname(fileName), 'migrations'), { recursive: true });
}

function declare() {
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
  const args = [tsc, '-p', 'tsconfig.build.json', '--emitDeclarationOnly', '--outDir', folder];
  execFileSync(process.execPath, args, { cwd: ROOT, stdio: 'inherit' });
}

/** The source of each file in `dist/` that `package.json` names, by that name. */
function entries() {
  /** @type {{ exports: Record<string, string | { default: string }>, bin: Record<string, string> }} */
  const { exports, bin } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const named = Object.values(exports).flatMap((entry) => (typeof entry === 'string' ? [] : entry.default));
  const names = [...named, ...Object.values(bin)].map((path) => relative('dist', path).replace(/\.js$/, ''));
  return Object.fromEntries(names.map((name) => [name, join('src', `${name}.ts`)]));
}

/**
 * Whether a module is in one of the folders, or is one of the files, below `src`. `{a,b}` stands for either; a path
 * with `!` before it excludes.
 * @param {...string} paths
 * @returns {(id: string) => boolean}
 */
function within(...paths) {
  const excluded = paths.filter((path) => path.startsWith('!')).map((path) => toPattern(path.slice(1)));
  const included = paths.filter((path) => !path.startsWith('!')).map(toPattern);
  return (id) => {
    const path = relative(ROOT, id).replaceAll('\\', '/');
    return included.some((pattern) => pattern.test(path)) && !excluded.some((pattern) => pattern.test(path));
  };
}

/** @param {string} path */
function toPattern(path) {
  return new RegExp(
    `^src/${path.replaceAll('.', '\\.').replaceAll(',', '|').replace('{', '(').replace('}', ')')}(/|$)`,
  );
}
