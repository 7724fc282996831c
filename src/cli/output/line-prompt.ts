import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';

/** Writes to stderr, except while the user types a secret. */
class Echo extends Writable {
  isMuted = false;

  /** readline needs the width to move the cursor in a line that wraps. */
  get columns(): number {
    return process.stderr.columns;
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: (error?: Error | null) => void): void {
    // At once: a chunk that waits for the one before could be written after the state of `isMuted` has changed.
    if (!this.isMuted) process.stderr.write(chunk);
    done();
  }
}

export interface PromptOptions {
  /** Does not echo the line, and keeps it out of the history of the prompt. */
  readonly isSecret?: boolean;
}

/** Whether a person can see a prompt and type an answer. */
export function isInteractive(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}

/** Reads lines from stdin. On a terminal, it prompts on stderr and lines can be edited. */
export class LinePrompt {
  readonly isInteractive = isInteractive();
  readonly #echo = new Echo();
  readonly #lines: Interface;
  readonly #iterator: AsyncIterator<string, unknown>;

  /** `onInterrupt` is called for Ctrl-C on a terminal. */
  constructor(onInterrupt: () => void) {
    const terminal = this.isInteractive ? { output: this.#echo, terminal: true } : { terminal: false };
    this.#lines = createInterface({ input: process.stdin, ...terminal });
    this.#iterator = this.#lines[Symbol.asyncIterator]();
    this.#lines.on('SIGINT', onInterrupt);
    this.#lines.on('history', (history) => {
      if (this.#echo.isMuted) history.shift();
    });
  }

  /** Returns the next line without surrounding spaces, or `undefined` at the end of the input. */
  async read(prompt: string, { isSecret = false }: PromptOptions = {}): Promise<string | undefined> {
    if (this.isInteractive) {
      this.#lines.setPrompt(prompt);
      this.#lines.prompt();
      this.#echo.isMuted = isSecret;
    }
    const line = await this.#iterator.next();
    const endsLine = this.isInteractive && (isSecret || line.done === true);
    this.#echo.isMuted = false;
    if (endsLine) process.stderr.write('\n');
    return line.done === true ? undefined : line.value.trim();
  }

  close(): void {
    this.#lines.close();
  }
}
