/** Set-up of the project: builds the package once and lays it out as npm would, for programs that users would run. */
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of the installed package. Its `bin` has the command. */
    readonly installed: string;
  }
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'tandem-installed-'));
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
  const args = [tsc, '-p', join(ROOT, 'tsconfig.build.json'), '--outDir', join(folder, 'dist')];
  execFileSync(process.execPath, args, { stdio: 'inherit' });
  cpSync(join(ROOT, 'src/store/sqlite/migrations'), join(folder, 'dist/store/sqlite/migrations'), { recursive: true });
  cpSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction');
  mkdirSync(join(folder, 'bin'));
  symlinkSync('../dist/cli/main.js', join(folder, 'bin/tandem'));
  chmodSync(join(folder, 'dist/cli/main.js'), 0o755);
  project.provide('installed', folder);
  return () => rmSync(folder, { recursive: true });
}
