import { type ChildProcess, spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { join } from 'node:path';
import { inject, onTestFinished } from 'vitest';
import { shellWord } from '../../src/cli/invocation.ts';
import { ROOT } from './program.ts';

/** The `tandem` command on its own terminal. Its two output streams arrive as one text, as a user sees them. */
export class Terminal {
  readonly ended: Promise<number | null>;
  readonly #child: ChildProcess;
  readonly #waiting = new Set<() => void>();
  #raw = '';
  #from = 0;
  #hasEnded = false;

  constructor(args: readonly string[]) {
    const line = [process.execPath, join(inject('installed'), 'bin/tandem'), ...args].map(shellWord).join(' ');
    // `script` of macOS takes the command as arguments after the file.
    const words = process.platform === 'darwin' ? ['-q', '/dev/null', 'sh', '-c', line] : ['-qefc', line, '/dev/null'];
    const { NODE_OPTIONS: _, ...env } = process.env;
    this.#child = spawn('script', words, { cwd: ROOT, env: { ...env, TERM: 'xterm', NO_COLOR: '1' } });
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => this.#update(() => (this.#raw += text)));
    this.ended = new Promise((resolve) => {
      this.#child.on('close', (code) => {
        this.#update(() => (this.#hasEnded = true));
        resolve(code);
      });
    });
    onTestFinished(async () => {
      this.#child.kill('SIGKILL');
      await this.ended;
    });
  }

  /** Everything on the terminal so far, without control sequences. */
  get text(): string {
    return stripVTControlCharacters(this.#raw).replaceAll('\r', '');
  }

  /** Waits for a text after the one that was shown last, and returns everything up to it. */
  async shown(text: string): Promise<string> {
    const start = this.#from;
    await new Promise<void>((resolve, reject) => {
      const check = (): void => {
        const index = this.text.indexOf(text, start);
        if (index < 0 && !this.#hasEnded) return;
        this.#waiting.delete(check);
        if (index < 0) return reject(new Error(`Ended without ${JSON.stringify(text)}:\n${this.text}`));
        this.#from = index + text.length;
        resolve();
      };
      this.#waiting.add(check);
      check();
    });
    return this.text.slice(start, this.#from);
  }

  /** Waits for a prompt and types keys. */
  async type(prompt: string, keys: string): Promise<string> {
    const before = await this.shown(prompt);
    this.#child.stdin?.write(keys);
    return before;
  }

  #update(change: () => unknown): void {
    change();
    for (const check of this.#waiting) check();
  }
}

/** The keys of a line, and those that end the input or interrupt. */
export const ENTER = '\r';
export const CTRL_C = '\u0003';
export const CTRL_D = '\u0004';
