import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** What a child process answers: its result, or the reason why there is none. */
export type Reply<T> =
  | { readonly ok: true; readonly id: number; readonly value: T }
  | { readonly ok: false; readonly id: number; readonly error: string };

interface Question {
  readonly id: number;
  readonly ask: unknown;
}

export interface ChildOptions {
  readonly args?: readonly string[];
  /** Where it is at home: what it writes without a path is there. */
  readonly folder?: string;
  readonly nodeOptions?: readonly string[];
}

const running = new Set<ChildProcess>();

// Whatever ends this process, its children end too. They also watch the channel themselves (`answer` below), so that
// not even a SIGKILL here leaves one behind.
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));

/** A Node process of our own that answers questions, one at a time. */
export class Child {
  readonly #process: ChildProcess;
  readonly #name: string;
  #asked = 0;

  constructor(name: string, file: URL, { args = [], folder, nodeOptions = [] }: ChildOptions = {}) {
    this.#name = name;
    this.#process = fork(fileURLToPath(file), args, {
      // Express and its kin are slower outside of production; nobody is measured in that state.
      env: { ...process.env, NODE_ENV: 'production' },
      execArgv: [...process.execArgv, ...nodeOptions],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      ...(folder !== undefined && { cwd: folder }),
    });
    running.add(this.#process);
    this.#process.once('exit', () => running.delete(this.#process));
  }

  /** Resolves with the answer; rejects when the child reports an error, ends, or takes longer than `limitMs`. */
  async ask<T>(question: unknown, limitMs: number): Promise<T> {
    const id = ++this.#asked;
    const reply = await new Promise<Reply<T>>((resolve, reject) => {
      const settle = (run: () => void) => {
        clearTimeout(timer);
        this.#process.off('message', onMessage);
        this.#process.off('exit', onExit);
        run();
      };
      const onMessage = (message: unknown) => {
        const candidate = message as Reply<T>;
        if (candidate.id === id) settle(() => resolve(candidate));
      };
      const onExit = (code: number | null) => settle(() => reject(new Error(`${this.#name} ended with code ${code}`)));
      const timer = setTimeout(
        () => settle(() => reject(new Error(`${this.#name} gave no answer within ${limitMs} ms`))),
        limitMs,
      );
      this.#process.on('message', onMessage);
      this.#process.on('exit', onExit);
      this.#process.send({ id, ask: question } satisfies Question);
    });
    if (!reply.ok) throw new Error(`${this.#name}: ${reply.error}`);
    return reply.value;
  }

  async stop(): Promise<void> {
    if (!running.has(this.#process)) return;
    const ended = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await ended;
  }
}

/** The child's side: answers each question with `reply`, and ends when the parent is gone. */
export function answer(reply: (question: unknown) => Promise<unknown>): void {
  process.on('disconnect', () => process.exit(0));
  process.on('message', (message) => {
    const { id, ask } = message as Question;
    reply(ask)
      .then(
        (value): Reply<unknown> => ({ ok: true, id, value }),
        (error): Reply<unknown> => ({ ok: false, id, error: error instanceof Error ? error.message : String(error) }),
      )
      .then((answered) => process.send?.(answered))
      // The channel is closed: the parent is gone, and so are we.
      .catch(() => process.exit(1));
  });
}
