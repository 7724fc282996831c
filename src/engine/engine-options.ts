import { type Log, silentLog } from '../observe/log.ts';
import type { Observers } from '../observe/observers.ts';
import type { Store } from '../store/store.ts';
import type { Clock } from '../support/clock.ts';
import { every } from '../support/every.ts';
import { newId } from '../support/id.ts';
import { LoneTimers } from '../support/lone-timers.ts';
import { type Scheduler, systemScheduler } from '../support/scheduler.ts';
import { TimerHeap } from '../support/timer-heap.ts';
import type { Core } from './core.ts';
import type { Courier } from './delivery.ts';
import { Feed } from './feed.ts';
import { Gathering } from './gathering.ts';
import { Liveness } from './liveness.ts';
import type { PushPolicy } from './push-policy.ts';
import type { Retention } from './retention.ts';
import type { FetchFile } from './run-environment.ts';
import { RunMemory } from './run-memory.ts';
import { byId, type Runnable } from './runnable.ts';
import { WorkClock } from './work-clock.ts';

/** For a heap of one or two gibibytes, which these bytes take about twice. */
const DEFAULT_RUN_BYTES = 2 ** 28;

export interface EngineOptions {
  readonly store: Store;
  readonly agents: readonly Runnable[];
  readonly log?: Log;
  readonly observers?: Observers;
  readonly fetchFile?: FetchFile;
  readonly retention?: Partial<Retention>;
  /** Whether tasks are run here; if not set they are. Otherwise they wait for a node that does. */
  readonly runsTasks?: boolean;
  /** How long this node may be silent before others take its tasks. */
  readonly leaseMs?: number;
  /** How often to look for tasks that nobody told of. */
  readonly pollMs?: number;
  /** Runs that stay in memory while they wait. 0: each goes on by replay. */
  readonly maxSuspended?: number;
  /** Bytes that the requests and outputs of all running tasks may take; 256 MiB if not set. Runs wait above it. */
  readonly maxRunBytes?: number;
  /** Push configurations that one task may have, at least 1: each is one more call for every event. */
  readonly maxPushConfigs?: number;
  /** Messages in the history of a task with which it takes no more of its caller, at least 1. */
  readonly maxMessages?: number;
  /** Bytes of messages that a task takes in its history, about as long as they are as JSON; 16 MiB if not set. */
  readonly maxHistoryBytes?: number;
  /** Tells receivers of tasks. Without one nothing is told. */
  readonly courier?: Courier;
  readonly push?: Partial<PushPolicy>;
  /**
   * For a process that works only while it answers requests: it runs what `work` and `sweep` are called for, and what is
   * sent to it while its sender waits; nothing by itself.
   */
  readonly onDemand?: boolean;
  /** End each artifact that came in chunks with one event that has all of it, as agents of Google ADK do; `false` if not set. */
  readonly closesWithWhole?: boolean;
  readonly clock?: Clock;
  readonly scheduler?: Scheduler;
  readonly newId?: () => string;
  /** @internal Called at named points, for tests that make things go wrong there. */
  readonly faultPoint?: (name: string) => void;
}

/** Hints across nodes can be lost; who listens looks by himself once in so many polls. */
export const POLLS_PER_LOOK = 5;

/** What the parts of an engine ask of it. */
export interface CoreHooks {
  /** Something was stored of a task that has push configurations. */
  readonly pushed: () => void;
  readonly pushConfigChanged: Core['pushConfigChanged'];
  readonly hasSlept: Core['hasSlept'];
  /** There is memory for more runs. */
  readonly roomForRuns: () => void;
}

/** @param clock The time of the store. */
export function createCore(options: EngineOptions, clock: Clock, hooks: CoreHooks): Core {
  const { pushed, pushConfigChanged, hasSlept, roomForRuns } = hooks;
  const scheduler = options.scheduler ?? systemScheduler;
  const { leaseMs = 15_000, pollMs = 1000, onDemand = false } = options;
  const timers = onDemand ? new LoneTimers(clock) : new TimerHeap(clock);
  const look = (call: () => void): (() => void) => every(pollMs * POLLS_PER_LOOK, { clock, timers }, call);
  return {
    store: options.store,
    agents: byId(options.agents),
    clock,
    timers,
    work: new WorkClock({ clock, timers }),
    scheduler,
    gathering: new Gathering(scheduler),
    feed: new Feed(pushed, onDemand ? look : undefined),
    log: options.log ?? silentLog,
    observers: options.observers ?? {},
    newId: options.newId ?? newId,
    node: (options.newId ?? newId)(),
    fetchFile: options.fetchFile,
    faultPoint: options.faultPoint ?? (() => {}),
    runsTasks: options.runsTasks ?? true,
    leaseMs,
    liveness: new Liveness(clock, leaseMs),
    memory: new RunMemory(options.maxRunBytes ?? DEFAULT_RUN_BYTES, { clock, timers }, roomForRuns),
    pollMs,
    maxSuspended: options.maxSuspended ?? 1000,
    maxPushConfigs: options.maxPushConfigs ?? 10,
    maxMessages: options.maxMessages ?? 1000,
    maxHistoryBytes: options.maxHistoryBytes ?? 16 * 2 ** 20,
    isOnDemand: onDemand,
    closesWithWhole: options.closesWithWhole ?? false,
    hasSlept,
    pushConfigChanged,
  };
}
