import { mkdir, writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = new URL('../results/', import.meta.url);

/** Facts about the machine that are needed to interpret the numbers. */
export function machineFacts() {
  const cores = cpus();
  return {
    node: process.version,
    v8: process.versions.v8,
    platform: `${process.platform} ${process.arch}`,
    cpu: cores[0]?.model ?? 'unknown',
    cores: cores.length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
  };
}

/** Writes a result with all its rounds. Returns the path of the file relative to the current directory. */
export async function writeResult(name: string, started: Date, result: object): Promise<string> {
  const stamp = started.toISOString().slice(0, 19).replaceAll(':', '');
  const file = new URL(`${stamp}-${name}.json`, FOLDER);
  await mkdir(FOLDER, { recursive: true });
  const content = { name, started: started.toISOString(), machine: machineFacts(), ...result };
  await writeFile(file, `${JSON.stringify(content, undefined, 2)}\n`);
  return relative(process.cwd(), fileURLToPath(file));
}
