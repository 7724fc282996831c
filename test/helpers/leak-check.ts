/**
 * Set-up file of every test file. A test that leaves something running fails, and its failure names it. Resources that
 * `beforeAll` opens may live until the end of the file. Changes of state that the files of a process share must be undone
 * at the end of the file, too.
 */
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

import { aroundAll, aroundEach } from 'vitest';

import { changesSince, takeSharedState } from './shared-state.ts';
import { setInTest, startTracking, stillRunning, stopAll, takeRejections } from './track-resources.ts';
import type { Running } from './track-resources.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const HELPERS = /test\/helpers\/(track-resources|leak-check)\.ts/;
/** The time limit for a closed server to lose its last connection, and for a killed child process to exit. */
const ENDING_MS = 2000;

/** Saved before a test can put fake timers in their place. */
const { setImmediate: nextTurn, performance: clock } = globalThis;

startTracking();

let runningTests = 0;

aroundEach(async (runTest, { task }) => {
  runningTests += 1;
  setInTest(true);
  try {
    await runTest();
  } finally {
    runningTests -= 1;
  }
  // Concurrent tests share the process, so leaks are reported at the end of the last one.
  if (runningTests > 0) return;
  const leaks = await findLeaks(false);
  setInTest(false);
  // A failed test may not have cleaned up. Its own error matters more.
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
  // Node reports an unhandled rejection after the microtasks, before the next turn.
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

function leakError(owner: string, leaks: readonly string[], how = 'running'): Error {
  const error = new Error(`${owner} left ${how}:\n${leaks.map((leak) => `  - ${leak}`).join('\n')}`);
  // The stack has only frames of this file. The places are in the message.
  error.stack = `${error.name}: ${error.message}`;
  return error;
}

/** Timers that Node itself starts, such as those inside `fetch`, end by themselves and are not leaks. */
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
