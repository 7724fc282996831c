/**
 * Set-up file of every test file: a test that leaves something running fails and says what it was. What is opened in
 * `beforeAll` may live until the end of the file, and must be gone then. So must what a file has changed for the files
 * that share its process.
 */
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

import { aroundAll, aroundEach } from 'vitest';

import { changesSince, takeSharedState } from './shared-state.ts';
import { setInTest, startWatching, stillRunning, stopAll, takeRejections } from './watch.ts';
import type { Running } from './watch.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const HELPERS = /test\/helpers\/(watch|leak-check)\.ts/;
/** How long a server that was told to close may take to lose its last connection, or a killed child to be gone. */
const ENDING_MS = 2000;

/** Saved before a test can put fake timers in their place. */
const { setImmediate: nextTurn, performance: clock } = globalThis;

startWatching();

let testsAtWork = 0;

aroundEach(async (runTest, { task }) => {
  testsAtWork += 1;
  setInTest(true);
  try {
    await runTest();
  } finally {
    testsAtWork -= 1;
  }
  // Concurrent tests share the process; the last one speaks for them all.
  if (testsAtWork > 0) return;
  const leaks = await findLeaks(false);
  setInTest(false);
  // A test that failed half-way had no chance to clean up; its own error is the one to read.
  if (leaks.length > 0 && task.result?.state !== 'fail') throw leakError('The test', leaks);
});

aroundAll(async (runSuite) => {
  const before = takeSharedState();
  await runSuite();
  const leaks = await findLeaks(true);
  if (leaks.length > 0) throw leakError('The file', leaks);
  const changes = changesSince(before);
  if (changes.length > 0) throw leakError('The file', changes, 'changed');
});

async function findLeaks(all: boolean): Promise<readonly string[]> {
  // Node reports an unhandled rejection after the microtasks, that is before the next turn.
  await turn();
  const giveUpAt = clock.now() + ENDING_MS;
  let left = stillRunning(all).filter(isOurs);
  while (left.length > 0 && left.every((one) => one.isEnding()) && clock.now() < giveUpAt) {
    await turn();
    left = stillRunning(all).filter(isOurs);
  }
  const leaks = left.map((one) => `${one.describe()} started at ${place(one)}`);
  stopAll(left);
  return [...leaks, ...takeRejections().map((reason) => `unhandled rejection: ${text(reason)}`)];
}

function turn(): Promise<void> {
  return new Promise((resolve) => nextTurn(resolve));
}

function leakError(who: string, leaks: readonly string[], how = 'running'): Error {
  const error = new Error(`${who} left ${how}:\n${leaks.map((leak) => `  - ${leak}`).join('\n')}`);
  // The stack would show this file only; the places are in the message.
  error.stack = `${error.name}: ${error.message}`;
  return error;
}

/** Timers that Node itself starts, such as those inside `fetch`, end by themselves and are nobody's leak. */
function isOurs(one: Running): boolean {
  return one.kind !== 'timer' || !/[ (]node:/.test(frames(one)[0] ?? '');
}

function place(one: Running): string {
  const lines = frames(one);
  const own =
    lines.find((line) => line.includes(ROOT) && !line.includes('node_modules')) ?? lines[0] ?? 'unknown place';
  const match = /(?:file:\/\/)?(\/[^\s()]+?)(?:\?[^:]*)?:(\d+):\d+\)?$/.exec(own);
  return match ? `${relative(ROOT, match[1] ?? '')}:${match[2]}` : own;
}

function frames(one: Running): readonly string[] {
  const lines = (one.origin.stack ?? '').split('\n').filter((line) => line.trimStart().startsWith('at '));
  return lines.filter((line) => !HELPERS.test(line));
}

function text(reason: unknown): string {
  return reason instanceof Error ? `${reason.name}: ${reason.message}` : String(reason);
}
