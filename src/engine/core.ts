import type { Log } from '../observe/log.ts';
import type { Observers } from '../observe/observers.ts';
import type { PushConfigName, Store } from '../store/store.ts';
import type { Clock } from '../support/clock.ts';
import type { Scheduler } from '../support/scheduler.ts';
import type { Timers } from '../support/timers.ts';
import type { Feed } from './feed.ts';
import type { Gathering } from './gathering.ts';
import type { Liveness } from './liveness.ts';
import type { FetchFile } from './run-environment.ts';
import type { RunMemory } from './run-memory.ts';
import type { Runnable } from './runnable.ts';
import type { WorkClock } from './work-clock.ts';

/** What the parts of one engine share. */
export interface Core {
  readonly store: Store;
  /** The name of this node: new at each start, so that leases of an earlier life are not taken for its own. */
  readonly node: string;
  readonly agents: ReadonlyMap<string, Runnable>;
  /** The time of the store. */
  readonly clock: Clock;
  readonly timers: Timers;
  /** The time in which tasks could work. */
  readonly work: WorkClock;
  readonly scheduler: Scheduler;
  readonly gathering: Gathering;
  readonly feed: Feed;
  readonly log: Log;
  readonly observers: Observers;
  readonly newId: () => string;
  readonly fetchFile: FetchFile | undefined;
  /** Called at named points, where tests make things go wrong. Does nothing otherwise. */
  readonly faultPoint: (name: string) => void;
  /** How long a node may be silent before others take its tasks. */
  readonly leaseMs: number;
  readonly liveness: Liveness;
  readonly memory: RunMemory;
  /** How often to look for what no hint told of. */
  readonly pollMs: number;
  /** Suspended runs that stay in memory. 0: each goes on by replay. */
  readonly maxSuspended: number;
  /** Whether this node runs tasks, or leaves all of them to others. */
  readonly runsTasks: boolean;
  /** Push configurations that one task may have. */
  readonly maxPushConfigs: number;
  /** Messages in the history of a task with which it takes no more. */
  readonly maxMessages: number;
  /** Bytes of messages that a task takes in its history. */
  readonly maxHistoryBytes: number;
  /** Whether this node works only while somebody asks it to: it may be frozen at any other time. */
  readonly isOnDemand: boolean;
  /** Whether an artifact that came in chunks ends with an event that has all of it. */
  readonly closesWithWhole: boolean;
  /** Whether the node has slept: its timers are late, and others may have its tasks. */
  readonly hasSlept: () => boolean;
  /** One was stored, replaced or deleted: when this resolves, nothing is under way to the address that it had here. */
  readonly pushConfigChanged: (name: PushConfigName) => Promise<void>;
}
