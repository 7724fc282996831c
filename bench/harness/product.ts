import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const ROOT = new URL('../../', import.meta.url);
/** The peers are installed in `bench/node_modules`, separate from the dependencies of the product. */
export const BENCH_FOLDER = new URL('../', import.meta.url);

let isBuilt = false;
let hasModules = false;

/** Builds the package as users install it, once for all benches. */
export function buildProduct(): void {
  if (isBuilt) return;
  isBuilt = true;
  console.log('bench: building the product (npm run build)');
  runNpm(['run', '--silent', 'build'], ROOT);
}

/** Imports an entry of the product by its path in `dist/`. `T` is `typeof import('../src/…')`. */
export function importProduct<T>(path: string): Promise<T> {
  return import(new URL(`dist/${path}`, ROOT).href) as Promise<T>;
}

/**
 * Compiles the modules of the product, for benches of its internals. `tsx` is not an option: it adds a call that names
 * each function when it is created, which slows hot paths that create functions.
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

/** Imports a module of the product by its path in `src/`, with the extension `.js`. */
export function importModule<T>(path: string): Promise<T> {
  return import(new URL(`results/modules/${path}`, BENCH_FOLDER).href) as Promise<T>;
}

export function installPeers(): void {
  // True even if a peer was added to the list later.
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
