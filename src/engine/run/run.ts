import type { A2AError } from '../../errors.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import type { Part } from '../../model/part.ts';
import { isPaused, isTerminal, type TaskState } from '../../model/state.ts';
import type { JournalRecord, TaskRecord } from '../../store/store.ts';
import { HANDLER_FAILED } from '../../observe/log.ts';
import { nextTurn } from '../../support/time/scheduler.ts';
import { stopError, type StopReason, StopSignal } from './abort.ts';
import { drive, type Sink } from './drive.ts';
import { failureMetadata, publicText } from './failure-text.ts';
import type { Journal, JournalKind } from '../replay/journal.ts';
import { type LoadedTask, originOf } from '../replay/load-task.ts';
import { decisionOf, type Outcome } from './outcome.ts';
import { emissionOf } from '../output/output.ts';
import { refusalToPause } from './pause-limit.ts';
import { createContext } from './run-context.ts';
import type { RunEnvironment } from './run-environment.ts';
import { RunInbox } from './run-inbox.ts';
import { RunOrder } from './run-order.ts';
import { RunOutputs } from '../output/run-outputs.ts';
import { RunPauses } from './run-pauses.ts';
import { isInsideStep, RunSteps } from './run-steps.ts';
import { RunTimers } from './run-timers.ts';
import { RunTrace } from './run-trace.ts';
import { RunWaits } from './run-waits.ts';
import type { Runnable } from '../runnable.ts';
import type { Loss } from '../write/lost-events.ts';
import type { StepOutputs } from '../output/step-outputs.ts';
import { taskFields } from '../task-trace.ts';
import { TaskWriter, type WriterEvents } from '../write/task-writer.ts';
import type { Decision } from '../write/write-batch.ts';

/** The number of outputs after which a handler that never waits yields to the event loop. */
const OUTPUTS_AT_A_STRETCH = 256;

/**
 * One execution of a handler in this process.
 *
 *     running ──► suspended (waits for an answer or a timer; no lease) ──► running …
 *        │            └─ removed from memory: starts again by replay
 *        └──► over: ended, paused until the next message, lost, or stopped
 *
 * A run ends exactly once. Whatever the handler does after that has no effect.
 */
export class Run implements Sink, WriterEvents {
  readonly env: RunEnvironment;
  readonly agent: Runnable;
  readonly taskId: string;
  readonly journal: Journal;
  /** The last journal entry that an earlier run has made. */
  readonly othersJournal: number;
  readonly outputs: RunOutputs;
  readonly timers: RunTimers;
  readonly trace: RunTrace | undefined;
  readonly #task: LoadedTask;
  readonly #writer: TaskWriter;
  // Created on first use, because a short run needs none of them.
  #steps: RunSteps | undefined;
  #waits: RunWaits | undefined;
  #inbox: RunInbox | undefined;
  #pauses: RunPauses | undefined;
  #order: RunOrder | undefined;
  #state: 'running' | 'suspended' | 'over' = 'running';
  #outcome: Outcome | undefined;
  #isCanceling = false;
  /** Whether the handler has ended its turn itself. */
  #isFinished = false;
  #isWakeWanted = false;
  readonly #stopping = new StopSignal();
  #outputs = 0;
  /** The lease epoch in which the run got its lease, or last confirmed it. */
  leaseEpoch: number;

  constructor(env: RunEnvironment, agent: Runnable, task: LoadedTask, leaseEpoch = env.liveness.leaseEpoch) {
    this.env = env;
    this.leaseEpoch = leaseEpoch;
    this.agent = agent;
    this.taskId = task.record.id;
    this.journal = task.journal;
    this.othersJournal = task.record.lastJournal;
    this.#task = task;
    this.trace = env.observers.tracer === undefined ? undefined : new RunTrace(env.observers.tracer);
    this.#writer = new TaskWriter(env, this, task);
    this.outputs = new RunOutputs(task, agent, this.#writer, env);
    this.timers = new RunTimers(env, this);
  }

  get order(): RunOrder {
    return (this.#order ??= new RunOrder(this));
  }

  get steps(): RunSteps {
    return (this.#steps ??= new RunSteps(this));
  }

  get waits(): RunWaits {
    return (this.#waits ??= new RunWaits(this));
  }

  get inbox(): RunInbox {
    return (this.#inbox ??= new RunInbox(this));
  }

  get pauses(): RunPauses {
    return (this.#pauses ??= new RunPauses(this, this.#writer, this.waits));
  }

  get state(): 'running' | 'suspended' | 'over' {
    return this.#state;
  }

  get record(): TaskRecord {
    return this.#writer.record;
  }

  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Whether the handler has ended or continues in another run, so that nobody waits for its promises here. */
  get isAbandoned(): boolean {
    const { reason } = this.#stopping;
    return this.isOver && (reason === undefined || reason === 'suspended');
  }

  /** Whether further activity of the handler is ignored. */
  get isOver(): boolean {
    return this.#state === 'over' || this.#outcome !== undefined;
  }

  get isCanceling(): boolean {
    return this.#isCanceling;
  }

  get isToldToStop(): boolean {
    return this.#stopping.reason !== undefined;
  }

  now(): number {
    return this.env.clock.now();
  }

  start(): void {
    this.#armTimeout(this.journal.workedMs);
    // Callers can already see the task, so they may see that it has started.
    if (this.record.visible) this.outputs.begin();
    if (this.record.canceling) this.cancel();
    if (this.#task.published.isOutdated)
      this.env.log.warn(
        'Replaying a journal of an older version, which did not record the outputs of steps: all published output is kept',
        taskFields(this.record),
      );
    void (this.trace === undefined ? this.#execute() : this.trace.within(() => this.#execute()));
  }

  /** Resumes under a new lease, with the entries that were written in the meantime. */
  resume(record: TaskRecord, entries: readonly JournalRecord[], leaseEpoch: number): void {
    this.leaseEpoch = leaseEpoch;
    this.#state = 'running';
    this.#isWakeWanted = false;
    this.#writer.resume(record);
    this.#armTimeout();
    this.#lookAround(record, entries);
  }

  /** Applies writes from outside of the run: messages, an answer, a cancel. */
  refreshFromStore(record: TaskRecord, entries: readonly JournalRecord[]): void {
    if (this.#state !== 'running') return;
    this.#writer.refresh(record);
    this.#lookAround(record, entries);
  }

  #lookAround({ canceling }: TaskRecord, entries: readonly JournalRecord[]): void {
    this.catchUp(entries);
    if (!this.#writer.isAsking) this.outputs.speak();
    this.#waits?.settle();
    this.#inbox?.wake();
    if (canceling) this.cancel();
    this.#pauses?.pauseLater();
  }

  catchUp(entries: readonly JournalRecord[]): void {
    this.#writer.conversation.add(this.journal.catchUp(entries));
  }

  /** Called when a cancel is stored. The handler may clean up during the grace period; then the task ends as canceled. */
  cancel(): void {
    if (this.#isCanceling || this.#state === 'over') return;
    this.#isCanceling = true;
    this.#stopping.tell('canceled');
    this.#waits?.stop('canceled');
    this.#inbox?.wake();
    this.timers.callAt(this.now() + this.agent.limits.cancelGraceMs, () =>
      this.end({ kind: 'end', state: 'TASK_STATE_CANCELED' }),
    );
  }

  /** Stops the run without writing to the store. */
  stop(reason: StopReason, loss?: Loss): void {
    if (this.#state === 'over') return;
    const wasHeld = this.#state === 'running';
    this.#state = 'over';
    this.timers.clear();
    // A suspended run that is removed from memory resumes by replay, so its promises are not rejected.
    const isQuiet = reason === 'suspended';
    this.#writer.close(isQuiet ? undefined : reason);
    if (!isQuiet) this.#waits?.stop(reason);
    this.#stopping.tell(reason);
    this.#inbox?.wake();
    if (wasHeld) this.env.onRest(this, loss);
  }

  /** @param step The step that emits it through its own context. @param isLast Whether the handler returned it. */
  emit(output: unknown, step?: StepOutputs, isLast = false): void {
    if (this.#isDone('published output')) return;
    const emission = emissionOf(output, isLast);
    if (emission.kind === 'artifact') return this.outputs.artifact(emission, step);
    if (emission.kind === 'reply') return this.#reply(emission.parts, step);
    const { state, parts, metadata } = emission;
    if (step !== undefined) return this.#emitInStep(state, parts, metadata, step);
    this.outputs.assertSize(parts, metadata);
    if (isTerminal(state)) this.conclude({ kind: 'end', state, parts, metadata });
    else if (isPaused(state)) this.conclude({ kind: 'turn', state, parts, metadata });
    else this.outputs.working(parts, metadata);
  }

  #reply(parts: readonly Part[], step: StepOutputs | undefined): void {
    if (step !== undefined) throw new TypeError('A step cannot reply. Return from the step, and reply in the handler.');
    this.outputs.assertSize(parts);
    this.conclude({ kind: 'reply', parts });
  }

  #emitInStep(state: TaskState, parts: readonly Part[], metadata: JsonObject | undefined, step: StepOutputs): void {
    if (state === 'TASK_STATE_WORKING') return this.outputs.working(parts, metadata, step);
    throw new TypeError(
      'A step can only publish the status "working". Return from the step, and end or pause the task from the handler.',
    );
  }

  /**
   * Returns a promise to await before the next output, if any. Now and then it waits for the event loop even if there is
   * room: a handler that never waits must neither block others nor miss that it was stopped.
   */
  room(): Promise<void> | undefined {
    if (this.isOver) return nextTurn(this.env.scheduler).then(() => this.assertRunning());
    const room = this.#writer.room();
    return room === undefined && ++this.#outputs % OUTPUTS_AT_A_STRETCH === 0 ? nextTurn(this.env.scheduler) : room;
  }

  /** Ends the turn by a decision of the handler, unless it has already ended. */
  conclude(outcome: Outcome): void {
    if (!this.isOver) this.#isFinished = true;
    this.end(outcome);
  }

  /** Ends the turn, unless it has already ended. */
  end(outcome: Outcome): void {
    if (this.#isDone('ended again')) return;
    this.#outcome = outcome;
    this.#finish(outcome).catch((error: unknown) => this.#writer.fail(error));
  }

  /** Throws if the run is over. */
  assertRunning(): void {
    if (this.isOver) throw stopError(this.#stopping.reason ?? 'over');
  }

  /** Throws if the run is over or canceled: a canceled handler only cleans up. */
  assertMayWait(): void {
    this.assertRunning();
    if (this.#isCanceling) throw stopError('canceled');
  }

  /** Throws if a call that may wait for days is made inside the function of a step. */
  assertOutsideStep(call: 'ask' | 'authorize' | 'sleep'): void {
    if (this.#steps?.isPerforming !== true || !isInsideStep()) return;
    throw new TypeError(
      `${call}() cannot be called inside a step: a step runs as a whole, without waiting for the caller or a timer. ` +
        `Call ${call}() in the handler, before or after the step.`,
    );
  }

  /** A promise to await before side effects, because the task may not be stored yet. */
  get creation(): Promise<void> | undefined {
    return this.#task.creation?.stored;
  }

  /** Publishes at once that the task is working. */
  announce(): void {
    this.outputs.begin();
    void this.#writer.stored();
  }

  /** Stores a journal entry. Resolves with its number. */
  async note(kind: JournalKind, key: string, body: JsonValue): Promise<number> {
    this.assertRunning();
    // The entry makes the task visible, so it should show as working.
    this.outputs.begin();
    const noted = await this.#writer.note({ kind, key, body });
    await this.order.first(noted);
    return noted.number;
  }

  /** Adds a journal entry to the next write. */
  noteLater(kind: JournalKind, key: string, body: JsonValue): void {
    this.#writer.addJournal({ kind, key, body });
  }

  async decide(decision: Decision): Promise<boolean> {
    const noted = await this.#writer.decideInTurn(decision);
    if (noted !== undefined) await this.order.first(noted);
    return noted !== undefined;
  }

  /** Returns an error if the caller has too many tasks that wait for an answer. */
  refusalToPause(): Promise<A2AError | undefined> {
    return this.reading(() => refusalToPause(this.env.store, this.record, this.agent.limits));
  }

  /** Reads from the store. A failure is not the handler's fault: the run starts again when the store is available. */
  async reading<T>(read: () => Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (error) {
      this.#writer.fail(error);
      throw error;
    }
  }

  async #execute(): Promise<void> {
    try {
      const context = createContext(this, this.#task, this.#writer);
      const last = await drive(this.agent, context, this);
      if (this.isOver) return;
      if (last !== undefined) this.emit(last, undefined, true);
      if (this.#outcome === undefined) this.conclude({ kind: 'end', state: 'TASK_STATE_COMPLETED' });
    } catch (error) {
      this.#failed(error);
    }
  }

  #failed(error: unknown): void {
    if (this.#isDone('threw')) return;
    this.trace?.fail(error);
    const text = publicText(error);
    if (text !== undefined) return this.#fail(text, failureMetadata(error));
    const reference = this.env.newId();
    if (!this.#isCanceling) this.env.log.error(HANDLER_FAILED, { ...taskFields(this.record), reference, error });
    this.#fail(`The agent failed. Reference: ${reference}`);
  }

  #fail(text: string, metadata?: JsonObject): void {
    this.end({ kind: 'end', state: 'TASK_STATE_FAILED', parts: [{ text }], metadata });
  }

  async #finish(outcome: Outcome): Promise<void> {
    this.timers.clear();
    this.#waits?.stop('over');
    if (outcome.kind === 'reply' && !this.#isCanceling && (await this.#dropForReply(outcome.parts))) return;
    const permitted = await this.#permitted(outcome);
    // In one write with the end. A handler that threw or was stopped has not left out output on purpose.
    if (this.#stopping.reason === undefined) this.outputs.speak();
    if (this.#stopping.reason === undefined && this.#isFinished) {
      this.outputs.shorten();
      // The next turn may append to the artifacts.
      if (permitted.kind !== 'turn') this.outputs.closeArtifacts();
    }
    this.env.faultPoint('before-end');
    if (this.#isCanceling || !(await this.#writer.decide(this.#decisionOf(permitted)))) {
      if (!this.#isCanceling) return this.stop('lease-lost', { kind: 'overtaken' });
      const status = this.outputs.status('TASK_STATE_CANCELED');
      await this.#writer.decide({ status, endedAt: this.now() });
    }
    this.env.faultPoint('after-end');
    this.#settled('over');
  }

  async #permitted(outcome: Outcome): Promise<Outcome> {
    const refusal = outcome.kind === 'turn' && !this.#isCanceling ? await this.refusalToPause() : undefined;
    return refusal ? { kind: 'end', state: 'TASK_STATE_FAILED', parts: [{ text: refusal.message }] } : outcome;
  }

  #decisionOf(outcome: Outcome): Decision {
    const { questionTtlMs } = this.agent.limits;
    return decisionOf(outcome, this.outputs, { now: this.now(), turn: this.journal.turn + 1, questionTtlMs });
  }

  /** Drops the task for a reply, if no caller has seen the task. */
  async #dropForReply(parts: readonly Part[]): Promise<boolean> {
    if (!this.#writer.isProvisional) return false;
    // Stores keep the order of appends, but not relative to the creation.
    await this.creation;
    const { lease } = this.#writer;
    if (this.#isCanceling || !this.#writer.isProvisional || lease === undefined) return false;
    const { env, record } = this;
    const message = { messageId: env.newId(), contextId: record.contextId, role: 'ROLE_AGENT' as const, parts };
    if (!(await env.store.dropForReply(this.taskId, lease, message))) return false;
    env.faultPoint('after-reply');
    env.feed.tell(this.taskId, { kind: 'replied', message });
    this.#settled('over');
    return true;
  }

  /** Called when the lease is released. */
  suspended(): void {
    if (this.#state === 'running') this.#settled('suspended');
  }

  #settled(state: 'suspended' | 'over'): void {
    if (this.#state === 'over') return;
    this.#state = state;
    this.timers.disarmTimeout();
    if (state === 'suspended') this.#writer.suspend();
    if (state === 'over') {
      this.timers.clear();
      this.#writer.close('over');
      this.#inbox?.wake();
    }
    this.env.onRest(this);
  }

  onLost(loss: Loss): void {
    this.stop(this.creation === undefined ? 'lease-lost' : 'not-stored', loss);
  }

  /** Once per suspension: the first pending write wakes the run, the others follow. */
  onBlocked(): void {
    if (this.#isWakeWanted || this.#state === 'over') return;
    this.#isWakeWanted = true;
    this.env.onWakeWanted(this);
  }

  #armTimeout(workedMs = 0): void {
    const { timeoutMs: mostMs } = this.agent.limits;
    const timeoutMs = Math.min(mostMs, originOf(this.record).timeoutMs ?? mostMs);
    this.timers.armTimeout(timeoutMs, workedMs, () => {
      if (this.env.hasSlept()) return this.stop('lease-lost', { kind: 'overtaken' });
      const { workedMs, passedMs } = this.timers;
      this.env.log.warn('Task timed out', { ...taskFields(this.record), timeoutMs, workedMs, passedMs });
      this.#stopping.tell('timeout');
      this.#fail('Task timed out');
    });
  }

  #isDone(action: string): boolean {
    if (this.isOver && this.#stopping.reason === undefined)
      this.env.log.warn('Ignored what a handler did after its end', { ...taskFields(this.record), action });
    return this.isOver;
  }
}
