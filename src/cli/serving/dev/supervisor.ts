import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { realpathSync } from 'node:fs';
import { basename, dirname, resolve, sep } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Deferred, deferred } from '../../../support/deferred.ts';
import { onStopSignal } from '../../interrupt.ts';
import { now } from '../../now.ts';
import { screen } from '../../output/screen.ts';
import { cardsHeading, placesOf } from '../announcement.ts';
import { CHILD_VARIABLE, isListening, type Listening, loadedFiles, REPORT_VARIABLE, STOP } from './messages.ts';
import { SourceWatcher } from './source-watcher.ts';

/** An editor saves several files, or one in several steps. */
const BURST_MS = 60;
/** A process that does not stop by then keeps its event loop busy. */
const STOP_MS = 3000;

/**
 * Serves the agents of files in a child process, and starts another one when a file changes that the agents have loaded. An agent
 * that cannot be loaded is started again after the next change. Returns after SIGINT or SIGTERM.
 *
 * @param words The arguments of the command, which the child process gets too.
 */
export async function supervise(files: readonly string[], words: readonly string[]): Promise<void> {
  const changes = new Changes();
  const watcher = new SourceWatcher((changed) => changes.note(changed));
  for (const file of files) watcher.add(realPath(file));
  const stopped = new Promise<undefined>((done) => onStopSignal(['SIGINT', 'SIGTERM'], () => done(undefined)));
  let port: number | undefined;
  try {
    for (;;) {
      changes.forget();
      const startedAt = now();
      const child = new AgentProcess(words, port, watcher, (listening) => {
        if (port === undefined) introduce(listening);
        else screen.notice(`Ready again after ${Math.round(now() - startedAt)} ms.`, 'dim');
        ({ port } = listening);
      });
      let changed = await Promise.race([changes.next(), stopped, child.ended]);
      if (changed === ENDED) {
        screen.notice('The agent is not running. It starts again when a file changes.', 'yellow');
        // The file that is missing may not be among those that were loaded.
        watcher.watchesFolders = true;
        changed = await Promise.race([changes.next(), stopped]);
      }
      if (changed !== undefined) {
        await pause(BURST_MS);
        screen.notice(`${basename(changed)} has changed. Restarting.`, 'dim');
      }
      await child.stop();
      if (changed === undefined) return;
    }
  } finally {
    watcher.close();
  }
}

function introduce(listening: Listening): void {
  const { cards } = listening;
  const subject = cards.length === 1 ? 'The agent restarts' : 'The agents restart';
  screen.notice(placesOf(listening), 'bold');
  screen.notice(`${subject} when a file changes. Press Ctrl-C to stop. ${cardsHeading(listening)}`, 'dim');
  for (const card of cards) screen.writeLine(card);
}

/** The changes of files since the last start. */
class Changes {
  #next: Deferred<string> = deferred();

  note(file: string): void {
    this.#next.resolve(file);
  }

  forget(): void {
    this.#next = deferred();
  }

  next(): Promise<string> {
    return this.#next.promise;
  }
}

const ENDED = Symbol('ended');

/** The process that serves the agent. */
class AgentProcess {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  /** Resolves when the process has ended. */
  readonly ended: Promise<typeof ENDED>;

  constructor(
    words: readonly string[],
    port: number | undefined,
    watcher: SourceWatcher,
    onListening: (listening: Listening) => void,
  ) {
    const [, main = ''] = process.argv;
    const env = { ...process.env, [CHILD_VARIABLE]: String(port ?? ''), [REPORT_VARIABLE]: '1' };
    this.#child = fork(main, words, { env });
    const own = `${dirname(dirname(realpathSync(main)))}${sep}`;
    let hasReported = false;
    this.#child.on('message', (message) => {
      for (const path of loadedFiles(message).map(realPath)) {
        if (path.startsWith(own)) continue;
        hasReported = true;
        watcher.add(path);
      }
      if (!isListening(message)) return;
      watcher.watchesFolders = !hasReported;
      onListening(message);
    });
    this.#exited = once(this.#child, 'exit');
    this.ended = this.#exited.then(() => ENDED);
  }

  /** Stops the process. Tasks that run resume in the next one. */
  async stop(): Promise<void> {
    if (this.#child.connected) this.#child.send(STOP, () => {});
    const late = new AbortController();
    void pause(STOP_MS, undefined, { signal: late.signal }).then(
      () => this.#child.kill('SIGKILL'),
      () => {},
    );
    await this.#exited;
    late.abort();
  }
}

/** The path without symbolic links, as Node reports it. */
function realPath(file: string): string {
  const path = resolve(file);
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
