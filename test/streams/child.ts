import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { type Bundle, bundle } from '../crash/bundle.ts';

/** For a test with processes: a machine may be busy. */
export const TIMEOUT_MS = 120_000;

/** A process of the test's own, which tells things and answers questions. */
export class Child<Answer> {
  readonly #process: ChildProcess;

  constructor(process: ChildProcess) {
    this.#process = process;
  }

  /** What it says next. @throws Error if it ends before. */
  async says<T>(): Promise<T> {
    const ended = new AbortController();
    const { signal } = ended;
    const end = once(this.#process, 'exit', { signal }).then(([code, killer]) => {
      throw new Error(`The process ended with ${String(killer ?? code)}`);
    });
    try {
      const [said] = (await Promise.race([once(this.#process, 'message', { signal }), end])) as [T];
      return said;
    } finally {
      ended.abort();
      end.catch(() => {});
    }
  }

  async ask(): Promise<Answer> {
    this.#process.send('?');
    return this.says<Answer>();
  }

  /** Asks until the answer is as wanted. */
  async until(holds: (answer: Answer) => boolean): Promise<Answer> {
    for (;;) {
      const answer = await this.ask();
      if (holds(answer)) return answer;
    }
  }

  /** SIGKILL, and resolves when it is gone. */
  async kill(): Promise<void> {
    const { exitCode, signalCode } = this.#process;
    if (exitCode !== null || signalCode !== null) return;
    const gone = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await gone;
  }
}

export interface Children {
  /** For the files of this test file; gone after it. */
  readonly folder: string;
  /** Starts the program in a process that is gone after the test. */
  start<Answer>(...args: readonly string[]): Child<Answer>;
}

/** To be called at the top of a test file, with the program that its processes run. */
export function children(program: URL): Children {
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
      const child = new Child<never>(
        fork(built?.path ?? '', args, { execArgv: ['--expose-gc', '--enable-source-maps'] }),
      );
      onTestFinished(() => child.kill());
      return child;
    },
  };
}
