import type { ClaimedPush, PushNoted, PushProgress, PushReport, TaskEvent, TaskRecord } from '../../store/store.ts';
import { deferred } from '../../support/deferred.ts';
import type { EngineContext } from '../engine-context.ts';
import { type PushTransport, currentTask, type DeliveryResult, deliveryId, attemptDelivery } from './delivery.ts';
import { type PushPolicy, retryableFailure } from './push-policy.ts';

/** The maximum number of events per turn. After that, receivers that have waited longer go first. */
const EVENTS_PER_TURN = 16;
/** A turn ends after the event during which this time is exceeded. */
const TURN_MS = 1000;

/** Thrown inside a lane that was stopped. */
const STOPPED = new Error('Stopped');

/**
 * Delivers the pending events of one task to one receiver, in order, while its lease is valid. An event is delivered first
 * and recorded after: a process that dies in between delivers it again, with the same id.
 *
 *     claimed ──► deliver ──► record ──► next event … ──► record and release the lease
 *                   │ failed: record the next attempt or the dead letter, and release the lease
 */
export class PushLane {
  readonly push: ClaimedPush;
  readonly done: Promise<void>;
  readonly #engine: EngineContext;
  readonly #pushTransport: PushTransport;
  readonly #policy: PushPolicy;
  readonly #abort = new AbortController();
  readonly #stopped = deferred<never>();
  #progress: PushProgress;
  /** The lease epoch in which the lane got its lease, or last confirmed it. */
  #leaseEpoch: number;

  constructor(
    engine: EngineContext,
    pushTransport: PushTransport,
    policy: PushPolicy,
    push: ClaimedPush,
    leaseEpoch: number,
  ) {
    this.#leaseEpoch = leaseEpoch;
    this.#engine = engine;
    this.#pushTransport = pushTransport;
    this.#policy = policy;
    this.push = push;
    this.#progress = push;
    this.done = this.#run();
  }

  /** Aborts at once. Events that were not recorded are delivered again by the next lane. */
  stop(): void {
    this.#abort.abort();
    this.#stopped.reject(STOPPED);
  }

  async #run(): Promise<void> {
    const { log } = this.#engine;
    try {
      await this.#notifyAll();
    } catch (error) {
      if (error === STOPPED) return;
      const { taskId, configId } = this.push;
      log.error('Push delivery failed unexpectedly', { taskId, configId, error });
      // The configuration is claimed again as soon as this ends, so a defect must not cause a busy loop.
      await this.#pause().catch(() => {});
    }
  }

  async #notifyAll(): Promise<void> {
    const { store, clock } = this.#engine;
    const { taskId, config, told } = this.push;
    const stored = await this.#reliably(() => store.read(this.push, taskId, { history: 0 }));
    if (stored === undefined) return;
    const { record } = stored;
    const turnEnds = clock.now() + TURN_MS;
    const events = await this.#reliably(() => store.events(taskId, told, EVENTS_PER_TURN));
    const last = events.at(-1)?.number ?? this.#skipLost(record);
    for (const event of events) {
      if (!this.#pushTransport.wants(event, config)) continue;
      if (!(await this.#isSure())) return;
      const result = await this.#deliver(record, event);
      if (result.kind === 'failed') return this.#noteFailure(event, result);
      this.#progress = { told: event.number, attempts: 0, givenUp: 0 };
      if (event.number === last) break;
      const isOver = clock.now() >= turnEnds;
      const noted = await this.#note(isOver ? { dueAt: clock.now() } : {});
      if (isOver || noted === undefined) return;
    }
    this.#progress = { ...this.#progress, told: last };
    await this.#note({ dueAt: clock.now() });
  }

  /** Returns whether this lane still holds its lease, because a delivery cannot be undone. */
  async #isSure(): Promise<boolean> {
    const { store, node, leaseMs, liveness, clock } = this.#engine;
    if (liveness.isSureOf(this.#leaseEpoch)) return true;
    let since: number;
    do {
      const { leaseEpoch } = liveness;
      since = clock.now();
      await store.heartbeat(node, leaseMs);
      if ((await this.#note({})) === undefined) return false;
      this.#leaseEpoch = leaseEpoch;
      // Again, if the write took so long that the lease may have expired.
    } while (!liveness.lasts(since));
    return true;
  }

  /** Retention may have removed events while the configuration was disabled. */
  #skipLost({ id, lastEvent }: TaskRecord): number {
    const { configId, told } = this.push;
    const count = lastEvent - told;
    this.#engine.log.warn('Skipped events that were removed before their delivery', { taskId: id, configId, count });
    return lastEvent;
  }

  async #deliver(task: TaskRecord, event: TaskEvent): Promise<DeliveryResult> {
    const { store, log, observers, faultPoint } = this.#engine;
    const { taskId, configId, config } = this.push;
    const { signal } = this.#abort;
    faultPoint('before-deliver');
    const planned = {
      id: deliveryId(this.push, event.number),
      attempt: this.#progress.attempts + 1,
      task,
      config,
      event,
      taskView: () => currentTask(store, task, task.id),
    };
    const result = await this.#unlessStopped(
      attemptDelivery(observers, this.#pushTransport, planned, signal).catch((error: unknown): DeliveryResult => {
        if (!signal.aborted) log.error('Could not create push notification', { taskId, configId, error });
        return { kind: 'failed', reason: 'The notification could not be created; see the log' };
      }),
    );
    faultPoint('after-deliver');
    if (result.kind === 'delivered') observers.metrics?.pushAttempted('delivered');
    return result;
  }

  async #noteFailure(event: TaskEvent, result: Extract<DeliveryResult, { kind: 'failed' }>): Promise<void> {
    const { clock, log, observers } = this.#engine;
    const { taskId, configId, receiver } = this.push;
    const now = clock.now();
    const attempts = this.#progress.attempts + 1;
    const { progress, dueAt, isGivenUp, disabled } = retryableFailure(
      this.#policy,
      this.#progress,
      event.number,
      result,
      now,
    );
    this.#progress = progress;
    observers.metrics?.pushAttempted(isGivenUp ? 'dead' : 'failed');
    const { reason } = result;
    const deadLetter = isGivenUp && { id: deliveryId(this.push, event.number), event, reason, attempts, time: now };
    const outcome = disabled === undefined ? { dueAt } : { disabled };
    const noted = await this.#note({ ...outcome, ...(deadLetter !== false && { deadLetter }) });
    if (noted === undefined || !isGivenUp) return;
    log.warn('Gave up on push notification', { taskId, configId, receiver, event: event.number, attempts, reason });
    if (disabled !== undefined) log.warn('Disabled push configuration', { taskId, configId, receiver, disabled });
  }

  async #note(change: Pick<PushReport, 'dueAt' | 'disabled' | 'deadLetter'>): Promise<PushNoted | undefined> {
    const { store, node, faultPoint } = this.#engine;
    const { taskId, configId, fence } = this.push;
    const { told, attempts, failingSince, givenUp } = this.#progress;
    const progress =
      failingSince === undefined ? { told, attempts, givenUp } : { told, attempts, failingSince, givenUp };
    const report = { taskId, configId, node, fence, ...progress, ...change };
    const noted = await this.#reliably(() => store.notePush(report));
    faultPoint('after-told');
    return noted;
  }

  /** Retries while the store fails, because no other node takes over the lane while this node lives. */
  async #reliably<T>(call: () => Promise<T>): Promise<T> {
    const { log } = this.#engine;
    for (let hasWarned = false; ; hasWarned = true) {
      try {
        return await this.#unlessStopped(call());
      } catch (error) {
        if (error === STOPPED) throw error;
        if (!hasWarned) log.warn('Push delivery waits for the task store', { error });
      }
      await this.#pause();
    }
  }

  #pause(): Promise<void> {
    const { clock, timers, pollMs } = this.#engine;
    return this.#unlessStopped(new Promise((resolve) => void timers.add(clock.now() + pollMs, resolve)));
  }

  #unlessStopped<T>(promise: Promise<T>): Promise<T> {
    return Promise.race([this.#stopped.promise, promise]);
  }
}
