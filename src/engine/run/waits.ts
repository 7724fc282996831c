import type { JsonValue } from '../../model/json.ts';
import type { TaskState } from '../../model/state.ts';
import { type Deferred, deferred } from '../../support/deferred.ts';
import { digest } from '../../support/secret/digest.ts';
import { nextTurn } from '../../support/time/scheduler.ts';
import { QuestionCanceledError, QuestionExpiredError } from '../handler.ts';
import type { AskedQuestion, PreparedQuestion } from '../questions/question.ts';
import type { TaskWriter } from '../write/task-writer.ts';
import type { CalledEntry } from '../calls/call-request.ts';
import { type Decision, mergedDecision } from '../write/write-batch.ts';
import type { RunPort } from './run-port.ts';
import { stopError, type StopReason } from './run-state.ts';

/** A wait of the handler that may take days. Its end is an entry of the journal. */
type Wait = Sleep | OpenQuestion | OpenCall;

interface Sleep {
  readonly kind: 'sleep';
  readonly key: string;
  /** When it ends by itself. */
  readonly until: number;
  readonly result: Deferred<void>;
}

interface OpenQuestion {
  readonly kind: 'question';
  readonly key: string;
  /** When it expires. */
  readonly until: number;
  readonly result: Deferred<JsonValue>;
  readonly timeoutMs: number | undefined;
  /** Set for a question of a called agent: whether it no longer waits for an answer. */
  readonly isOver: (() => boolean) | undefined;
  /** `asking`: it is not stored yet. `expiring`: its expiry is being stored, and an answer may still come first. */
  state: 'asking' | 'asked' | 'expiring';
}

interface OpenCall {
  readonly kind: 'call';
  readonly key: string;
  readonly until: number;
  readonly result: Deferred<CalledEntry>;
}

/** The record of an answer: its value, or why there is none. */
type AnswerRecord =
  | { readonly value: JsonValue }
  | { readonly expired: true }
  | { readonly canceled: true }
  | { readonly withdrawn: true };

/** A question of a called agent. */
export interface ForwardedQuestion {
  readonly key: string;
  readonly state: TaskState;
  readonly question: PreparedQuestion;
  /** The agents that the question passed. */
  readonly path: readonly string[];
  readonly timeoutMs: number;
  /** Whether the called agent no longer waits for an answer. */
  readonly isOver: () => boolean;
}

/**
 * The durable waits of a handler: questions, sleeps and calls. While it waits for nothing else, the run is suspended: it holds
 * neither a lease nor a slot, and the store wakes it when a wait ends.
 *
 *     running ── ask, sleep (and no step in progress) ──► suspended
 *        ▲                                                   │ answered, due, expired: claimed again
 *        └───────── in memory, or by replay ─────────────────┘
 *
 * Any number of waits may be open, but only one question: the next one follows when it is answered.
 */
export class Waits {
  readonly #run: RunPort;
  readonly #writer: TaskWriter;
  /** In the order in which they began. */
  readonly #open = new Set<Wait>();
  #slept = 0;
  #asked = 0;
  /** Calls of `ask` without a result. */
  #unanswered = 0;
  #lastAnswer: Promise<unknown> = Promise.resolve();
  /** Sleeps whose end is being stored. They are no longer open. */
  #waking = 0;
  /** The waits of this turn of the event loop, which are stored together. */
  #pending: { decision: Decision; readonly stored: Promise<void> } | undefined;

  constructor(run: RunPort, writer: TaskWriter) {
    this.#run = run;
    this.#writer = writer;
  }

  async sleep(ms: number): Promise<void> {
    const run = this.#run;
    run.assertMayWait();
    if (!(ms >= 0)) throw new RangeError(`sleep: expected a number of milliseconds, 0 or more, got ${ms}`);
    await this.#sleep(ms, String(++this.#slept)).result;
  }

  /** Ends at the latest after a time, which is recorded under a key. */
  limit(ms: number, key: string): { readonly result: Promise<void>; readonly cancel: () => void } {
    return this.#sleep(ms, key);
  }

  #sleep(ms: number, key: string): { readonly result: Promise<void>; readonly cancel: () => void } {
    const run = this.#run;
    run.journal.unasked?.asked('sleep', key);
    if (run.journal.find('slept', key) !== undefined)
      return { result: run.completions.again(run.journal.numberOf('slept', key)), cancel: () => {} };
    const known = run.journal.find('sleep', key) as { readonly until: number } | undefined;
    const until = known?.until ?? run.now() + ms;
    const result = deferred<void>();
    const sleep: Sleep = { kind: 'sleep', key, until, result };
    this.#begin(sleep);
    run.outputs.begin();
    if (known === undefined) run.noteLater('sleep', key, { until });
    const stored = this.#pause({}).then(() => run.engine.faultPoint('after-sleep'));
    stored.catch(result.reject);
    // Does not also wait for the pause: that could mean waiting for the end of another pause.
    return { result: result.promise, cancel: () => void this.#open.delete(sleep) };
  }

  /** Waits for the result of a call. Its entry and row are stored, or added to the next write. */
  call(key: string): { readonly result: Promise<CalledEntry>; readonly cancel: () => void } {
    const run = this.#run;
    const result = deferred<CalledEntry>();
    const call: OpenCall = { kind: 'call', key, until: Number.POSITIVE_INFINITY, result };
    this.#begin(call);
    run.outputs.begin();
    const stored = this.#pause({}).then(() => run.engine.faultPoint('after-call'));
    stored.catch(result.reject);
    return { result: result.promise, cancel: () => void this.#open.delete(call) };
  }

  /** Asks the caller a question of a called agent. Settles when it no longer is open. */
  openQuestion({ key, state, question, path, timeoutMs, isOver }: ForwardedQuestion): Promise<unknown> {
    const { parts, ...asked } = question;
    const expiresAt = this.#run.now() + timeoutMs;
    return this.#queue(state, parts, key, { ...asked, path, timeoutMs, expiresAt }, isOver);
  }

  /** @param earlier The question as it was before it was reworded. */
  ask(state: TaskState, question: PreparedQuestion, timeoutMs: number, earlier?: PreparedQuestion): Promise<JsonValue> {
    const run = this.#run;
    run.assertMayWait();
    const { parts, ...asked } = question;
    const key = this.#questionKey(state, question, earlier);
    run.journal.unasked?.asked('question', key);
    return this.#queue(state, parts, key, { ...asked, timeoutMs, expiresAt: run.now() + timeoutMs });
  }

  #queue(
    state: TaskState,
    parts: PreparedQuestion['parts'],
    key: string,
    asked: AskedQuestion,
    isOver?: () => boolean,
  ): Promise<JsonValue> {
    this.#unanswered++;
    const answer = this.#lastAnswer
      .then(() => this.#ask(state, parts, key, asked, isOver))
      .finally(() => {
        this.#unanswered--;
        this.suspendLater();
      });
    this.#lastAnswer = answer.catch(() => {});
    return answer;
  }

  #questionKey(state: TaskState, question: PreparedQuestion, earlier: PreparedQuestion | undefined): string {
    const { journal } = this.#run;
    const place = `${journal.turn}.${++this.#asked}`;
    const keyOf = (one: PreparedQuestion): string => `${place}:${digest(JSON.stringify([state, one]))}`;
    const key = keyOf(question);
    if (earlier === undefined || journal.find('question', key) !== undefined) return key;
    const earlierKey = keyOf(earlier);
    return journal.find('question', earlierKey) === undefined ? key : earlierKey;
  }

  async #ask(
    state: TaskState,
    parts: PreparedQuestion['parts'],
    key: string,
    asked: AskedQuestion,
    isOver: (() => boolean) | undefined,
  ): Promise<JsonValue> {
    const run = this.#run;
    run.assertRunning();
    const { journal, engine } = run;
    const before = journal.find('question', key) as unknown as AskedQuestion | undefined;
    const isAnswered = (): boolean => journal.find('answer', key) !== undefined;
    // It was just answered, or another attempt continued without an answer.
    const isClosed = before !== undefined && !isAnswered() && run.record.question !== key;
    if (isClosed) run.catchUp(await run.reading(() => engine.store.journal(run.record.id)));
    const { expiresAt: until, timeoutMs } = before ?? asked;
    if (isAnswered()) {
      await run.completions.again(journal.numberOf('answer', key));
      return valueOf(journal.find('answer', key) as unknown as AnswerRecord, timeoutMs);
    }
    if (isOver?.() === true) throw withdrawn();
    if (before === undefined && isOver === undefined) {
      const held = run.changedCode?.beforeNew('question', key);
      if (held !== undefined) {
        await held;
        run.assertMayWait();
      }
      run.journal.unasked?.passed('question', Number.POSITIVE_INFINITY);
    }
    const refusal = before === undefined ? await run.refusalToPause() : undefined;
    if (refusal !== undefined) throw refusal;
    const result = deferred<JsonValue>();
    const isNew = before === undefined || isClosed;
    const question: OpenQuestion = {
      kind: 'question',
      key,
      until,
      result,
      timeoutMs,
      isOver,
      state: isNew ? 'asking' : 'asked',
    };
    this.#begin(question);
    if (isNew) {
      const status = run.outputs.question(state, parts, asked.sensitive, asked.path);
      const entry = { kind: 'question', key, body: asked as unknown as JsonValue };
      await this.#pause({ status, question: key, journal: before === undefined ? [entry] : [] });
      engine.faultPoint('after-question');
      question.state = 'asked';
      if (run.isAwake) this.settle();
    } else if (until <= run.now()) {
      this.settle();
    } else {
      await this.#pause({});
    }
    return result.promise;
  }

  #begin(wait: Wait): void {
    this.#open.add(wait);
    if (wait.until !== Number.POSITIVE_INFINITY) this.#run.timers.callAt(wait.until, () => this.settle());
  }

  /**
   * Ends waits that are due or answered. Called when time has passed or the journal has grown. The ends of sleeps and
   * questions are stored one after the other: of two in one write, the handler might see a different order than the
   * journal.
   */
  settle(): void {
    this.#endSleeps();
    this.#deliverEnded();
    const question = this.#question;
    if (question === undefined || question.state !== 'asked') return;
    if (this.#waking > 0 || this.#run.completions.isDelivering) return;
    const isWithdrawn = question.isOver?.() === true;
    // If it cannot be stored, the run is over and rejects all waits.
    if (isWithdrawn || question.until <= this.#run.now()) void this.#close(question, isWithdrawn).catch(() => {});
  }

  /** Delivers answers and results of calls that are in the journal, in its order if there are several. */
  #deliverEnded(): void {
    const { journal, completions } = this.#run;
    const ended = [...this.#open].filter(
      ({ kind, key }) => kind !== 'sleep' && journal.find(kind === 'call' ? 'called' : 'answer', key) !== undefined,
    );
    for (const wait of ended) {
      this.#open.delete(wait);
      const isAlone = ended.length === 1 && !completions.isDelivering;
      if (wait.kind === 'question') void this.#deliverAnswer(wait, isAlone);
      else if (wait.kind === 'call') void this.#deliverResult(wait, isAlone);
    }
  }

  async #deliverResult({ key, result }: OpenCall, isAlone: boolean): Promise<void> {
    const { completions, journal } = this.#run;
    const number = journal.numberOf('called', key);
    if (!isAlone) await completions.again(number);
    journal.unasked?.passed('call', number);
    result.resolve(journal.find('called', key) as unknown as CalledEntry);
  }

  /** Rejects all waits. */
  stop(reason: StopReason): void {
    if (this.#open.size === 0) return;
    const error = stopError(reason);
    for (const { result } of this.#open) result.reject(error);
    this.#open.clear();
  }

  /** Suspends the run in a later turn, unless the handler has other work by then. */
  suspendLater(): void {
    // Waits that start later suspend the run themselves.
    if (this.#open.size === 0) return;
    const run = this.#run;
    run.engine.scheduler.soon(() => {
      if (!run.isAwake || run.isOver || run.stopReason === 'canceled') return;
      if (this.#continues || this.#pending !== undefined) return;
      if (!this.#writer.isIdle)
        this.#writer.stored().then(
          () => this.suspendLater(),
          () => {},
        );
      else this.#suspend({}).catch(() => {});
    });
  }

  get #question(): OpenQuestion | undefined {
    for (const wait of this.#open) if (wait.kind === 'question') return wait;
    return undefined;
  }

  /**
   * Whether the handler does more than wait, or is about to ask a question. During a replay, ended sleeps are not settled:
   * a run that was suspended at that moment would be replayed to the same point and suspended again, forever.
   */
  get #continues(): boolean {
    if (this.#open.size === 0 || this.#run.completions.isBusy) return true;
    return this.#unanswered > 0 && this.#question === undefined;
  }

  /** The end of a sleep is stored before the handler continues, so that a replay resumes at the same point. */
  #endSleeps(): void {
    const { completions } = this.#run;
    if (completions.isDelivering || this.#question?.state === 'expiring') return;
    const now = this.#run.now();
    const due = [...this.#open].filter((wait) => wait.kind === 'sleep').filter(({ until }) => until <= now);
    for (const sleep of due.sort((a, b) => a.until - b.until)) {
      const { key, result } = sleep;
      this.#open.delete(sleep);
      this.#waking++;
      void this.#endSleep(key).then(result.resolve, result.reject);
    }
  }

  async #endSleep(key: string): Promise<void> {
    const { completions } = this.#run;
    try {
      await completions.during(() => this.#run.note('slept', key, {}));
    } finally {
      this.#waking--;
      if (this.#waking === 0 && this.#run.isAwake) this.settle();
    }
  }

  /** Ends a question without an answer: it has expired, or was withdrawn. */
  async #close(question: OpenQuestion, isWithdrawn: boolean): Promise<void> {
    const { key, result, timeoutMs } = question;
    const { outputs, engine } = this.#run;
    question.state = 'expiring';
    try {
      const status = outputs.status('TASK_STATE_WORKING');
      const body = isWithdrawn ? { withdrawn: true } : { expired: true };
      const journal = [{ kind: 'answer', key, body }];
      const callsDue = question.isOver !== undefined && { callsDue: true as const };
      // An answer that was stored first counts, and the run will be notified of it.
      const isClosed = await this.#run.decide({ status, question: null, journal, ifOpen: key, ...callsDue });
      engine.faultPoint('after-expiry');
      if (!isClosed || !this.#open.delete(question)) return;
      outputs.publishHeld();
      result.reject(isWithdrawn ? withdrawn() : expired(timeoutMs));
    } finally {
      question.state = 'asked';
      if (this.#run.isAwake) this.#endSleeps();
    }
  }

  /** Delivers an answer after the entries that precede it. */
  async #deliverAnswer({ key, result, timeoutMs }: OpenQuestion, isAlone: boolean): Promise<void> {
    const { completions, journal } = this.#run;
    if (!isAlone) await completions.again(journal.numberOf('answer', key));
    try {
      result.resolve(valueOf(journal.find('answer', key) as unknown as AnswerRecord, timeoutMs));
    } catch (error) {
      result.reject(error);
    }
  }

  /** Stores a wait together with all other waits of this turn, and suspends the run if nothing else is in progress. */
  #pause(decision: Decision): Promise<void> {
    // In the next turn, when the handler only waits. Suspending it earlier would lose what it does next.
    this.#pending ??= { decision: {}, stored: nextTurn(this.#run.engine.scheduler).then(() => this.#commit()) };
    this.#pending.decision = mergedDecision(this.#pending.decision, decision);
    return this.#pending.stored;
  }

  async #commit(): Promise<void> {
    const run = this.#run;
    const decision = this.#pending?.decision ?? {};
    this.#pending = undefined;
    if (run.isAbandoned) await new Promise(() => {});
    run.assertRunning();
    if (run.isAwake) this.settle();
    // A short sleep may be over before it is stored; then nothing would wake the run.
    if (this.#continues ? await this.#writer.decide(decision) : await this.#suspend(decision)) return;
    // Either a cancel came first, so there is nothing to wait for, or an answer did, and the wait is still to be stored.
    run.assertMayWait();
    await this.#writer.stored();
  }

  async #suspend(decision: Decision): Promise<boolean> {
    const run = this.#run;
    run.changedCode?.beforeWait();
    const { key } = this.#question ?? {};
    let wakeAt = Number.MAX_SAFE_INTEGER;
    for (const { until } of this.#open) wakeAt = Math.min(wakeAt, until);
    const isDecided = await this.#writer.decide({
      // An earlier attempt may have asked a question that this attempt does not wait for.
      ...(key === undefined &&
        decision.status === undefined &&
        run.record.question !== undefined && { status: run.outputs.status('TASK_STATE_WORKING'), question: null }),
      ...decision,
      // An answer that came first has woken the task, which must not be suspended over it.
      ...(key !== undefined && decision.question === undefined && { ifOpen: key }),
      release: true,
      wakeAt,
    });
    run.engine.faultPoint('after-suspend');
    if (isDecided && this.#writer.lease === undefined) run.suspended();
    // A message that arrived in the meantime woke the task before it was suspended, so it must be woken again.
    if (isDecided ? this.#writer.hasUnread : run.stopReason !== 'canceled') run.wake();
    return isDecided;
  }
}

/** The value of an answer for the handler. Throws if the question was not answered. */
function valueOf(answer: AnswerRecord, timeoutMs: number | undefined): JsonValue {
  if ('value' in answer) return answer.value;
  if ('expired' in answer) throw expired(timeoutMs);
  if ('withdrawn' in answer) throw withdrawn();
  throw new QuestionCanceledError('The caller sent another message instead of an answer');
}

function withdrawn(): QuestionCanceledError {
  return new QuestionCanceledError('The called agent no longer waits for an answer');
}

function expired(timeoutMs: number | undefined): QuestionExpiredError {
  return new QuestionExpiredError('The question was not answered in time', timeoutMs);
}
