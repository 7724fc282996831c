import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { type Bundle, bundle } from '../crash/bundle.ts';

/** The time limit of a test with processes. Generous, because a machine may be busy. */
export const TIMEOUT_MS = 120_000;

/** A process that a test started. It sends messages, and replies to each request with a `Reply`. */
export class TestProcess<Reply> {
  readonly #process: ChildProcess;

  constructor(process: ChildProcess) {
    this.#process = process;
  }

  /** The next message of the process. @throws Error if the process ends first. */
  async nextMessage<T>(): Promise<T> {
    const ended = new AbortController();
    const { signal } = ended;
    const end = once(this.#process, 'exit', { signal }).then(([code, killer]) => {
      throw new Error(`The process ended with ${String(killer ?? code)}`);
    });
    try {
      const [message] = (await Promise.race([once(this.#process, 'message', { signal }), end])) as [T];
      return message;
    } finally {
      ended.abort();
      end.catch(() => {});
    }
  }

  async request(): Promise<Reply> {
    this.#process.send('?');
    return this.nextMessage<Reply>();
  }

  /** Repeats the request until its reply meets the condition. */
  async until(condition: (reply: Reply) => boolean): Promise<Reply> {
    for (;;) {
      const reply = await this.request();
      if (condition(reply)) return reply;
    }
  }

  /** Sends SIGKILL, and resolves when the process has ended. */
  async kill(): Promise<void> {
    const { exitCode, signalCode } = this.#process;
    if (exitCode !== null || signalCode !== null) return;
    const gone = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await gone;
  }
}

export interface TestProcesses {
  /** A folder for the data of this test file, removed after it. */
  readonly folder: string;
  /** Starts the program in a process, and kills it after the test. */
  start<Reply>(...args: readonly string[]): TestProcess<Reply>;
}

/** Call it at the top of a test file, with the program that its processes run. */
export function testProcesses(program: URL): TestProcesses {
  const folder = mkdtempSync(join(tmpdir(), 'tandem-streams-'));
  let built: Bundle | undefined;
  beforeAll(async () => {
    built = await bundle(program);
  }, TIMEOUT_MS);
  afterAll(() => {
    built?.remove();
    rmSync(folder, { recursive: true });
  });
  return {
    folder,
    start: (...args) => {
      const child = new TestProcess<never>(
        fork(built?.path ?? '', args, { execArgv: ['--expose-gc', '--enable-source-maps'] }),
      );
      onTestFinished(() => child.kill());
      return child;
    },
  };
}
