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
 * The connection between an engine and its store.
 *
 * - `open`: everything goes through.
 * - `held`: calls wait until it is open again. The process hangs, or the network does.
 * - `late`: calls are executed, and return when it is open again.
 * - `failing`: calls fail and nothing is stored.
 * - `unsure`: calls are executed, and reported as failed.
 * - `dead`: no call returns and none is executed. The process was killed.
 */
export type ConnectionState = 'open' | 'held' | 'late' | 'failing' | 'unsure' | 'dead';

export interface FaultyStore {
  readonly store: Store;
  /** The calls so far, by their names. */
  readonly calls: string[];
  /** Changes how calls end, all of them or those of some names. */
  set(connection: ConnectionState, ...names: readonly (keyof Store)[]): void;
}

/** A store whose calls fail when the test wants it. Hints come through while the connection is open or fails. */
function faultyStore(target: Store): FaultyStore {
  const calls: string[] = [];
  let connection: ConnectionState = 'open';
  let names: readonly PropertyKey[] = [];
  let opened: Deferred<void> = deferred<void>();
  const stateOf = (name: PropertyKey): ConnectionState =>
    names.length === 0 || names.includes(name) ? connection : 'open';
  const call = async (name: keyof Store, args: unknown[]): Promise<unknown> => {
    calls.push(name);
    while (stateOf(name) === 'held') await opened.promise;
    while (stateOf(name) === 'dead') await opened.promise;
    if (stateOf(name) === 'failing') throw unavailable();
    const method = target[name] as (...args: unknown[]) => unknown;
    const isUnsure = stateOf(name) === 'unsure';
    const result = await method.apply(target, args);
    if (isUnsure) throw unavailable();
    while (stateOf(name) === 'held' || stateOf(name) === 'late') await opened.promise;
    if (stateOf(name) !== 'dead') return result;
    // Only at the end of a test, so that the engine of a dead process can be closed.
    await opened.promise;
    throw unavailable();
  };
  const watch: Store['watch'] = (listener) =>
    target.watch((...hint) => {
      if (stateOf('watch') !== 'dead' && stateOf('watch') !== 'held') listener(...hint);
    });
  const store = new Proxy(target, {
    get: (_, name) => {
      if (name === 'watch' || !(name in target)) return name === 'watch' ? watch : undefined;
      return (...args: unknown[]) => call(name as keyof Store, args);
    },
  });
  const set = (next: ConnectionState, ...some: readonly (keyof Store)[]): void => {
    connection = next;
    names = some;
    opened.resolve();
    opened = deferred<void>();
  };
  return { store, calls, set };
}

function unavailable(): A2AError {
  return new A2AError('UNAVAILABLE', 'The disk is on fire');
}

/** An engine, and the connection to its store. */
export interface Node extends Harness {
  readonly connection: FaultyStore;
  /** The process dies: none of its calls ever returns, and nothing that it does is stored. */
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
    const connection = faultyStore(store);
    const base = { maxSuspended: variant.maxSuspended, clock, agents, ...rest, ...more, store: connection.store };
    const started = await startHarness(base, clock);
    // Runs before the engine is closed: on a dead connection that would never end.
    onTestFinished(() => connection.set('failing'));
    return { ...started, connection, kill: () => connection.set('dead') };
  };
  return { store, clock, node };
}

/** Advances the clock in small steps, and runs the timers that come due in between. */
export async function pass(clock: FakeClock, ms: number, stepMs = 1000): Promise<void> {
  for (let left = ms; left > 0; left -= stepMs) {
    clock.advance(Math.min(stepMs, left));
    await turns(12);
  }
}

/** Some turns of the event loop, in which every store finishes its work. */
export async function turns(count = 30): Promise<void> {
  for (let i = 0; i < count; i++) {
    await new Promise((resolve) => setImmediate(resolve));
    if (database !== undefined) await database.quiet();
  }
}

/** Resolves when the signal is aborted. */
export async function untilAborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
}
