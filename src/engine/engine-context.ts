import type { Log } from '../observe/log.ts';
import type { Observers } from '../observe/observers.ts';
import type { NewCall, PushConfigName, Store, TaskRecord } from '../store/store.ts';
import type { Clock } from '../support/time/clock.ts';
import type { Scheduler } from '../support/time/scheduler.ts';
import type { Timers } from '../support/time/timers.ts';
import type { Peers } from './calls/peers.ts';
import type { Feed } from './stream/feed.ts';
import type { Gathering } from './write/write-coalescer.ts';
import type { Liveness } from './schedule/liveness.ts';
import type { RunMemory } from './run/run-memory.ts';
import type { Runnable } from './runnable.ts';
import type { WorkClock } from './schedule/work-clock.ts';

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

/** The limits of calls to other agents, and the agents on other hosts. */
export interface CallSettings {
  readonly peers: Peers | undefined;
  /** How many levels deep agents may call each other. */
  readonly maxDepth: number;
  /** The maximum number of open calls of all tasks of one owner. */
  readonly maxOpen: number;
  /** Identifies the host in the marks of its agents. */
  readonly identity: string;
}

/** The state that the parts of one engine share. */
export interface EngineContext {
  readonly store: Store;
  /** The name of this node. It is new at each start, so that leases of an earlier process are not mistaken for its own. */
  readonly node: string;
  readonly agents: ReadonlyMap<string, Runnable>;
  /** The time of the store. */
  readonly clock: Clock;
  readonly timers: Timers;
  /** Measures the working time of tasks. */
  readonly work: WorkClock;
  readonly scheduler: Scheduler;
  readonly gathering: Gathering;
  readonly feed: Feed;
  readonly log: Log;
  readonly observers: Observers;
  readonly newId: () => string;
  readonly fetchFile: FetchFile | undefined;
  /** Called at named points, so that tests can inject failures. Does nothing otherwise. */
  readonly faultPoint: (name: string) => void;
  /** How long a node may miss heartbeats before other nodes take over its tasks. */
  readonly leaseMs: number;
  readonly liveness: Liveness;
  readonly memory: RunMemory;
  /** How often to poll the store, in case hints were lost. */
  readonly pollMs: number;
  /** How many suspended runs stay in memory. Others resume by replay. */
  readonly maxSuspended: number;
  /** The maximum number of concurrent runs of all agents on this node. */
  readonly concurrency: number;
  /** Whether this node runs tasks, or leaves them to other nodes. */
  readonly runsTasks: boolean;
  /** The maximum number of push configurations per task. */
  readonly maxPushConfigs: number;
  /** The maximum number of messages in the history of a task. */
  readonly maxMessages: number;
  /** The maximum size of the messages in the history of a task. */
  readonly maxHistoryBytes: number;
  /** The agents on other hosts that handlers can call, and the limits of calls. */
  readonly calls: CallSettings;
  /** Whether this node works only on request. It may be frozen at any other time. */
  readonly isOnDemand: boolean;
  /** Whether an artifact that was published in chunks ends with an event that contains all of it. */
  readonly closesWithWhole: boolean;
  /** Whether the node was frozen, so that its timers are late and other nodes may have its tasks. */
  readonly hasSlept: () => boolean;
  /**
   * Called after a write of this node that has made calls due: of the written task, or the call that created it.
   *
   * @param added The calls that the write has added.
   */
  readonly onCallsDue: (record: TaskRecord, added?: readonly NewCall[]) => void;
  /**
   * Called when a push configuration was stored, replaced or deleted. When it resolves, this node has no delivery to the
   * old address in progress.
   */
  readonly pushConfigChanged: (name: PushConfigName) => Promise<void>;
}
