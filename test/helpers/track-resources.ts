/**
 * Keeps a list of the resources in this process: timers, listening servers, child processes, unhandled rejections.
 * Node has no list with origins (`process.getActiveResourcesInfo()` gives bare type names and counts the
 * runner's own), so the functions that start them are wrapped once and record their callers.
 */
import { ChildProcess } from 'node:child_process';
import http from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import timers from 'node:timers';
import timersPromises from 'node:timers/promises';
import { promisify } from 'node:util';

/** A resource that was started and may still be running. */
export interface Running {
  readonly kind: 'timer' | 'server' | 'child process';
  /** A description for the failure, without the place: `timer (setTimeout, 50 ms)`. */
  describe(): string;
  isAlive(): boolean;
  /** True if it is stopping, such as a server whose last connection is closing. */
  isEnding(): boolean;
  stop(): void;
  /** An error whose stack has the place where it was started. */
  readonly origin: Error;
  /** False if it was started before or between tests (imports, `beforeAll`). It may then live as long as the file. */
  readonly startedInTest: boolean;
}

interface Tracker {
  readonly running: Set<Running>;
  readonly rejections: unknown[];
  readonly phase: { inTest: boolean; isTracking: boolean };
}

/** One list for all files of a process, even after a file has reset the modules. */
const TRACKER = Symbol.for('tandem-a2a.test.resources');
const shared = globalThis as { [TRACKER]?: Tracker };
const { running, rejections, phase } = (shared[TRACKER] ??= {
  running: new Set(),
  rejections: [],
  phase: { inTest: false, isTracking: false },
});

/**
 * Wraps the functions that start resources. The runner has saved its own timers before, so they are not tracked. A second
 * call does nothing, because functions that are wrapped twice would record everything twice.
 */
export function startTracking(): void {
  if (phase.isTracking) return;
  phase.isTracking = true;
  trackTimers();
  trackServers();
  trackChildProcesses();
}

/**
 * Sets whether resources that start now belong to a test. During tests, rejections are recorded here, and the runner ignores
 * them because there is another listener. Between tests the runner reports them and fails the run.
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

/** The resources of this test, or with `all` of the whole file, that are still running. Removes ended ones from the list. */
export function stillRunning(all: boolean): readonly Running[] {
  sweep();
  return [...running].filter((one) => all || one.startedInTest);
}

/** Stops the resources, so that each leak is reported once and cannot keep the process running. */
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
  // Ended timers are removed at times, because a long test may start very many of them.
  if (running.size > 0 && running.size % 1000 === 0) sweep();
  running.add(Object.assign(one, { startedInTest: phase.inTest }));
}

type StartTimer = (callback: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) => NodeJS.Timeout;

function trackTimers(): void {
  const untrackedPause = timersPromises.setTimeout;
  const pause: typeof untrackedPause = (ms, value, options) => {
    const origin = new Error('started here');
    const stopped = new AbortController();
    const signal = options?.signal ? AbortSignal.any([options.signal, stopped.signal]) : stopped.signal;
    const promise = untrackedPause(ms, value, { ...options, signal });
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

  globalThis.setTimeout = timers.setTimeout = trackedTimer('setTimeout', globalThis.setTimeout, pause);
  globalThis.setInterval = timers.setInterval = trackedTimer('setInterval', globalThis.setInterval);
  timersPromises.setTimeout = pause;
  // Makes `import { setTimeout } from 'node:timers'` see the change too.
  syncBuiltinESMExports();
}

function trackedTimer<F extends typeof setTimeout | typeof setInterval>(name: string, start: F, promised?: unknown): F {
  const tracked: StartTimer = (callback, ms, ...args) => {
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
  if (promised) Object.defineProperty(tracked, promisify.custom, { value: promised });
  return tracked as F;
}

/** Node sets this once a timer was cleared, closed or has fired for the last time. */
function isDestroyed(timer: NodeJS.Timeout): boolean {
  return (timer as unknown as { readonly _destroyed: boolean })._destroyed;
}

function trackServers(): void {
  // HTTP, HTTPS and HTTP/2 servers all use this method.
  const listen = net.Server.prototype.listen as (this: net.Server, ...args: unknown[]) => net.Server;
  net.Server.prototype.listen = function trackedListen(this: net.Server, ...args: unknown[]): net.Server {
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

function trackChildProcesses(): void {
  // Not in the types of ChildProcess, but used by spawn, fork, exec and execFile.
  const prototype = ChildProcess.prototype as unknown as {
    spawn(this: ChildProcess, options: { readonly args?: readonly string[] }): unknown;
  };
  const spawn = prototype.spawn;
  prototype.spawn = function trackedSpawn(options) {
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
