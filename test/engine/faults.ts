import { onTestFinished } from 'vitest';
import type { EngineOptions } from '../../src/engine/engine.ts';
import type { Handler } from '../../src/engine/handler.ts';
import type { RunLimits } from '../../src/engine/runnable.ts';
import { A2AError } from '../../src/errors.ts';
import type { Store } from '../../src/store/store.ts';
import { deferred, type Deferred } from '../../src/support/deferred.ts';
import { type FakeClock, fakeClock } from '../../src/testing/fake-clock.ts';
import { database, type Harness, openStore, runnable, startHarness, type Variant, VARIANTS } from './harness.ts';

/**
 * What lies between an engine and its store.
 *
 * - `open`: everything goes through.
 * - `held`: calls wait until it is open again. The process is paused, or the line is.
 * - `late`: calls are done, and answered when it is open again.
 * - `failing`: calls fail and nothing is stored.
 * - `unsure`: calls are done, and reported as failed.
 * - `dead`: nothing ever happens again. The process was killed.
 */
export type Line = 'open' | 'held' | 'late' | 'failing' | 'unsure' | 'dead';

export interface FaultyStore {
  readonly store: Store;
  /** The calls so far, by their names. */
  readonly calls: string[];
  /** Changes what becomes of calls, all of them or those of some names. */
  set(line: Line, ...names: readonly (keyof Store)[]): void;
}

/** A store of which a test decides when it works. Hints come through while the line is open or fails. */
function faultyStore(target: Store): FaultyStore {
  const calls: string[] = [];
  let line: Line = 'open';
  let names: readonly PropertyKey[] = [];
  let opened: Deferred<void> = deferred<void>();
  const lineOf = (name: PropertyKey): Line => (names.length === 0 || names.includes(name) ? line : 'open');
  const call = async (name: keyof Store, args: unknown[]): Promise<unknown> => {
    calls.push(name);
    while (lineOf(name) === 'held') await opened.promise;
    while (lineOf(name) === 'dead') await opened.promise;
    if (lineOf(name) === 'failing') throw unavailable();
    const method = target[name] as (...args: unknown[]) => unknown;
    const isUnsure = lineOf(name) === 'unsure';
    const result = await method.apply(target, args);
    if (isUnsure) throw unavailable();
    while (lineOf(name) === 'held' || lineOf(name) === 'late') await opened.promise;
    if (lineOf(name) !== 'dead') return result;
    // Only at the end of a test, so that the engine of a dead process can be closed.
    await opened.promise;
    throw unavailable();
  };
  const watch: Store['watch'] = (listener) =>
    target.watch((...hint) => {
      if (lineOf('watch') !== 'dead' && lineOf('watch') !== 'held') listener(...hint);
    });
  const store = new Proxy(target, {
    get: (_, name) => {
      if (name === 'watch' || !(name in target)) return name === 'watch' ? watch : undefined;
      return (...args: unknown[]) => call(name as keyof Store, args);
    },
  });
  const set = (next: Line, ...some: readonly (keyof Store)[]): void => {
    line = next;
    names = some;
    opened.resolve();
    opened = deferred<void>();
  };
  return { store, calls, set };
}

function unavailable(): A2AError {
  return new A2AError('UNAVAILABLE', 'The disk is on fire');
}

/** An engine, and the line to its store. */
export interface Node extends Harness {
  readonly line: FaultyStore;
  /** The process dies: none of its calls is ever answered, and nothing that it does is stored. */
  kill(): void;
}

export interface Cluster {
  readonly store: Store;
  readonly clock: FakeClock;
  /** Starts one more engine. */
  node(options?: Partial<EngineOptions>): Promise<Node>;
}

export interface ClusterOptions extends Partial<Omit<EngineOptions, 'store' | 'agents'>> {
  readonly variant?: Variant;
  readonly limits?: Partial<RunLimits>;
}

/** Several engines with the same agent on one store. */
export function cluster(run: Handler, options: ClusterOptions = {}): Cluster {
  const { variant = VARIANTS[0], limits, ...rest } = options;
  const clock = fakeClock();
  const store = openStore(variant, clock);
  const agents = [runnable(run, limits)];
  const node = async (more: Partial<EngineOptions> = {}): Promise<Node> => {
    const line = faultyStore(store);
    const base = { maxSuspended: variant.maxSuspended, clock, agents, ...rest, ...more, store: line.store };
    const started = await startHarness(base, clock);
    // Runs before the engine is closed: one on a dead line would never be.
    onTestFinished(() => line.set('failing'));
    return { ...started, line, kill: () => line.set('dead') };
  };
  return { store, clock, node };
}

/** Lets time go by in small steps, with time between them for what comes due. */
export async function pass(clock: FakeClock, ms: number, stepMs = 1000): Promise<void> {
  for (let left = ms; left > 0; left -= stepMs) {
    clock.advance(Math.min(stepMs, left));
    await turns(12);
  }
}

/** Some turns of the event loop, in which every store does what it has to do. */
export async function turns(count = 30): Promise<void> {
  for (let i = 0; i < count; i++) {
    await new Promise((resolve) => setImmediate(resolve));
    if (database !== undefined) await database.quiet();
  }
}

/** What a handler waits for that listens to its signal. */
export async function toldToStop(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
}
