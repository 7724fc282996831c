import type { Log } from '../../observe/log.ts';
import type { Observers } from '../../observe/observers.ts';
import type { Store } from '../../store/store.ts';
import type { Clock } from '../../support/time/clock.ts';
import type { Scheduler } from '../../support/time/scheduler.ts';
import type { Timers } from '../../support/time/timers.ts';
import type { Feed } from '../stream/feed.ts';
import type { Gathering } from '../write/write-coalescer.ts';
import type { Liveness } from '../schedule/liveness.ts';
import type { Run } from './run.ts';
import type { RunMemory } from './run-memory.ts';
import type { Loss } from '../write/lost-events.ts';
import type { WorkClock } from '../schedule/work-clock.ts';

/** Fetches a file from a URL that a caller sent. It must reject private addresses. */
export type FetchFile = (
  url: string,
  options: {
    /** The maximum size of the file in bytes. */
    readonly maxBytes: number;
    /** Aborts the request. */
    readonly signal: AbortSignal;
  },
) => Promise<Uint8Array>;

/** The parts of a node that a run needs to write. */
export interface WriterEnvironment {
  readonly store: Store;
  readonly node: string;
  readonly gathering: Gathering;
  readonly feed: Feed;
  readonly observers: Observers;
  readonly memory: RunMemory;
  readonly faultPoint: (name: string) => void;
  /** Called when a suspect has made progress. */
  readonly onCleared: (taskId: string) => void;
}

/** The parts of a node that all its runs share. */
export interface RunEnvironment extends WriterEnvironment {
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly timers: Timers;
  readonly work: WorkClock;
  readonly liveness: Liveness;
  /** How long the node may miss heartbeats before other nodes take over its tasks. */
  readonly leaseMs: number;
  readonly newId: () => string;
  /** Whether an artifact that was published in chunks ends with an event that contains all of it. */
  readonly closesWithWhole: boolean;
  readonly log: Log;
  readonly fetchFile?: FetchFile | undefined;
  /** Whether the node was frozen, so that its timers are late. */
  readonly hasSlept: () => boolean;
  /** Called when a run no longer holds its lease: it is suspended, has ended, or has lost its task. */
  readonly onRest: (run: Run, loss?: Loss) => void;
  /** Called when a suspended run has something to write. */
  readonly onWakeWanted: (run: Run) => void;
}
