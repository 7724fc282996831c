import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject, onTestFinished } from 'vitest';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Several processes in sequence take a while on a busy machine. */
export const TIMEOUT_MS = 60_000;

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** The text on stdin; nothing if not set. */
  readonly input?: string;
}

/** A process whose output a test can wait for. It ends with its test. */
export class Program {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  stdout = '';
  stderr = '';
  readonly #waiting = new Set<() => void>();
  #hasEnded = false;

  constructor(command: string, args: readonly string[], { cwd = ROOT, env, input }: RunOptions) {
    const options = {
      cwd,
      env: { ...environment(), ...env },
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'] as ['ignore' | 'pipe', 'pipe', 'pipe'],
    };
    this.child = spawn(command, args, options);
    this.child.stdin?.end(input);
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => this.#hear(() => (this.stdout += text)));
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => this.#hear(() => (this.stderr += text)));
    this.ended = new Promise((resolve) => {
      this.child.on('close', (code, signal) => {
        this.#hear(() => (this.#hasEnded = true));
        resolve({ code, signal, stdout: this.stdout, stderr: this.stderr });
      });
    });
    onTestFinished(async () => {
      this.child.kill('SIGKILL');
      await this.ended;
    });
  }

  /** Waits for the first match in stdout. */
  said(pattern: RegExp): Promise<RegExpExecArray> {
    return this.#until(() => pattern.exec(this.stdout), pattern);
  }

  /** Waits for the first match in stderr. */
  told(pattern: RegExp): Promise<RegExpExecArray> {
    return this.#until(() => pattern.exec(this.stderr), pattern);
  }

  async kill(signal: NodeJS.Signals): Promise<Ended> {
    this.child.kill(signal);
    return this.ended;
  }

  #hear(change: () => unknown): void {
    change();
    for (const check of this.#waiting) check();
  }

  #until<T>(find: () => T | null, what: RegExp): Promise<T> {
    return new Promise((resolve, reject) => {
      const check = (): void => {
        const found = find();
        if (found === null && !this.#hasEnded) return;
        this.#waiting.delete(check);
        if (found !== null) resolve(found);
        else reject(new Error(`Ended without ${what}:\n${this.stdout}\n${this.stderr}`));
      };
      this.#waiting.add(check);
      check();
    });
  }
}

/** Returns the environment of a user, without the variables of a test run under npm. */
function environment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(npm_|PORT$|NODE_OPTIONS$|VITEST|TEST$|NODE_ENV$|A2ACLI_|XDG_CONFIG_HOME$)/.test(name),
  );
  return { ...Object.fromEntries(own), XDG_CONFIG_HOME: join(tmpdir(), 'tandem-no-settings') };
}

/** Runs the installed command. */
export function tandem(args: readonly string[], options: RunOptions = {}): Program {
  return new Program(process.execPath, [join(inject('installed'), 'bin/tandem'), ...args], options);
}

/** Runs the command from source, as `npm start` and `npm run tandem` do. */
export function tandemFromSource(args: readonly string[], options: RunOptions = {}): Program {
  const main = ['--import', import.meta.resolve('tsx'), join(ROOT, 'src/cli/main.ts')];
  return new Program(process.execPath, [...main, ...args], options);
}

/** Runs a line in a shell, as if a user pasted it. */
export function paste(line: string, options: RunOptions = {}): Program {
  const env = { PATH: `${join(inject('installed'), 'bin')}:${process.env['PATH']}`, ...options.env };
  return new Program('sh', ['-c', line], { ...options, env });
}

/** Creates a project with these files and the package installed, until the test ends. */
export function projectWith(files: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'tandem-cli-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(inject('installed'), join(folder, 'node_modules/tandem-a2a'), 'junction');
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

/** Returns the URL that a server printed for its card, without the path of the card. */
export async function addressOf(program: Program): Promise<string> {
  const [, url = ''] = await program.said(/^(http:\S+)\/\.well-known\/agent-card\.json$/m);
  return url;
}
