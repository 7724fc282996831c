import { A2AError } from '../../errors.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import type { Message } from '../../model/message.ts';
import type { Part } from '../../model/part.ts';
import { isPaused, isTerminal, type TaskState } from '../../model/state.ts';
import { HANDLER_FAILED } from '../../observe/log.ts';
import type { JournalEntry, JournalRecord, NewCall, TaskRecord } from '../../store/store.ts';
import { nextTurn } from '../../support/time/scheduler.ts';
import type { EngineContext } from '../engine-context.ts';
import { emissionOf } from '../output/output.ts';
import { RunOutputs } from '../output/run-outputs.ts';
import { type OutputSource, stepOf, type StepOutputs } from '../output/step-outputs.ts';
import type { Journal, JournalKind } from '../replay/journal.ts';
import { type LoadedTask, originOf } from '../replay/load-task.ts';
import type { Runnable } from '../runnable.ts';
import { taskFields } from '../task-trace.ts';
import { type Loss, type Noted, TaskWriter, type WriterEvents } from '../write/task-writer.ts';
import type { Decision } from '../write/write-batch.ts';
import { cancelsAtEnd, RunCalls } from './calls.ts';
import { ChangedCode } from './changed-code.ts';
import { Completions } from './completions.ts';
import { drive, type Sink } from './drive.ts';
import { failureMetadata, publicText } from './failure-text.ts';
import { RunInbox } from './inbox.ts';
import { decisionOf, type Outcome } from './outcome.ts';
import { type ContextRun, createContext } from './run-context.ts';
import {
  afterClaim,
  afterEnd,
  afterSignal,
  afterRelease,
  afterStop,
  hasEnded,
  holdsLease,
  RUNNING,
  type RunState,
  stopError,
  type StopReason,
} from './run-state.ts';
import type { CodeComparison } from './run-port.ts';
import { RunTimers } from './run-timers.ts';
import { RunTrace } from './run-trace.ts';
import { isInsideStep, RunSteps } from './steps.ts';
import { Waits } from './waits.ts';

/** The number of outputs after which a handler that never waits yields to the event loop. */
const OUTPUTS_AT_A_STRETCH = 256;

/** How long a held task waits until it is tried again: another version may have been deployed. */
const HOLD_MS = 60_000;
/** How often a held run checks whether its steps have ended. */
const STEPS_MS = 1000;

const PAUSED_STATES: readonly TaskState[] = ['TASK_STATE_INPUT_REQUIRED', 'TASK_STATE_AUTH_REQUIRED'];

/** The part of a node that its runs notify. */
export interface RunOwner {
  /** The run no longer holds its lease: it is suspended, has ended, or has lost its task. */
  onIdle(run: Run, loss?: Loss): void;
  /** A suspended run has something to write. */
  onWakeWanted(run: Run): void;
  /** A suspect has made progress. */
  onCleared(taskId: string): void;
}

/**
 * One execution of a handler in this process. `RunState` has its states and transitions. Its parts see it as a `RunPort`.
 */
export class Run implements ContextRun, WriterEvents {
  readonly engine: EngineContext;
  readonly agent: Runnable;
  readonly taskId: string;
  readonly journal: Journal;
  /** The last journal entry that an earlier run has made. */
  readonly othersJournal: number;
  readonly changedCode: CodeComparison | undefined;
  readonly outputs: RunOutputs;
  readonly timers: RunTimers;
  readonly trace: RunTrace | undefined;
  readonly #owner: RunOwner;
  readonly #task: LoadedTask;
  readonly #writer: TaskWriter;
  // Created on first use, because a short run needs none of them.
  #steps: RunSteps | undefined;
  #waits: Waits | undefined;
  #inbox: RunInbox | undefined;
  #calls: RunCalls | undefined;
  #completions: Completions | undefined;
  #abort: AbortController | undefined;
  #state = RUNNING;
  #outputs = 0;
  /** The lease epoch in which the run got its lease, or last confirmed it. */
  #leaseEpoch: number;

  constructor(
    engine: EngineContext,
    owner: RunOwner,
    agent: Runnable,
    task: LoadedTask,
    leaseEpoch = engine.liveness.leaseEpoch,
    comparison?: CodeComparison,
  ) {
    this.engine = engine;
    this.#owner = owner;
    this.#leaseEpoch = leaseEpoch;
    this.agent = agent;
    this.taskId = task.record.id;
    this.journal = task.journal;
    this.othersJournal = task.record.lastJournal;
    this.#task = task;
    this.trace = engine.observers.tracer === undefined ? undefined : new RunTrace(engine.observers.tracer);
    this.#writer = new TaskWriter(engine, this, task);
    this.outputs = new RunOutputs(engine, task, agent, this.#writer);
    this.timers = new RunTimers(engine, this);
    const { unasked } = task.journal;
    this.changedCode = comparison ?? (unasked === undefined ? undefined : new ChangedCode(this, unasked));
  }

  get completions(): Completions {
    return (this.#completions ??= new Completions(
      this.engine.scheduler,
      () => this.#onDelivered(),
      () => this.#waits?.suspendLater(),
    ));
  }

  get steps(): RunSteps {
    return (this.#steps ??= new RunSteps(this));
  }

  get waits(): Waits {
    return (this.#waits ??= new Waits(this, this.#writer));
  }

  get calls(): RunCalls {
    return (this.#calls ??= new RunCalls(this, this.#writer));
  }

  get inbox(): RunInbox {
    return (this.#inbox ??= new RunInbox(this));
  }

  get state(): RunState {
    return this.#state;
  }

  get record(): TaskRecord {
    return this.#writer.record;
  }

  /** Created on first use, because a controller costs as much as a short run. */
  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    this.#passStop();
    return this.#abort.signal;
  }

  get stopReason(): StopReason | undefined {
    return this.#state.stop;
  }

  get isAwake(): boolean {
    return holdsLease(this.#state);
  }

  /** Whether the run is in memory without its lease. */
  get isSuspended(): boolean {
    return !this.isAwake && this.#state.kind !== 'over';
  }

  get isOver(): boolean {
    return hasEnded(this.#state);
  }

  get isAbandoned(): boolean {
    const { stop } = this.#state;
    return this.isOver && (stop === undefined || stop === 'suspended');
  }

  get #isCanceling(): boolean {
    return this.#state.stop === 'canceled';
  }

  now(): number {
    return this.engine.clock.now();
  }

  start(): void {
    this.#armTimeout(this.journal.workedMs);
    // Callers can already see the task, so they may see that it has started.
    if (this.record.visible) this.outputs.begin();
    if (this.record.canceling) this.cancel();
    if (this.#task.published.isOutdated)
      this.engine.log.warn(
        'Replaying a journal of an older version, which did not record the outputs of steps: all published output is kept',
        taskFields(this.record),
      );
    void (this.trace === undefined ? this.#execute() : this.trace.within(() => this.#execute()));
  }

  /** Resumes under a new lease, with the entries that were written in the meantime. */
  resume(record: TaskRecord, entries: readonly JournalRecord[], leaseEpoch: number): void {
    this.#leaseEpoch = leaseEpoch;
    this.#state = afterClaim(this.#state);
    this.#writer.resume(record);
    this.#armTimeout();
    this.#lookAround(record, entries);
  }

  /** Applies writes from outside of the run: messages, an answer, a cancel. */
  refreshFromStore(record: TaskRecord, entries: readonly JournalRecord[]): void {
    if (!this.isAwake) return;
    this.#writer.refresh(record);
    this.#lookAround(record, entries);
  }

  #lookAround({ canceling }: TaskRecord, entries: readonly JournalRecord[]): void {
    this.catchUp(entries);
    if (!this.#writer.isAsking) this.outputs.publishHeld();
    this.#calls?.look();
    this.#waits?.settle();
    this.#inbox?.wake();
    if (canceling) this.cancel();
    this.#waits?.suspendLater();
  }

  #onDelivered(): void {
    if (!this.isAwake) return;
    this.#waits?.settle();
    this.#waits?.suspendLater();
  }

  catchUp(entries: readonly JournalRecord[]): void {
    this.#writer.conversation.add(this.journal.catchUp(entries));
  }

  /** Called when a cancel is stored. The handler may clean up during the grace period; then the task ends as canceled. */
  cancel(): void {
    if (this.#isCanceling || this.#state.kind === 'over') return;
    this.#state = afterSignal(this.#state, 'canceled');
    this.#passStop();
    this.#waits?.stop('canceled');
    this.#inbox?.wake();
    this.timers.callAt(this.now() + this.agent.limits.cancelGraceMs, () =>
      this.end({ kind: 'end', state: 'TASK_STATE_CANCELED' }),
    );
  }

  /** Stops the run without writing to the store. */
  stop(reason: StopReason, loss?: Loss): void {
    if (this.#state.kind === 'over') return;
    const wasAwake = this.isAwake;
    this.#state = afterStop(this.#state, reason);
    this.timers.clear();
    // A suspended run that is removed from memory resumes by replay, so its promises are not rejected.
    const isQuiet = reason === 'suspended';
    this.#writer.close(isQuiet ? undefined : reason);
    if (!isQuiet) this.#waits?.stop(reason);
    this.#passStop();
    this.#inbox?.wake();
    if (wasAwake) this.#owner.onIdle(this, loss);
  }

  /** @param isLast Whether the handler returned it. */
  emit(output: unknown, source?: OutputSource, isLast = false): void {
    if (this.#ignores('published output')) return;
    const emission = emissionOf(output, isLast);
    if (emission.kind === 'artifact') return this.outputs.artifact(emission, source);
    const step = stepOf(source);
    if (emission.kind === 'reply') return this.#reply(emission.parts, step);
    const { state, parts, metadata } = emission;
    if (step !== undefined) return this.#emitInStep(state, parts, metadata, step);
    this.outputs.assertSize(parts, metadata);
    if (isTerminal(state)) this.conclude({ kind: 'end', state, parts, metadata });
    else if (isPaused(state)) this.conclude({ kind: 'turn', state, parts, metadata });
    else this.outputs.working(parts, metadata, source);
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
    if (this.isOver) return nextTurn(this.engine.scheduler).then(() => this.assertRunning());
    const room = this.#writer.room();
    return room === undefined && ++this.#outputs % OUTPUTS_AT_A_STRETCH === 0 ? nextTurn(this.engine.scheduler) : room;
  }

  conclude(outcome: Outcome): void {
    this.#end(outcome, true);
  }

  /** Ends the turn, unless it has already ended. */
  end(outcome: Outcome): void {
    this.#end(outcome, false);
  }

  /** @param isByHandler Whether the handler decided it, and neither threw nor was stopped. */
  #end(outcome: Outcome, isByHandler: boolean): void {
    if (this.#ignores('ended again')) return;
    if (this.changedCode !== undefined && this.#holdsEnd(this.changedCode, outcome, isByHandler)) return;
    this.#state = afterEnd(this.#state);
    this.#finish(outcome, isByHandler).catch((error: unknown) => this.#writer.fail(error));
  }

  /**
   * Compares the code with the journal. A handler that was stopped, or has failed, need not have asked for everything. Returns
   * whether the task is held instead of ended.
   */
  #holdsEnd(code: CodeComparison, outcome: Outcome, isByHandler: boolean): boolean {
    const hasFailed = outcome.kind === 'end' && outcome.state === 'TASK_STATE_FAILED';
    if (!isByHandler || hasFailed || this.#state.stop !== undefined) {
      code.afterFailure();
      return false;
    }
    if (code.holdsEnd()) return true;
    code.afterEnd();
    return false;
  }

  /** Releases the task, when its steps have ended, so that it is tried again later. */
  async hold(journal: readonly JournalEntry[]): Promise<void> {
    while (this.#steps?.isPerforming === true) await this.timers.delay(STEPS_MS, this.signal);
    const isDecided = await this.#writer.decide({ release: true, wakeAt: this.now() + HOLD_MS, journal });
    // Not if a cancel came first.
    if (isDecided) this.stop('suspended');
  }

  assertRunning(): void {
    if (this.isOver) throw stopError(this.#state.stop ?? 'over');
  }

  assertMayWait(): void {
    this.assertRunning();
    if (this.#isCanceling) throw stopError('canceled');
  }

  assertOutsideStep(call: 'ask' | 'authorize' | 'sleep' | 'call' | 'startCall'): void {
    if (this.#steps?.isPerforming !== true || !isInsideStep()) return;
    throw new TypeError(
      `${call}() cannot be called inside a step: a step runs as a whole, without waiting for the caller, a timer or another agent. ` +
        `Call ${call}() in the handler, before or after the step.`,
    );
  }

  /** Resolves when the task is stored; `undefined` if it is. */
  get creation(): Promise<void> | undefined {
    return this.#task.creation?.stored;
  }

  created(): Promise<void> | undefined {
    const { creation } = this;
    if (creation === undefined) return undefined;
    // In one write with the creation, because a side effect makes the task visible anyway.
    this.outputs.begin();
    void this.#writer.stored();
    return creation;
  }

  confirmLease(): Promise<void> | undefined {
    return this.engine.liveness.isSureOf(this.#leaseEpoch) ? undefined : this.#confirmLease();
  }

  async #confirmLease(): Promise<void> {
    const { store, liveness, node, leaseMs, clock } = this.engine;
    let since: number;
    do {
      const { leaseEpoch } = liveness;
      since = clock.now();
      // The heartbeat comes first: a lease that is still valid after it stays valid for another lease period.
      await this.reading(() => store.heartbeat(node, leaseMs));
      const stored = await this.reading(() => store.read(this.record, this.taskId, { history: 0 }));
      const { fence, endedAt } = stored?.record ?? {};
      if (fence !== this.record.fence || endedAt !== undefined)
        this.stop('lease-lost', { kind: 'rejected', record: stored?.record });
      this.assertRunning();
      this.#leaseEpoch = leaseEpoch;
      // Again, if the response took so long that the lease may have expired.
    } while (!liveness.lasts(since));
  }

  async note(kind: JournalKind, key: string, body: JsonValue): Promise<number> {
    return this.noteCall({ kind, key, body });
  }

  async noteCall(entry: JournalEntry, call?: NewCall): Promise<number> {
    this.assertRunning();
    // The entry makes the task visible, so it should show as working.
    this.outputs.begin();
    const noted = await this.#writer.note(entry, call);
    await this.inOrder(noted);
    return noted.number;
  }

  receive(message: Message): void {
    const entry = { kind: 'message', key: message.messageId, body: message as unknown as JsonValue };
    // If it is not stored, the next run does it again.
    this.#received(entry).catch(() => {});
  }

  async #received(entry: JournalEntry): Promise<void> {
    const { number } = await this.#writer.note(entry);
    this.journal.addMessage({ ...entry, number });
    this.#inbox?.wake();
  }

  noteLater(kind: JournalKind, key: string, body: JsonValue): void {
    this.#writer.addJournal({ kind, key, body });
  }

  /** Most entries are alone, and then no queue is needed. */
  inOrder(noted: Noted): Promise<void> | undefined {
    return noted.isAlone && this.#completions === undefined ? undefined : this.completions.stored(noted);
  }

  arrived(number: number): Promise<void> {
    return this.completions.arrived(number, this.#writer.noting);
  }

  async refusalToPause(): Promise<A2AError | undefined> {
    const { maxPausedPerCaller: max } = this.agent.limits;
    const { record } = this;
    const query = { agents: [record.agent], states: PAUSED_STATES, limit: 1, history: 0 };
    const { total } = await this.reading(() => this.engine.store.list(record, query));
    if (total < max) return undefined;
    return new A2AError(
      'UNAVAILABLE',
      `This caller already has ${max} tasks that wait for an answer. Answer or cancel some of them.`,
    );
  }

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
      const last = await drive(this.agent, context, new Yields(this));
      if (this.isOver) return;
      if (last !== undefined) this.emit(last, 'yield', true);
      if (!this.isOver) this.conclude({ kind: 'end', state: 'TASK_STATE_COMPLETED' });
    } catch (error) {
      this.#failed(error);
    }
  }

  #failed(error: unknown): void {
    if (this.#ignores('threw')) return;
    this.trace?.fail(error);
    const text = publicText(error);
    if (text !== undefined) return this.#fail(text, failureMetadata(error));
    const reference = this.engine.newId();
    if (!this.#isCanceling) this.engine.log.error(HANDLER_FAILED, { ...taskFields(this.record), reference, error });
    this.#fail(`The agent failed. Reference: ${reference}`);
  }

  #fail(text: string, metadata?: JsonObject): void {
    this.end({ kind: 'end', state: 'TASK_STATE_FAILED', parts: [{ text }], metadata });
  }

  async #finish(outcome: Outcome, isByHandler: boolean): Promise<void> {
    this.timers.clear();
    this.#waits?.stop('over');
    if (outcome.kind === 'reply' && !this.#isCanceling && (await this.#dropForReply(outcome.parts))) return;
    const permitted = outcome.kind === 'turn' && !this.#isCanceling ? await this.#permitted(outcome) : outcome;
    // In one write with the end. A handler that threw or was stopped has not left out output on purpose.
    if (this.#state.stop === undefined) this.outputs.publishHeld();
    if (this.#state.stop === undefined && isByHandler) {
      this.outputs.shorten();
      // The next turn may append to the artifacts.
      if (permitted.kind !== 'turn') this.outputs.closeArtifacts();
    }
    this.engine.faultPoint('before-end');
    if (this.#isCanceling || !(await this.#writer.decide(this.#decisionOf(permitted)))) {
      if (!this.#isCanceling) return this.stop('lease-lost', { kind: 'overtaken' });
      const status = this.outputs.status('TASK_STATE_CANCELED');
      await this.#writer.decide({ status, endedAt: this.now() });
    }
    this.engine.faultPoint('after-end');
    this.#finished();
  }

  async #permitted(outcome: Outcome): Promise<Outcome> {
    const refusal = await this.refusalToPause();
    return refusal ? { kind: 'end', state: 'TASK_STATE_FAILED', parts: [{ text: refusal.message }] } : outcome;
  }

  #decisionOf(outcome: Outcome): Decision {
    const { questionTtlMs } = this.agent.limits;
    const place = { now: this.now(), turn: this.journal.turn + 1, questionTtlMs };
    const decision = decisionOf(outcome, this.outputs, place);
    if (this.record.openCalls === undefined) return decision;
    const journal = cancelsAtEnd(this.journal, this.#calls, outcome.kind !== 'turn');
    return journal.length === 0 ? decision : { ...decision, journal, callsDue: true };
  }

  /** Drops the task for a reply, if no caller has seen the task. */
  async #dropForReply(parts: readonly Part[]): Promise<boolean> {
    if (!this.#writer.isProvisional) return false;
    // Stores keep the order of appends, but not relative to the creation.
    await this.creation;
    const { lease } = this.#writer;
    if (this.#isCanceling || !this.#writer.isProvisional || lease === undefined) return false;
    const { engine, record } = this;
    const message = { messageId: engine.newId(), contextId: record.contextId, role: 'ROLE_AGENT' as const, parts };
    if (!(await engine.store.dropForReply(this.taskId, lease, message))) return false;
    engine.faultPoint('after-reply');
    engine.feed.notify(this.taskId, { kind: 'replied', message });
    this.#finished();
    return true;
  }

  suspended(): void {
    if (!this.isAwake) return;
    this.#state = afterRelease(this.#state);
    this.timers.disarmTimeout();
    this.#writer.suspend();
    this.#owner.onIdle(this);
  }

  wake(): void {
    this.#owner.onWakeWanted(this);
  }

  #finished(): void {
    if (this.#state.kind === 'over') return;
    this.#state = afterStop(this.#state);
    this.timers.clear();
    this.#writer.close('over');
    this.#inbox?.wake();
    this.#owner.onIdle(this);
  }

  onLost(loss: Loss): void {
    this.stop(this.creation === undefined ? 'lease-lost' : 'not-stored', loss);
  }

  onLeaseWanted(): void {
    this.wake();
  }

  onCleared(): void {
    this.#owner.onCleared(this.taskId);
  }

  #armTimeout(workedMs = 0): void {
    const { timeoutMs: mostMs } = this.agent.limits;
    const timeoutMs = Math.min(mostMs, originOf(this.record).timeoutMs ?? mostMs);
    this.timers.armTimeout(timeoutMs, workedMs, () => {
      if (this.engine.hasSlept()) return this.stop('lease-lost', { kind: 'overtaken' });
      const { workedMs, passedMs } = this.timers;
      this.engine.log.warn('Task timed out', { ...taskFields(this.record), timeoutMs, workedMs, passedMs });
      this.#state = afterSignal(this.#state, 'timeout');
      this.#passStop();
      this.#fail('Task timed out');
    });
  }

  /** Aborts the signal of the handler if it has to stop. */
  #passStop(): void {
    const { stop } = this.#state;
    if (stop !== undefined && this.#abort?.signal.aborted === false) this.#abort.abort(stopError(stop));
  }

  /** Whether the run is over, so that what the handler does has no effect. */
  #ignores(action: string): boolean {
    if (this.isOver && this.#state.stop === undefined)
      this.engine.log.warn('Ignored a call of a handler whose run is over', { ...taskFields(this.record), action });
    return this.isOver;
  }
}

/** Receives what the handler yields. */
class Yields implements Sink {
  readonly #run: Run;

  constructor(run: Run) {
    this.#run = run;
  }

  get isOver(): boolean {
    return this.#run.isOver;
  }

  emit(output: unknown): void {
    this.#run.emit(output, 'yield');
  }

  room(): Promise<void> | undefined {
    return this.#run.room();
  }
}
