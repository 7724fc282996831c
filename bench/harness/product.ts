import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const ROOT = new URL('../../', import.meta.url);

/**
 * Builds what users install. Our own code is measured from `dist/`, because `tsx` names each function as it is made, and
 * a function made in a hot path pays for that each time.
 */
export function buildProduct(): void {
  console.log('bench: building the product (npm run build)');
  runNpm(['run', '--silent', 'build'], ROOT);
}

/** Imports a built module by its path in `dist/`; `T` is `typeof import('../src/…')`. */
export function importProduct<T>(path: string): Promise<T> {
  return import(new URL(`dist/${path}`, ROOT).href) as Promise<T>;
}

export function runNpm(args: readonly string[], folder: URL): void {
  const options = { cwd: fileURLToPath(folder), stdio: 'inherit', shell: process.platform === 'win32' } as const;
  if (spawnSync('npm', args, options).status !== 0) throw new Error(`npm ${args.join(' ')} failed`);
}
