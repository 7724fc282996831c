import type { ClaimedPush, PushNoted, PushProgress, PushReport, TaskEvent, TaskRecord } from '../store/store.ts';
import { deferred } from '../support/deferred.ts';
import type { Core } from './core.ts';
import { type Courier, currentTask, type DeliveryResult, deliveryId } from './delivery.ts';
import { attemptDelivery } from './push-attempt.ts';
import { type PushPolicy, setback } from './push-policy.ts';

/** Events that are told in one go: then whoever has waited longer comes first. */
const EVENTS_PER_TURN = 16;
/** The event at hand is the last one of a turn that has lasted so long. */
const TURN_MS = 1000;

/** What a lane needs of the engine. */
type LaneTools = Pick<
  Core,
  'store' | 'node' | 'clock' | 'timers' | 'pollMs' | 'leaseMs' | 'liveness' | 'log' | 'observers' | 'faultPoint'
>;

/** Thrown to leave a lane that was stopped. */
const STOPPED = new Error('Stopped');

/**
 * Tells one receiver of one task what it has not been told yet, event by event, as long as its lease holds. Delivered
 * first, noted then: a process that dies in between delivers the same again, under the same id.
 *
 *     claimed ──► deliver ──► note ──► next event … ──► note and give the lease back
 *                   │ failed: note when to try again, or that it is given up, and give the lease back
 */
export class PushLane {
  readonly push: ClaimedPush;
  readonly done: Promise<void>;
  readonly #tools: LaneTools;
  readonly #courier: Courier;
  readonly #policy: PushPolicy;
  readonly #abort = new AbortController();
  readonly #stopped = deferred<never>();
  #progress: PushProgress;
  /** In which it got its lease, or last made sure of it. */
  #spell: number;

  constructor(tools: LaneTools, courier: Courier, policy: PushPolicy, push: ClaimedPush, spell: number) {
    this.#spell = spell;
    this.#tools = tools;
    this.#courier = courier;
    this.#policy = policy;
    this.push = push;
    this.#progress = push;
    this.done = this.#run();
  }

  /** Lets go at once of what is under way. What was not noted is told again by whoever comes next. */
  stop(): void {
    this.#abort.abort();
    this.#stopped.reject(STOPPED);
  }

  async #run(): Promise<void> {
    const { log } = this.#tools;
    try {
      await this.#tellAll();
    } catch (error) {
      if (error === STOPPED) return;
      const { taskId, configId } = this.push;
      log.error('Telling of a task failed', { taskId, configId, error });
      // It is claimed again as soon as this ends: a defect must not go round in circles.
      await this.#pause().catch(() => {});
    }
  }

  async #tellAll(): Promise<void> {
    const { store, clock } = this.#tools;
    const { taskId, config, told } = this.push;
    const stored = await this.#reliably(() => store.read(this.push, taskId, { history: 0 }));
    if (stored === undefined) return;
    const { record } = stored;
    const turnEnds = clock.now() + TURN_MS;
    const events = await this.#reliably(() => store.events(taskId, told, EVENTS_PER_TURN));
    const last = events.at(-1)?.number ?? this.#skipLost(record);
    for (const event of events) {
      if (!this.#courier.wants(event, config)) continue;
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

  /** Whether nobody else tells of this by now: what is said elsewhere cannot be taken back. */
  async #isSure(): Promise<boolean> {
    const { store, node, leaseMs, liveness, clock } = this.#tools;
    if (liveness.isSureOf(this.#spell)) return true;
    let since: number;
    do {
      const { spell } = liveness;
      since = clock.now();
      await store.heartbeat(node, leaseMs);
      if ((await this.#note({})) === undefined) return false;
      this.#spell = spell;
      // Anew, if it took so long to note it: the lease that was asked for may be over.
    } while (!liveness.lasts(since));
    return true;
  }

  /** While nothing was sent there, because it was disabled, the log may have gone. */
  #skipLost({ id, lastEvent }: TaskRecord): number {
    const { configId, told } = this.push;
    const count = lastEvent - told;
    this.#tools.log.warn(`${count} events are gone that a receiver was not told of`, { taskId: id, configId });
    return lastEvent;
  }

  async #deliver(task: TaskRecord, event: TaskEvent): Promise<DeliveryResult> {
    const { store, log, observers, faultPoint } = this.#tools;
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
      attemptDelivery(observers, this.#courier, planned, signal).catch((error: unknown): DeliveryResult => {
        if (!signal.aborted) log.error('A notification could not be made', { taskId, configId, error });
        return { kind: 'failed', reason: 'The notification could not be made; the log says why' };
      }),
    );
    faultPoint('after-deliver');
    if (result.kind === 'delivered') observers.metrics?.pushAttempted('delivered');
    return result;
  }

  async #noteFailure(event: TaskEvent, result: Extract<DeliveryResult, { kind: 'failed' }>): Promise<void> {
    const { clock, log, observers } = this.#tools;
    const { taskId, configId, receiver } = this.push;
    const now = clock.now();
    const attempts = this.#progress.attempts + 1;
    const { progress, dueAt, isGivenUp, disabled } = setback(this.#policy, this.#progress, event.number, result, now);
    this.#progress = progress;
    observers.metrics?.pushAttempted(isGivenUp ? 'dead' : 'failed');
    const { reason } = result;
    const deadLetter = isGivenUp && { id: deliveryId(this.push, event.number), event, reason, attempts, time: now };
    const outcome = disabled === undefined ? { dueAt } : { disabled };
    const noted = await this.#note({ ...outcome, ...(deadLetter !== false && { deadLetter }) });
    if (noted === undefined || !isGivenUp) return;
    log.warn('A notification is given up', { taskId, configId, receiver, event: event.number, attempts, reason });
    if (disabled !== undefined) log.warn('A receiver is sent nothing more', { taskId, configId, receiver, disabled });
  }

  async #note(change: Pick<PushReport, 'dueAt' | 'disabled' | 'deadLetter'>): Promise<PushNoted | undefined> {
    const { store, node, faultPoint } = this.#tools;
    const { taskId, configId, fence } = this.push;
    const { told, attempts, failingSince, givenUp } = this.#progress;
    const progress =
      failingSince === undefined ? { told, attempts, givenUp } : { told, attempts, failingSince, givenUp };
    const report = { taskId, configId, node, fence, ...progress, ...change };
    const noted = await this.#reliably(() => store.notePush(report));
    faultPoint('after-told');
    return noted;
  }

  /** A store that fails is asked again: nobody else looks after what this lane holds while its node lives. */
  async #reliably<T>(call: () => Promise<T>): Promise<T> {
    const { log } = this.#tools;
    for (let hasWarned = false; ; hasWarned = true) {
      try {
        return await this.#unlessStopped(call());
      } catch (error) {
        if (error === STOPPED) throw error;
        if (!hasWarned) log.warn('The outbox waits for the store', { error });
      }
      await this.#pause();
    }
  }

  #pause(): Promise<void> {
    const { clock, timers, pollMs } = this.#tools;
    return this.#unlessStopped(new Promise((resolve) => void timers.add(clock.now() + pollMs, resolve)));
  }

  #unlessStopped<T>(promise: Promise<T>): Promise<T> {
    return Promise.race([this.#stopped.promise, promise]);
  }
}
