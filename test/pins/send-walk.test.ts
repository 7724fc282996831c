import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/** 115 at the last count. Lower it when files are merged: a newcomer who follows a message opens about so many of them. */
const MOST_FILES = 120;

test(`a blocking send with the memory store runs functions of at most ${MOST_FILES} files`, () => {
  const program = fileURLToPath(new URL('send-walk.ts', import.meta.url));
  const printed = execFileSync(process.execPath, ['--import', 'tsx', program], { encoding: 'utf8', stdio: 'pipe' });
  const files = JSON.parse(printed) as readonly string[];

  expect(files).toEqual(expect.arrayContaining(['engine/run/run.ts', 'node/listener.ts', 'store/memory/store.ts']));
  expect(files.length).toBeLessThanOrEqual(MOST_FILES);
});
