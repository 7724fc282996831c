import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { LogSync } from './log-sync.ts';

function openLog(): LogSync {
  const folder = mkdtempSync(join(tmpdir(), 'tandem-log-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'tasks.db');
  writeFileSync(`${file}-wal`, 'x');
  return new LogSync(file);
}

const outcome = (log: LogSync, isUrgent: boolean): Promise<Error | null> =>
  new Promise((resolve) => log.sync(isUrgent, resolve));

test.each([
  ['synchronously', true],
  ['in another thread', false],
])('the log is synced %s', async (_, isUrgent) => {
  const log = openLog();
  expect(await outcome(log, isUrgent)).toBeNull();
  log.close();
  // Only the system knows that the file is closed.
  expect(await outcome(log, isUrgent)).toMatchObject({ code: 'EBADF' });
});
