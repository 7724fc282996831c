/**
 * Keeps a list of what is running in this process: timers, listening servers, child processes, rejections that nobody
 * handled. Node has no list with origins (`process.getActiveResourcesInfo()` gives bare type names and counts the
 * runner's own), so the functions that start such things are wrapped once and note where they were called from.
 */
import { ChildProcess } from 'node:child_process';
import http from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import timers from 'node:timers';
import timersPromises from 'node:timers/promises';
import { promisify } from 'node:util';

/** Something that was started and may still be running. */
export interface Running {
  readonly kind: 'timer' | 'server' | 'child process';
  /** For the reader of the failure, without the place: `timer (setTimeout, 50 ms)`. */
  describe(): string;
  isAlive(): boolean;
  /** True if it has been told to stop and only needs a moment, such as a server whose last connection is closing. */
  isEnding(): boolean;
  stop(): void;
  /** Its stack holds the place where it was started. */
  readonly origin: Error;
  /** False for what was started before or between tests (imports, `beforeAll`), which may live as long as the file. */
  readonly startedInTest: boolean;
}

interface Watch {
  readonly running: Set<Running>;
  readonly rejections: unknown[];
  readonly phase: { inTest: boolean; isWatching: boolean };
}

/** One for all files that share a process, also after one of them has reset the modules. */
const WATCH = Symbol.for('tandem-a2a.test.watch');
const shared = globalThis as { [WATCH]?: Watch };
const { running, rejections, phase } = (shared[WATCH] ??= {
  running: new Set(),
  rejections: [],
  phase: { inTest: false, isWatching: false },
});

/**
 * The runner saved its own timers before any test file loaded; what starts from here on is seen. What is wrapped already
 * stays as it is: wrapped twice, everything would be noted twice.
 */
export function startWatching(): void {
  if (phase.isWatching) return;
  phase.isWatching = true;
  watchTimers();
  watchServers();
  watchChildProcesses();
}

/**
 * Says whether what starts now belongs to a test. Only then are rejections taken from the runner, which keeps quiet as
 * long as somebody else listens; between tests it reports them itself and fails the run.
 */
export function setInTest(inTest: boolean): void {
  if (inTest === phase.inTest) return;
  phase.inTest = inTest;
  if (inTest) process.on('unhandledRejection', noteRejection);
  else process.off('unhandledRejection', noteRejection);
}

function noteRejection(reason: unknown): void {
  rejections.push(reason);
}

/** What is still running, of this test or (`all`) of the whole file. Forgets what has ended. */
export function stillRunning(all: boolean): readonly Running[] {
  sweep();
  return [...running].filter((one) => all || one.startedInTest);
}

/** Ends what is left, so that one leak is told once and cannot hold the process. */
export function stopAll(list: readonly Running[]): void {
  for (const one of list) {
    running.delete(one);
    one.stop();
  }
}

/** The rejections since the last call. */
export function takeRejections(): readonly unknown[] {
  return rejections.splice(0);
}

function sweep(): void {
  for (const one of running) {
    if (!one.isAlive()) running.delete(one);
  }
}

function note(one: Omit<Running, 'startedInTest'>): void {
  // A long test may start very many timers; the list must not be what fills its memory.
  if (running.size > 0 && running.size % 1000 === 0) sweep();
  running.add(Object.assign(one, { startedInTest: phase.inTest }));
}

type StartTimer = (callback: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) => NodeJS.Timeout;

function watchTimers(): void {
  const pauseUnwatched = timersPromises.setTimeout;
  const pause: typeof pauseUnwatched = (ms, value, options) => {
    const origin = new Error('started here');
    const stopped = new AbortController();
    const signal = options?.signal ? AbortSignal.any([options.signal, stopped.signal]) : stopped.signal;
    const promise = pauseUnwatched(ms, value, { ...options, signal });
    let settled = false;
    const settle = (): void => void (settled = true);
    promise.then(settle, settle);
    note({
      kind: 'timer',
      origin,
      describe: () => `timer (setTimeout of node:timers/promises, ${ms ?? 1} ms)`,
      isAlive: () => !settled,
      isEnding: () => false,
      stop: () => stopped.abort(),
    });
    return promise;
  };

  globalThis.setTimeout = timers.setTimeout = watchedTimer('setTimeout', globalThis.setTimeout, pause);
  globalThis.setInterval = timers.setInterval = watchedTimer('setInterval', globalThis.setInterval);
  timersPromises.setTimeout = pause;
  // Makes `import { setTimeout } from 'node:timers'` see the change too.
  syncBuiltinESMExports();
}

function watchedTimer<F extends typeof setTimeout | typeof setInterval>(name: string, start: F, promised?: unknown): F {
  const watched: StartTimer = (callback, ms, ...args) => {
    const timer = (start as StartTimer)(callback, ms, ...args);
    note({
      kind: 'timer',
      origin: new Error('started here'),
      describe: () => `timer (${name}, ${ms ?? 1} ms)`,
      isAlive: () => !isDestroyed(timer),
      isEnding: () => false,
      stop: () => clearTimeout(timer),
    });
    return timer;
  };
  if (promised) Object.defineProperty(watched, promisify.custom, { value: promised });
  return watched as F;
}

/** Node sets this once a timer was cleared, closed or has fired for the last time. */
function isDestroyed(timer: NodeJS.Timeout): boolean {
  return (timer as unknown as { readonly _destroyed: boolean })._destroyed;
}

function watchServers(): void {
  // HTTP, HTTPS and HTTP/2 servers all come through here.
  const listen = net.Server.prototype.listen as (this: net.Server, ...args: unknown[]) => net.Server;
  net.Server.prototype.listen = function watchedListen(this: net.Server, ...args: unknown[]): net.Server {
    let open = false;
    this.once('listening', () => (open = true));
    this.once('close', () => (open = false));
    note({
      kind: 'server',
      origin: new Error('opened here'),
      describe: () => (this.listening ? `server listening on ${address(this)}` : 'closed server with open connections'),
      isAlive: () => open || this.listening,
      isEnding: () => !this.listening,
      stop: () => {
        this.close();
        if (this instanceof http.Server) this.closeAllConnections();
      },
    });
    return listen.apply(this, args);
  };
}

function address(server: net.Server): string {
  const at = server.address();
  return at === null || typeof at === 'string' ? String(at) : `${at.address}:${at.port}`;
}

function watchChildProcesses(): void {
  // Not in the types of ChildProcess, but what spawn, fork, exec and execFile have in common.
  const prototype = ChildProcess.prototype as unknown as {
    spawn(this: ChildProcess, options: { readonly args?: readonly string[] }): unknown;
  };
  const spawn = prototype.spawn;
  prototype.spawn = function watchedSpawn(options) {
    note({
      kind: 'child process',
      origin: new Error('started here'),
      describe: () => `child process ${this.pid} (${(options.args ?? []).join(' ')})`,
      isAlive: () => this.pid !== undefined && this.exitCode === null && this.signalCode === null,
      isEnding: () => this.killed,
      stop: () => void this.kill('SIGKILL'),
    });
    return spawn.call(this, options);
  };
}
