import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Name of a peer → the command that starts its program. */
    livePeers: Readonly<Record<string, readonly string[]>>;
  }
}

interface Pending {
  event(value: unknown): void;
  end(value: unknown): void;
  fail(error: Error): void;
}

/** An error that the program of a peer reported. `name` is the class that the peer's SDK threw. */
class PeerError extends Error {
  constructor(name: string, message: string) {
    super(message);
    this.name = name;
  }
}

/**
 * The process of a peer. It reads calls from stdin and writes results to stdout, one JSON object a line:
 *
 *     → {"id":1,"call":"stream","args":{…}}        → {"id":1,"call":"leave"}
 *     ← {"id":1,"event":…} …  ← {"id":1,"result":…}  or  {"id":1,"error":{"name":…,"message":…}}
 *
 * Other lines on stdout are log lines of the peer. They and stderr are shown when the process ends by itself.
 */
export class Program {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #pending = new Map<number, Pending>();
  readonly #log: string[] = [];
  #calls = 0;
  #ended: Error | undefined;

  constructor(name: string, [command = '', ...args]: readonly string[]) {
    this.#child = spawn(command, args, { cwd: fileURLToPath(new URL('.', import.meta.url)) });
    createInterface(this.#child.stdout).on('line', (line) => this.#take(line));
    createInterface(this.#child.stderr).on('line', (line) => this.#note(line));
    const end = (how: string) => {
      this.#ended ??= new Error(`The program of ${name} ended (${how}):\n${this.#log.join('\n')}`);
      for (const pending of this.#pending.values()) pending.fail(this.#ended);
      this.#pending.clear();
    };
    this.#child.on('error', ({ message }) => end(message));
    this.#child.on('close', (code, signal) => end(signal ?? `exit code ${code}`));
    // A write to a process that has just ended fails; `close` reports why.
    this.#child.stdin.on('error', () => {});
  }

  call(call: string, args: object = {}): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#start(call, args, { event() {}, end: resolve, fail: reject });
    });
  }

  /** Yields the events of a call as they arrive. Leaving the loop stops the call in the program. */
  async *stream(call: string, args: object = {}): AsyncGenerator<unknown, void, void> {
    const events: unknown[] = [];
    let isOver = false;
    let error: Error | undefined;
    let wake = () => {};
    const id = this.#start(call, args, {
      event: (value) => {
        events.push(value);
        wake();
      },
      end: () => {
        isOver = true;
        wake();
      },
      fail: (reason) => {
        error = reason;
        isOver = true;
        wake();
      },
    });
    try {
      for (;;) {
        while (events.length > 0) yield events.shift();
        if (isOver) break;
        await new Promise<void>((resolve) => void (wake = resolve));
      }
      if (error !== undefined) throw error;
    } finally {
      if (!isOver) this.#write({ id, call: 'leave' });
    }
  }

  async close(): Promise<void> {
    if (this.#ended !== undefined) return;
    const closed = once(this.#child, 'close');
    this.#child.kill('SIGKILL');
    await closed;
  }

  #start(call: string, args: object, pending: Pending): number {
    const id = ++this.#calls;
    if (this.#ended !== undefined) {
      pending.fail(this.#ended);
      return id;
    }
    this.#pending.set(id, pending);
    this.#write({ id, call, args });
    return id;
  }

  #write(line: object): void {
    this.#child.stdin.write(`${JSON.stringify(line)}\n`);
  }

  #take(line: string): void {
    if (!line.startsWith('{"id":')) return this.#note(line);
    const { id, event, result, error } = JSON.parse(line) as {
      readonly id: number;
      readonly event?: unknown;
      readonly result?: unknown;
      readonly error?: { readonly name: string; readonly message: string };
    };
    const pending = this.#pending.get(id);
    if (event !== undefined) return pending?.event(event);
    this.#pending.delete(id);
    if (error === undefined) pending?.end(result);
    else pending?.fail(new PeerError(error.name, error.message));
  }

  #note(line: string): void {
    this.#log.push(line);
    if (this.#log.length > 100) this.#log.shift();
  }
}

/** Starts the program of a peer for the tests of the file. */
export function startProgram(name: string): Program {
  const command = inject('livePeers')[name];
  if (command === undefined) throw new Error(`There is no live peer ${name}`);
  const program = new Program(name, command);
  afterAll(() => program.close());
  return program;
}
