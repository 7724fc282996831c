import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const ROOT = new URL('../../', import.meta.url);
/** The peers live in `bench/node_modules`, so that the product's own install never sees them. */
export const BENCH_FOLDER = new URL('../', import.meta.url);

let isBuilt = false;
let hasModules = false;

/** Builds what users install. Once, however many benches ask for it. */
export function buildProduct(): void {
  if (isBuilt) return;
  isBuilt = true;
  console.log('bench: building the product (npm run build)');
  runNpm(['run', '--silent', 'build'], ROOT);
}

/** Imports an entry of the product by its path in `dist/`; `T` is `typeof import('../src/…')`. */
export function importProduct<T>(path: string): Promise<T> {
  return import(new URL(`dist/${path}`, ROOT).href) as Promise<T>;
}

/**
 * Compiles the modules that the product is bundled from, for benches of its inner parts: `tsx` names each function as it
 * is made, and a function made in a hot path pays for that each time.
 */
export function buildModules(): void {
  if (hasModules) return;
  hasModules = true;
  console.log('bench: compiling the modules of the product');
  const outDir = fileURLToPath(new URL('results/modules', BENCH_FOLDER));
  runNpm(['exec', '--', 'tsc', '-p', 'tsconfig.build.json', '--outDir', outDir], ROOT);
  for (const store of ['sqlite', 'postgres']) {
    const migrations = `store/${store}/migrations`;
    cpSync(new URL(`src/${migrations}`, ROOT), `${outDir}/${migrations}`, { recursive: true });
  }
}

/** Imports a module of the product by its path in `src/`, but with `.js`. */
export function importModule<T>(path: string): Promise<T> {
  return import(new URL(`results/modules/${path}`, BENCH_FOLDER).href) as Promise<T>;
}

export function installPeers(): void {
  // Also after a peer has come to the list.
  const installed = new URL('node_modules/.package-lock.json', BENCH_FOLDER);
  const wanted = new URL('package-lock.json', BENCH_FOLDER);
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(wanted).mtimeMs) return;
  console.log('bench: installing the peers into bench/node_modules (npm ci)');
  runNpm(['ci'], BENCH_FOLDER);
}

function runNpm(args: readonly string[], folder: URL): void {
  const options = { cwd: fileURLToPath(folder), stdio: 'inherit', shell: process.platform === 'win32' } as const;
  if (spawnSync('npm', args, options).status !== 0) throw new Error(`npm ${args.join(' ')} failed`);
}
