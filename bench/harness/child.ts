import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** The reply of a child process: its result, or the reason for its failure. */
export type Reply<T> =
  | { readonly ok: true; readonly id: number; readonly value: T }
  | { readonly ok: false; readonly id: number; readonly error: string };

interface ChildRequest {
  readonly id: number;
  readonly payload: unknown;
}

export interface ChildOptions {
  readonly args?: readonly string[];
  /** The working directory, in which the process writes files without a path. */
  readonly folder?: string;
  readonly nodeOptions?: readonly string[];
}

const running = new Set<ChildProcess>();

// When this process ends, its children end too. They also watch the channel (`handleRequests` below), so that not even a SIGKILL
// of this process leaves one behind.
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));

/** A Node process that handles one request at a time. */
export class Child {
  readonly #process: ChildProcess;
  readonly #name: string;
  #requests = 0;

  constructor(name: string, file: URL, { args = [], folder, nodeOptions = [] }: ChildOptions = {}) {
    this.#name = name;
    this.#process = fork(fileURLToPath(file), args, {
      // Express and similar frameworks are slower outside of production, so every contender runs in production mode.
      env: { ...process.env, NODE_ENV: 'production' },
      execArgv: [...process.execArgv, ...nodeOptions],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      ...(folder !== undefined && { cwd: folder }),
    });
    running.add(this.#process);
    this.#process.once('exit', () => running.delete(this.#process));
  }

  /** Resolves with the reply. Rejects if the child reports an error, exits, or takes longer than `limitMs`. */
  async request<T>(payload: unknown, limitMs: number): Promise<T> {
    const id = ++this.#requests;
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
        () => settle(() => reject(new Error(`${this.#name} did not reply within ${limitMs} ms`))),
        limitMs,
      );
      this.#process.on('message', onMessage);
      this.#process.on('exit', onExit);
      this.#process.send({ id, payload } satisfies ChildRequest);
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

/** The child's side: handles each request, and exits when the parent has ended. */
export function handleRequests(handle: (payload: unknown) => Promise<unknown>): void {
  process.on('disconnect', () => process.exit(0));
  process.on('message', (message) => {
    const { id, payload } = message as ChildRequest;
    handle(payload)
      .then(
        (value): Reply<unknown> => ({ ok: true, id, value }),
        (error): Reply<unknown> => ({ ok: false, id, error: error instanceof Error ? error.message : String(error) }),
      )
      .then((reply) => process.send?.(reply))
      // The channel is closed because the parent has ended.
      .catch(() => process.exit(1));
  });
}
