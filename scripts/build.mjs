/**
 * `npm run build [-- folder]`: makes what users install. Declarations come from `tsc`, one for each module. The code is
 * bundled, with what several entries need in chunks: to import 180 small modules takes five times as long as these few.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const folder = process.argv[2] ?? join(ROOT, 'dist');

rmSync(folder, { recursive: true, force: true });
declare();
const { metafile } = await build({
  absWorkingDir: ROOT,
  entryPoints: entries(),
  outbase: 'src',
  outdir: folder,
  bundle: true,
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  format: 'esm',
  platform: 'node',
  target: 'node20',
  packages: 'external',
  metafile: true,
  logLevel: 'warning',
});
for (const [output, { inputs }] of Object.entries(metafile.outputs)) {
  // Beside the code that reads them, wherever it has come to lie.
  const migrate = Object.keys(inputs).find((input) => /^src\/store\/\w+\/migrate\.ts$/.test(input));
  if (migrate === undefined) continue;
  cpSync(join(ROOT, dirname(migrate), 'migrations'), join(ROOT, dirname(output), 'migrations'), { recursive: true });
}

function declare() {
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
  const args = [tsc, '-p', 'tsconfig.build.json', '--emitDeclarationOnly', '--outDir', folder];
  execFileSync(process.execPath, args, { cwd: ROOT, stdio: 'inherit' });
}

/** The sources of all that `package.json` names in `dist/`. */
function entries() {
  /** @type {{ exports: Record<string, string | { default: string }>, bin: Record<string, string> }} */
  const { exports, bin } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const named = Object.values(exports).flatMap((entry) => (typeof entry === 'string' ? [] : entry.default));
  return [...named, ...Object.values(bin)].map((path) => join('src', relative('dist', path)).replace(/\.js$/, '.ts'));
}
