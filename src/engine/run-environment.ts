import type { Log } from '../observe/log.ts';
import type { Observers } from '../observe/observers.ts';
import type { Store } from '../store/store.ts';
import type { Clock } from '../support/clock.ts';
import type { Scheduler } from '../support/scheduler.ts';
import type { Timers } from '../support/timers.ts';
import type { Feed } from './feed.ts';
import type { Gathering } from './gathering.ts';
import type { Liveness } from './liveness.ts';
import type { Run } from './run.ts';
import type { RunMemory } from './run-memory.ts';
import type { Loss } from './loss.ts';
import type { WorkClock } from './work-clock.ts';

/** Gets the content of a stranger's address, with all guards. */
export type FetchFile = (
  url: string,
  options: { readonly maxBytes: number; readonly signal: AbortSignal },
) => Promise<Uint8Array>;

/** What every run needs to write. */
export interface WriterEnvironment {
  readonly store: Store;
  readonly node: string;
  readonly gathering: Gathering;
  readonly feed: Feed;
  readonly observers: Observers;
  readonly memory: RunMemory;
  readonly faultPoint: (name: string) => void;
  /** A task that was a suspect has made progress. */
  readonly onCleared: (taskId: string) => void;
}

/** What every run of a node shares. None of it belongs to a task. */
export interface RunEnvironment extends WriterEnvironment {
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly timers: Timers;
  readonly work: WorkClock;
  readonly liveness: Liveness;
  /** How long the node may be silent before others take its tasks. */
  readonly leaseMs: number;
  readonly newId: () => string;
  /** Whether an artifact that came in chunks ends with an event that has all of it. */
  readonly closesWithWhole: boolean;
  readonly log: Log;
  readonly fetchFile?: FetchFile | undefined;
  /** Whether the node has slept, so that its timers are late. */
  readonly hasSlept: () => boolean;
  /** The run holds its lease no longer: it waits, has ended, or was lost. */
  readonly onRest: (run: Run, loss?: Loss) => void;
  /** A suspended run has something to write. */
  readonly onWakeWanted: (run: Run) => void;
}
