/** Starts processes to attack, each with a small heap, and an innocent caller that uses them meanwhile. */
import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, vi } from 'vitest';
import { type Bundle, bundle } from '../crash/bundle.ts';
import { TestProcess } from '../streams/child-process.ts';
import { call, sendOf } from './calls.ts';
import type { Condition, VictimArguments } from './victim-server.ts';

/** Long enough for a busy machine; it still catches a hang. */
export const TIMEOUT_MS = 120_000;

/**
 * How long the innocent caller waits for a response. Below the 30 s after which the server closes unread connections, because
 * a server that these had blocked would recover then. Not lower, because an attack may delay a response by some seconds on a
 * busy machine, and the test looks for a server that hangs, not for a slow one.
 */
const BOB_TIMEOUT_MS = 20_000;

export interface VictimOptions {
  /** The heap of the process, in MiB. */
  readonly heapMb: number;
  /** Where tasks are stored. Default: in memory. */
  readonly store?: 'memory' | 'sqlite';
  /** The limit of a store in memory, in bytes. Default: that of the store. */
  readonly storeBytes?: number;
  /** Whether the rate limit is off, for tests about other limits. */
  readonly isUnlimited?: boolean;
}

/** A process that is attacked. */
export interface Victim {
  readonly port: number;
  condition(): Promise<Condition>;
}

/** Call it at the top of a test file. */
export function victims(): (options: VictimOptions) => Promise<Victim> {
  const folder = mkdtempSync(join(tmpdir(), 'tandem-attacks-'));
  let built: Bundle | undefined;
  let files = 0;
  vi.setConfig({ testTimeout: TIMEOUT_MS });
  beforeAll(async () => {
    built = await bundle(new URL('victim-server.ts', import.meta.url));
  }, TIMEOUT_MS);
  afterAll(() => {
    built?.remove();
    rmSync(folder, { recursive: true });
  });
  return async ({ heapMb, store = 'memory', storeBytes, isUnlimited = false }) => {
    const file = store === 'sqlite' ? join(folder, `${++files}.db`) : undefined;
    const args = [JSON.stringify({ file, storeBytes, isUnlimited } satisfies VictimArguments)];
    const execArgv = [`--max-old-space-size=${heapMb}`, '--expose-gc', '--enable-source-maps'];
    const child = new TestProcess<Condition>(fork(built?.path ?? '', args, { execArgv }));
    onTestFinished(() => child.kill());
    const port = await child.nextMessage<number>();
    return { port, condition: () => child.request() };
  };
}

/** The state of the innocent caller. */
export interface Bob {
  /** Whether bob has sent a message and got its response since the attack began. */
  readonly isServed: boolean;
  /** Resolves when bob has the response to a message sent after this call. For an attack whose effect lasts. */
  served(): Promise<void>;
}

/**
 * Runs an attack while another caller, bob, sends small messages, one after the other. Bob gets a normal response to each of
 * them, before, during and after the attack. An attack has to last until bob is served: at least one of these
 * messages is sent and responded to while the attack runs.
 */
export async function whileBobCalls<T>({ port }: Victim, attack: (bob: Bob) => Promise<T>): Promise<T> {
  const problems: string[] = [];
  let sent = 0;
  const state = { isAttacking: false, isServed: false };
  let waiting: { readonly after: number; readonly resolve: () => void }[] = [];
  const ask = async (): Promise<void> => {
    const number = ++sent;
    const { isAttacking } = state;
    try {
      const { status, text } = await call(port, 'bob', sendOf('hello'), AbortSignal.timeout(BOB_TIMEOUT_MS));
      if (status !== 200 || !text.includes('TASK_STATE_COMPLETED')) problems.push(`${status} ${text.slice(0, 300)}`);
    } catch (error) {
      problems.push(String((error as Error).cause ?? error));
    }
    if (isAttacking && state.isAttacking) state.isServed = true;
    // After a problem bob sends nothing more: the test fails, and must not wait for bob.
    const isWaitedFor = ({ after }: { readonly after: number }): boolean => number > after || problems.length > 0;
    for (const { resolve } of waiting.filter(isWaitedFor)) resolve();
    waiting = waiting.filter((one) => !isWaitedFor(one));
  };
  const bob: Bob = {
    get isServed() {
      return state.isServed || problems.length > 0;
    },
    served: () =>
      new Promise((resolve) => {
        if (problems.length > 0) resolve();
        else waiting.push({ after: sent, resolve });
      }),
  };
  await ask();
  state.isAttacking = true;
  const attacking = attack(bob);
  const calling = (async () => {
    while (state.isAttacking && problems.length === 0) {
      await ask();
      // Within the default rate, however fast the machine is.
      await new Promise((resolve) => setTimeout(resolve, 150));
    }
  })();
  try {
    return await attacking;
  } finally {
    state.isAttacking = false;
    await calling;
    await ask();
    expect(problems).toEqual([]);
    expect(state).toMatchObject({ isServed: true });
  }
}
