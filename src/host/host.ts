import { Engine, type EngineCloseOptions } from '../engine/engine.ts';
import type { Runnable } from '../engine/runnable.ts';
import type { Retention } from '../engine/schedule/retention.ts';
import { A2AError } from '../errors.ts';
import type { AuditTrail } from '../observe/audit.ts';
import type { Log } from '../observe/log.ts';
import { Metrics } from '../observe/metrics.ts';
import type { Observers } from '../observe/observers.ts';
import { type OpenTelemetry, openTelemetryTracer } from '../observe/opentelemetry.ts';
import { memoryStore } from '../store/memory/store.ts';
import type { Store } from '../store/store.ts';
import type { OpenPeers } from '../peers/peers.ts';
import { type Clock, systemClock } from '../support/time/clock.ts';
import { pushPolicyOf } from './options/push-options.ts';
import { defined } from '../support/defined.ts';
import { newId } from '../support/id.ts';
import { TimerHeap } from '../support/time/timer-heap.ts';
import type { Timers } from '../support/time/timers.ts';
import { UnsharedTimers } from '../support/time/unshared-timers.ts';
import { Access, type AccessRules } from './auth/access.ts';
import { type Continuation, NO_CONTINUATION } from './continuation.ts';
import type { WaitUntil } from './http.ts';
import { Deviations, Failures } from './failure.ts';
import { FailedLogins } from './limits/failed-logins.ts';
import type { InFlight } from './limits/in-flight.ts';
import { createLimits, type HostLimits } from './limits/host-limits.ts';
import type { LimitSettings } from './limits/limit-settings.ts';
import { hostPeers, type HostPeersSettings } from './outbound/host-peers.ts';
import { Outbound, type OutboundSettings } from './outbound/outbound.ts';

/** The options of a host, with defaults applied. */
export interface HostSettings
  extends
    Omit<AccessRules, 'logins'>,
    Omit<OutboundSettings, 'log' | 'clock'>,
    Omit<HostPeersSettings, 'log' | 'clock'> {
  /** Default: tasks are kept in memory. */
  readonly store: Store | undefined;
  readonly limits: LimitSettings;
  readonly maxBodyBytes: number;
  /** Reject requests that deviate from the protocol instead of accepting them with a warning. */
  readonly strict: boolean;
  /** Ends each artifact that was sent in chunks with one event that contains all of it. */
  readonly closesWithWhole: boolean;
  /** Whether this process runs tasks, or leaves them to other processes on the same store. */
  readonly runsTasks: boolean;
  /** The maximum number of concurrent runs of all agents. */
  readonly concurrency: number | undefined;
  readonly retention: Retention;
  readonly tracing: OpenTelemetry | false | undefined;
  readonly metrics: boolean;
  /** The clock of tasks, for tests. Default: the system clock. */
  readonly clock: Clock | undefined;
}

export interface HostOptions {
  /** The agents to run, each with its own id. */
  readonly agents: readonly Runnable[];
  readonly settings: HostSettings;
  readonly log: Log;
  readonly audit: AuditTrail;
  /** Counts the bytes that the edges receive and send. */
  readonly inFlight: InFlight;
  /** Whether the host is closing and ends its streams. */
  readonly isClosing: () => boolean;
  /** Continues tasks in a process that may be frozen between requests. Loaded with the engine. */
  readonly createContinuation?: ((engine: Engine) => Promise<Continuation>) | undefined;
}

/**
 * The parts that agents in one process share: the store and the engine, authentication, limits, outbound requests, log and metrics. Its
 * start resumes tasks that an earlier process left unfinished.
 */
export class Host {
  readonly access: Access;
  readonly limits: HostLimits;
  readonly outbound: Outbound;
  /** The agents on other hosts. */
  readonly peers: OpenPeers;
  /** Identifies this host in the marks of its agents: its public URL, else an id of this process. */
  readonly identity: string;
  /** The most calls between agents that may lead to a task. */
  readonly maxDepth: number;
  readonly failures: Failures;
  readonly deviations: Deviations;
  readonly observers: Observers;
  /** Ends streams at given times. */
  readonly timers: Timers;
  readonly maxBodyBytes: number;
  /** Whether incoming trace context is propagated. */
  readonly keepsTraces: boolean;
  readonly isClosing: () => boolean;
  continuation: Continuation = NO_CONTINUATION;
  readonly #options: HostOptions;
  #engine: Engine | undefined;

  constructor(options: HostOptions) {
    const { agents, settings, log, audit, inFlight, isClosing, createContinuation } = options;
    const { limits, tracing, store } = settings;
    this.#options = options;
    this.isClosing = isClosing;
    this.maxBodyBytes = settings.maxBodyBytes;
    this.keepsTraces = tracing !== false;
    this.access = new Access({ ...settings, logins: new FailedLogins(limits) });
    // Other machines do not share the clock of a test.
    this.outbound = new Outbound({ ...settings, log, clock: systemClock });
    this.peers = hostPeers({ ...settings, log });
    this.identity = settings.publicUrl ?? newId();
    this.maxDepth = limits.maxDepth;
    this.observers = {
      tracer: tracing === undefined || tracing === false ? undefined : openTelemetryTracer(tracing),
      metrics: settings.metrics ? new Metrics() : undefined,
      audit,
    };
    this.failures = new Failures(log, Date.now, this.observers);
    this.deviations = new Deviations(log);
    // A timer of a process that may be frozen must not end with the request that set it.
    this.timers = createContinuation === undefined ? new TimerHeap(systemClock) : new UnsharedTimers(systemClock);
    const name = agents.map(({ id }) => id).join(',');
    const takeTokens = store?.takeTokens?.bind(store);
    this.limits = createLimits({ settings: limits, name, takeTokens, strict: settings.strict }, inFlight.responses);
  }

  /** @throws A2AError `UNAVAILABLE` before the start. */
  get engine(): Engine {
    if (this.#engine === undefined) throw new A2AError('UNAVAILABLE', 'The agent has not started');
    return this.#engine;
  }

  /** Starts the engine. Can be called again if it fails. */
  async start(): Promise<void> {
    await this.outbound.start();
    const engine = await this.#startEngine();
    const { createContinuation } = this.#options;
    try {
      if (createContinuation !== undefined) this.continuation = await createContinuation(engine);
    } catch (error) {
      // The next attempt starts another engine.
      await engine.close();
      throw error;
    }
    this.#engine = engine;
  }

  /**
   * Called when a peer notifies this host about the task of a call, with the SHA-256 of the token that it sent. Resolves to false if there
   * is no such call or it has another token.
   */
  async onCallHint(callId: string, tokenDigest: string, waitUntil: WaitUntil | undefined): Promise<boolean> {
    const taskId = await this.engine.callHint(callId, tokenDigest);
    if (taskId === undefined) return false;
    await this.continuation.continueTask(taskId, waitUntil);
    return true;
  }

  /** Stops accepting work and releases unfinished tasks. The store stays open. */
  async close(options: EngineCloseOptions): Promise<void> {
    await this.#engine?.close(options);
    this.outbound.close();
    await this.peers.close();
    this.timers.clear();
  }

  #startEngine(): Promise<Engine> {
    const { agents, settings, log, createContinuation } = this.#options;
    const { store, retention, limits, push, concurrency, clock } = settings;
    const { pushTransport, fetchFile } = this.outbound;
    if (store === undefined)
      log.warn('No store is configured: tasks are kept in memory and lost when the process ends');
    return Engine.start({
      store: store ?? memoryStore(defined({ clock })),
      agents,
      log,
      observers: this.observers,
      fetchFile,
      peers: this.peers,
      identity: this.identity,
      closesWithWhole: settings.closesWithWhole,
      runsTasks: settings.runsTasks,
      ...(concurrency !== undefined && { concurrency }),
      ...(pushTransport !== undefined && { pushTransport }),
      push: pushPolicyOf(push),
      retention,
      maxPushConfigs: limits.pushConfigsPerTask,
      maxMessages: limits.messagesPerTask,
      maxHistoryBytes: limits.historyBytesPerTask,
      maxRunBytes: limits.runBytes,
      maxDepth: limits.maxDepth,
      maxOpenCalls: limits.maxOpenCalls,
      onDemand: createContinuation !== undefined,
      ...(clock !== undefined && { clock }),
    });
  }
}
