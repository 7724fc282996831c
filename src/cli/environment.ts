import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseEnv } from 'node:util';
import { CliError } from './cli-error.ts';

/** The settings of one source. */
export interface Layer {
  /** The source as the user sees it: a file, or the environment. */
  readonly name: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
}

/**
 * Returns the sources of settings after the command line, in order of precedence: the environment, the nearest `.env` or the
 * file of `--config`, the settings of the user.
 */
export function settingLayers(config: string | undefined): readonly Layer[] {
  const files = [config === undefined ? nearestFile('.env') : config, globalFile()];
  return [
    { name: 'environment', variables: process.env },
    ...files.flatMap((file) => (file === undefined ? [] : (layerOf(file, file === config) ?? []))),
  ];
}

function layerOf(file: string, isNamed: boolean): Layer | undefined {
  const text = readIfThere(file);
  if (text !== undefined) return { name: file, variables: parseEnv(text) };
  if (isNamed) throw new CliError('usage', `The file ${file} of --config does not exist or cannot be read`);
  return undefined;
}

function globalFile(): string {
  return configFile('a2a-cli', '.env');
}

/** Returns the path of a file in the settings folder of the user. */
export function configFile(...names: readonly string[]): string {
  return join(process.env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), ...names);
}

/** Finds a file of this name in the current folder or in the nearest folder above it. */
export function nearestFile(name: string): string | undefined {
  for (let folder = process.cwd(); ; folder = dirname(folder)) {
    const file = join(folder, name);
    if (readIfThere(file) !== undefined) return file;
    if (dirname(folder) === folder) return undefined;
  }
}

export function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
