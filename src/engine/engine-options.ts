import { type Log, silentLog } from '../observe/log.ts';
import type { Observers } from '../observe/observers.ts';
import type { Store } from '../store/store.ts';
import type { Clock } from '../support/time/clock.ts';
import { every } from '../support/time/every.ts';
import { newId } from '../support/id.ts';
import { UnsharedTimers } from '../support/time/unshared-timers.ts';
import { type Scheduler, systemScheduler } from '../support/time/scheduler.ts';
import { TimerHeap } from '../support/time/timer-heap.ts';
import type { EngineContext, FetchFile } from './engine-context.ts';
import type { PushTransport } from './outbox/delivery.ts';
import { DEFAULT_MAX_DEPTH } from './calls/lineage.ts';
import type { Peers } from './calls/peers.ts';
import { Feed } from './stream/feed.ts';
import { Gathering } from './write/write-coalescer.ts';
import { Liveness } from './schedule/liveness.ts';
import type { PushPolicy } from './outbox/push-policy.ts';
import type { Retention } from './schedule/retention.ts';
import { RunMemory } from './run/run-memory.ts';
import { byId, type Runnable } from './runnable.ts';
import type { StreamItem } from './stream/subscribe.ts';
import { WorkClock } from './schedule/work-clock.ts';

/** Suits a heap of 1 to 2 GiB: these bytes take about twice as much memory. */
const DEFAULT_RUN_BYTES = 2 ** 28;

/** Options of `Engine.start`. */
export interface EngineOptions {
  /** The store that holds all tasks. It stays open when the engine is closed. */
  readonly store: Store;
  /** The agents to run, each with its own id. */
  readonly agents: readonly Runnable[];
  /** Receives log events; nothing is logged if not set. */
  readonly log?: Log;
  /** Receives metrics and spans. */
  readonly observers?: Observers;
  /** Fetches files that callers send by URL. Without it, reading such a file fails. */
  readonly fetchFile?: FetchFile;
  /** How long ended tasks and their events are kept; see `Retention` for the defaults. */
  readonly retention?: Partial<Retention>;
  /** The maximum number of concurrent runs of all agents on this node; limited only by those of each agent if not set. */
  readonly concurrency?: number;
  /** Whether this node runs tasks; `true` if not set. Otherwise tasks wait for a node that does. */
  readonly runsTasks?: boolean;
  /** How long this node may miss heartbeats before other nodes take over its tasks, in milliseconds; 15,000 if not set. */
  readonly leaseMs?: number;
  /** How often to poll the store for due tasks, in milliseconds; 1,000 if not set. */
  readonly pollMs?: number;
  /** How many suspended runs stay in memory; 1,000 if not set. Others resume by replay; with 0, all do. */
  readonly maxSuspended?: number;
  /**
   * The maximum size of the requests and outputs of all running tasks, in bytes; 256 MiB if not set. Above it, runs wait
   * before they publish more.
   */
  readonly maxRunBytes?: number;
  /**
   * The maximum number of push configurations per task, at least 1; 10 if not set. Each one means one more delivery per
   * event.
   */
  readonly maxPushConfigs?: number;
  /**
   * The maximum number of messages in the history of a task, at least 1; 1,000 if not set. The engine rejects further
   * messages of the caller.
   */
  readonly maxMessages?: number;
  /** The maximum size of the messages in the history of a task, in bytes of JSON; 16 MiB if not set. */
  readonly maxHistoryBytes?: number;
  /** The agents on other hosts that handlers can call. Without it, handlers can call the agents of this engine. */
  readonly peers?: Peers;
  /** How many levels deep agents may call each other; 3 if not set. */
  readonly maxDepth?: number;
  /** The maximum number of open calls of all tasks of one owner; 1,000 if not set. The engine rejects further calls. */
  readonly maxOpenCalls?: number;
  /** Identifies the host to agents on other hosts, so that they recognise cycles: its public URL. An id of the process if not set. */
  readonly identity?: string;
  /** Delivers push notifications. Without it, none are sent. */
  readonly pushTransport?: PushTransport;
  /** Retries and limits of push notifications; see `PushPolicy` for the defaults. */
  readonly push?: Partial<PushPolicy>;
  /**
   * Whether the engine works only on request, for processes that may be frozen between requests; `false` if not set. It
   * then runs only tasks that `onDemand.work` or `onDemand.sweep` is called for, and tasks whose sender waits.
   */
  readonly onDemand?: boolean;
  /**
   * Whether each artifact that was published in chunks ends with one event that contains all of it, as agents of Google ADK
   * do; `false` if not set.
   */
  readonly closesWithWhole?: boolean;
  /** The source of time; the system clock if not set. */
  readonly clock?: Clock;
  /** Schedules work on the event loop; `setImmediate` if not set. */
  readonly scheduler?: Scheduler;
  /** Creates ids for tasks, contexts and messages; UUIDs of version 7 if not set. */
  readonly newId?: () => string;
  /** @internal Called at named points, so that tests can inject failures. */
  readonly faultPoint?: (name: string) => void;
}

/** A stream of the events of one task. */
export interface TaskStream {
  /** The id of the task, which is already stored. */
  readonly taskId: string;
  /** The events in batches. Ends after the last event of the task. */
  readonly items: AsyncIterable<readonly StreamItem[]>;
}

/** Options of `Engine.get`. */
export interface GetTaskOptions {
  /** The maximum number of messages to return, the latest; all if not set. */
  readonly historyLength?: number;
}

/** Options of `Engine.close`. */
export interface EngineCloseOptions {
  /** How long running tasks may take to finish, in milliseconds; 0 if not set. */
  readonly finishMs?: number;
  /** @internal */
  readonly afterCrash?: boolean;
}

/** Hints between nodes can be lost, so each subscriber reads the store once in this many polls. */
export const POLLS_PER_LOOK = 5;

/** Callbacks from the parts of an engine. */
export interface EngineHooks {
  /** A task with push configurations was stored. */
  readonly pushed: () => void;
  readonly called: EngineContext['onCallsDue'];
  readonly pushConfigChanged: EngineContext['pushConfigChanged'];
  readonly hasSlept: EngineContext['hasSlept'];
  /** More runs can start, because memory was released. */
  readonly roomForRuns: () => void;
}

/** @param clock The time of the store. */
export function createEngineContext(options: EngineOptions, clock: Clock, hooks: EngineHooks): EngineContext {
  const { pushed, called, pushConfigChanged, hasSlept, roomForRuns } = hooks;
  const scheduler = options.scheduler ?? systemScheduler;
  const { leaseMs = 15_000, pollMs = 1000, onDemand = false } = options;
  const timers = onDemand ? new UnsharedTimers(clock) : new TimerHeap(clock);
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
    onCallsDue: called,
    log: options.log ?? silentLog,
    observers: options.observers ?? {},
    newId: options.newId ?? newId,
    node: (options.newId ?? newId)(),
    fetchFile: options.fetchFile,
    faultPoint: options.faultPoint ?? (() => {}),
    concurrency: options.concurrency ?? Infinity,
    runsTasks: options.runsTasks ?? true,
    leaseMs,
    liveness: new Liveness(clock, leaseMs),
    memory: new RunMemory(options.maxRunBytes ?? DEFAULT_RUN_BYTES, { clock, timers }, roomForRuns),
    pollMs,
    maxSuspended: options.maxSuspended ?? 1000,
    maxPushConfigs: options.maxPushConfigs ?? 10,
    maxMessages: options.maxMessages ?? 1000,
    maxHistoryBytes: options.maxHistoryBytes ?? 16 * 2 ** 20,
    calls: {
      peers: options.peers,
      maxDepth: options.maxDepth ?? DEFAULT_MAX_DEPTH,
      maxOpen: options.maxOpenCalls ?? 1000,
      identity: options.identity ?? (options.newId ?? newId)(),
    },
    isOnDemand: onDemand,
    closesWithWhole: options.closesWithWhole ?? false,
    hasSlept,
    pushConfigChanged,
  };
}
