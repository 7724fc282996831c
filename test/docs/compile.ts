/** Compiles programs as users do: against the declarations of the package, with plain `strict`. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The options of a user who has not changed many. */
export const OPTIONS = {
  target: 'es2022',
  lib: ['es2023', 'esnext.disposable'],
  types: ['node'],
  module: 'nodenext',
  strict: true,
  noEmit: true,
  allowJs: true,
  allowImportingTsExtensions: true,
  skipLibCheck: true,
};

export interface Diagnostic {
  /** The path, relative to the folder. */
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

/**
 * The errors that the compiler reports for the files below a folder.
 *
 * @param compiler Its package or folder; the version of the project if not set.
 */
export async function compile(
  folder: string,
  options: Readonly<Record<string, unknown>> = OPTIONS,
  exclude: readonly string[] = [],
  compiler = 'typescript',
): Promise<readonly Diagnostic[]> {
  const config = { compilerOptions: options, include: ['**/*.ts', '**/*.js'], exclude };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const tsc = join(dirname(createRequire(import.meta.url).resolve(`${compiler}/package.json`)), 'bin/tsc');
  const args = [tsc, '-p', folder, '--pretty', 'false'];
  const output = await new Promise<string>((resolve) => {
    execFile(process.execPath, args, { cwd: folder }, (_error, stdout) => resolve(stdout));
  });
  const found = [...output.matchAll(/^(.+?)\((\d+),\d+\): (error TS\d+: .*(?:\n .*)*)/gm)];
  if (found.length === 0 && output.trim() !== '') throw new Error(output);
  const diagnostics = found.map(([, file = '', line = '0', text = '']) => ({ file, line: Number(line), text }));
  // The compiler checks no types while a file cannot be parsed.
  const unparsed = diagnostics.filter(({ text }) => /^error TS1\d{3}:/.test(text)).map(({ file }) => file);
  if (unparsed.length === 0) return diagnostics;
  return [...diagnostics, ...(await compile(folder, options, [...exclude, ...unparsed], compiler))];
}
