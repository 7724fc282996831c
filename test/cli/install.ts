/** Set-up of the project: builds the package once and lays it out as npm would, for programs that users would run. */
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
  execFileSync(process.execPath, [join(ROOT, 'scripts/build.mjs'), join(folder, 'dist')], { stdio: 'inherit' });
  cpSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction');
  mkdirSync(join(folder, 'bin'));
  for (const name of ['tandem', 'tandem-a2a']) symlinkSync('../dist/cli/main.js', join(folder, 'bin', name));
  // Runs the installed command; the real `npx` would ask the registry.
  writeFileSync(join(folder, 'bin/npx'), '#!/bin/sh\nexec "$@"\n', { mode: 0o755 });
  chmodSync(join(folder, 'dist/cli/main.js'), 0o755);
  project.provide('installed', folder);
  return () => rmSync(folder, { recursive: true });
}
