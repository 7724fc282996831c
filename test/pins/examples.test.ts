import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const EXAMPLE = 'examples/durable-agent/main.ts';

/** Runs an example with a fresh file for its tasks, and gives the lines it prints. */
async function run(example: string, ...more: readonly string[]): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'tandem-example-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const args = ['--import', 'tsx', example, join(folder, 'tasks.db'), ...more];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT });
  return stdout.trim().split('\n');
}

test('the example of the README is the one that runs', () => {
  const [, ...code] = readFileSync(join(ROOT, EXAMPLE), 'utf8').trim().split('\n');
  expect(readFileSync(join(ROOT, 'README.md'), 'utf8')).toContain(code.join('\n'));
});

test('the durable agent asks, is stopped, and goes on', async () => {
  expect(await run(EXAMPLE)).toEqual([
    "{ text: 'Shall I book the 9:05 to Rome? (yes/no)' }",
    "{ text: 'Booked the 9:05 to Rome.' }",
  ]);
});

test('the agent in Express shows its card, and the process ends', async () => {
  const lines = await run('examples/express/main.ts', 'once');
  expect(lines.join('\n')).toMatch(/name: 'Echo'[^]+url: 'http:\/\/127\.0\.0\.1:\d+\/agent\/a2a'/);
});
