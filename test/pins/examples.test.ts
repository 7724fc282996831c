import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const EXAMPLE = 'examples/durable-agent/main.ts';

test('the example of the README is the one that runs', () => {
  const [, ...code] = readFileSync(join(ROOT, EXAMPLE), 'utf8').trim().split('\n');
  expect(readFileSync(join(ROOT, 'README.md'), 'utf8')).toContain(code.join('\n'));
});

test('the durable agent asks, is stopped, and goes on', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tandem-example-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const args = ['--import', 'tsx', EXAMPLE, join(folder, 'tasks.db')];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT });
  expect(stdout.trim().split('\n')).toEqual([
    "{ text: 'Shall I book the 9:05 to Rome? (yes/no)' }",
    "{ text: 'Booked the 9:05 to Rome.' }",
  ]);
});
