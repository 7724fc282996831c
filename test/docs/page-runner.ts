/** Runs the programs and commands of a page in one folder, from top to bottom. A server stays until the next one. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { transformSync } from 'rolldown/utils';

import type { Expected } from './page.ts';

const PRELOAD = fileURLToPath(new URL('move-ports.ts', import.meta.url));
const TSX = import.meta.resolve('tsx');
const ENDS_MS = 60_000;

export class PageRunner {
  readonly #folder: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #ports: string;
  readonly #servers: ChildProcess[] = [];

  /** @param bin The folder of the commands that the page may call. */
  constructor(folder: string, bin: string) {
    this.#folder = folder;
    this.#ports = join(folder, '.ports');
    mkdirSync(this.#ports, { recursive: true });
    // Plain JavaScript, because commands are loaded without tsx.
    const preload = join(folder, '.move-ports.mjs');
    writeFileSync(preload, transformSync(PRELOAD, readFileSync(PRELOAD, 'utf8')).code);
    const own = Object.entries(process.env).filter(
      ([name]) =>
        !/^(?:npm_|PORT$|BIND_HOST$|NODE_OPTIONS$|VITEST|TEST$|NODE_ENV$|A2A|TANDEM_|CRON_SECRET$|CI$)/.test(name),
    );
    this.#env = {
      ...Object.fromEntries(own),
      PATH: `${bin}:${process.env['PATH']}`,
      NODE_OPTIONS: `--import ${pathToFileURL(preload).href}`,
      PAGE_PORTS: this.#ports,
      XDG_CONFIG_HOME: join(folder, '.config'),
      NO_COLOR: '1',
    };
  }

  /** Resolves when the program has ended, or when it listens. Rejects if its output is not as expected. */
  async runProgram(file: string, expected: Expected): Promise<void> {
    if (/\bserve\(|\.listen\(/.test(readFileSync(join(this.#folder, file), 'utf8'))) await this.end();
    const loaded = join(this.#folder, `.loaded-${file}`);
    const starter = join(this.#folder, `.start-${file}.mjs`);
    writeFileSync(
      starter,
      `import { writeFileSync } from 'node:fs';\nawait import('./${file}');\nwriteFileSync(${JSON.stringify(loaded)}, '');\n`,
    );
    await this.#run(process.execPath, ['--import', TSX, starter], expected, () => existsSync(loaded));
  }

  /** Runs commands as in a terminal. Commands that serve stay in the background. */
  async runShell(command: string, expected: Expected): Promise<void> {
    const isServer = /\btandem(?:-a2a)? (?:serve|demo)\b/.test(command);
    if (isServer) await this.end();
    await this.#run('sh', ['-e', '-c', this.#withPorts(command)], expected, () => isServer);
  }

  /** Stops the running programs. */
  async end(): Promise<void> {
    for (const child of this.#servers.splice(0)) await stop(child);
  }

  async #run(command: string, args: readonly string[], expected: Expected, isReady: () => boolean): Promise<void> {
    const before = this.#listening();
    // In its own process group, so that the children of a shell end with it.
    const child = spawn(command, args, {
      cwd: this.#folder,
      env: this.#env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const isOver = (): boolean => child.exitCode !== null || child.signalCode !== null;
    const until = performance.now() + ENDS_MS;
    let port: string | undefined;
    while (!isOver()) {
      port ??= this.#listening().find((one) => !before.includes(one));
      if (port !== undefined && isReady() && this.#differs(stdout, expected) === undefined) break;
      if (performance.now() > until) {
        await stop(child);
        throw new Error(`it did not end within ${ENDS_MS / 1000} s\n${stdout}${stderr}`);
      }
      await sleep(10);
    }
    if (isOver()) {
      if (child.stdout.readable) await once(child, 'close');
      if (child.exitCode !== 0)
        throw new Error(`it ended with ${child.exitCode ?? child.signalCode}\n${stdout}${stderr}`);
    } else {
      this.#servers.push(child);
    }
    const difference = this.#differs(stdout, expected);
    if (difference !== undefined) throw new Error(difference);
  }

  /** The replacements of the ports of the page: `4100=38211`. */
  #listening(): readonly string[] {
    return readdirSync(this.#ports).map((port) => `${port}=${readFileSync(join(this.#ports, port), 'utf8')}`);
  }

  #withPorts(command: string): string {
    return this.#listening().reduce((text, entry) => {
      const [asked = '', actual = ''] = entry.split('=');
      return text.replaceAll(new RegExp(`(127\\.0\\.0\\.1|localhost):${asked}\\b`, 'g'), `$1:${actual}`);
    }, command);
  }

  #differs(stdout: string, { shown, whole }: Expected): string | undefined {
    const plain = this.#listening().reduce((text, entry) => {
      const [asked = '', actual = ''] = entry.split('=');
      return text.replaceAll(new RegExp(`\\b${actual}\\b`, 'g'), asked);
    }, stdout);
    const lines = plain.split('\n').map((line) => line.trim());
    let at = 0;
    for (const text of shown) {
      const found = lines.findIndex((line, index) => index >= at && matches(line, text));
      if (found === -1) return `"${text}" is not in its output, or not in this order:\n${plain}`;
      at = found + 1;
    }
    if (whole === undefined || patternOf(whole).test(plain.trim())) return undefined;
    return `its output is\n${plain}\nand not\n${whole}`;
  }
}

function matches(line: string, text: string): boolean {
  return patternOf(text).test(line);
}

/** In expected output, `…` matches any part of a line; alone on a line, it matches any lines. */
function patternOf(text: string): RegExp {
  const lines = text
    .trim()
    .split('\n')
    .map((line) => {
      if (line.trim() === '…') return '[^]*?';
      return line
        .trimEnd()
        .split('…')
        .map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&'))
        .join('.*?');
    });
  return new RegExp(`^${lines.join('[ \\t]*\\n')}$`);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const gone = once(child, 'exit');
  process.kill(-child.pid, 'SIGKILL');
  await gone;
}

/** The folder of a page in the installed package, where its name resolves to itself. */
export function folderFor(installed: string, page: string): string {
  const folder = join(installed, 'pages', page.replaceAll(/\W+/g, '-'));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return folder;
}

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
