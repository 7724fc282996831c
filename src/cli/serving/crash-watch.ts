import type { AgentServer } from '../../node/serve.ts';
import type { Log } from '../../observe/log.ts';
import { safeLog } from '../../observe/safe-log.ts';

/** A handler that fails in a loop must not flood the log while the process drains. */
const MAX_LOGGED = 10;
/** The maximum number of running tasks that the log lists. It also contains their total. */
const MAX_TASK_IDS = 100;
/** The number of stack frames in the log: enough to find the line in the handler. */
const MAX_FRAMES = 5;

/**
 * Logs errors that no code has caught: an unhandled rejection, or an exception thrown from a timer or an event listener.
 * The state of the process is unknown after such an error, so its owner drains and exits.
 *
 * It listens from its creation on, because tasks of an earlier process resume while the server starts. Errors before `attach` are
 * logged afterwards, so that the log can list the tasks that were running.
 */
export class CrashWatch {
  readonly #log: Log;
  readonly #early: (() => void)[] = [];
  #server: AgentServer | undefined;
  #errors = 0;
  #onCrash: () => void = () => {};
  /** Resolves with the first such error. */
  readonly crashed = new Promise<void>((resolve) => (this.#onCrash = resolve));

  constructor(log: Log) {
    this.#log = safeLog(log);
    process.on('uncaughtException', (error, origin) => {
      this.#errors++;
      if (this.#errors <= MAX_LOGGED) this.#report(error, origin);
      this.#onCrash();
    });
  }

  /** Whether there was such an error. */
  get hasCrashed(): boolean {
    return this.#errors > 0;
  }

  attach(server: AgentServer): void {
    this.#server = server;
    for (const report of this.#early.splice(0)) report();
  }

  #report(error: unknown, origin: NodeJS.UncaughtExceptionOrigin): void {
    if (this.#server === undefined) {
      this.#early.push(() => this.#report(error, origin));
      return;
    }
    const taskIds = this.#server.handler.runningTasks();
    this.#log.error('Unhandled error in the process, stopping', {
      origin,
      running: taskIds.length,
      taskIds: taskIds.slice(0, MAX_TASK_IDS),
      error,
      at: framesOf(error),
    });
  }
}

function framesOf(error: unknown): readonly string[] {
  const stack = error instanceof Error && typeof error.stack === 'string' ? error.stack : '';
  const frames = stack.split('\n').filter((line) => line.startsWith('    at '));
  return frames.slice(0, MAX_FRAMES).map((line) => line.slice('    at '.length));
}
