import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseEnv } from 'node:util';
import { CliError } from './cli-error.ts';

/** Settings from one place. */
export interface Layer {
  /** For people: a file, or the environment. */
  readonly name: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
}

/**
 * Where settings may come from that are not on the command line, the strongest first: the environment, a local `.env` or
 * the file that was named, the user's own.
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
  if (isNamed) throw new CliError('usage', `There is no file ${file} that could be read for --config`);
  return undefined;
}

function globalFile(): string {
  return configFile('a2a-cli', '.env');
}

/** A file in the folder where a user's settings are. */
export function configFile(...names: readonly string[]): string {
  return join(process.env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), ...names);
}

/** A file of this name in the current folder or in one above it. */
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
