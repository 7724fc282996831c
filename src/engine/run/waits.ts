import type { JsonValue } from '../../model/json.ts';
import type { TaskState } from '../../model/state.ts';
import { type Deferred, deferred } from '../../support/deferred.ts';
import { digest } from '../../support/secret/digest.ts';
import { nextTurn } from '../../support/time/scheduler.ts';
import { QuestionCanceledError, QuestionExpiredError } from '../handler.ts';
import type { AskedQuestion, PreparedQuestion } from '../questions/question.ts';
import type { TaskWriter } from '../write/task-writer.ts';
import type { Decision } from '../write/write-batch.ts';
import type { RunPort } from './run-port.ts';
import { stopError, type StopReason } from './run-state.ts';

/** A wait of the handler that may take days. Its end is an entry of the journal. */
type Wait = Sleep | OpenQuestion;

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
  /** `asking`: it is not stored yet. `expiring`: its expiry is being stored, and an answer may still come first. */
  state: 'asking' | 'asked' | 'expiring';
}

/** The record of an answer: its value, or why there is none. */
type AnswerRecord = { readonly value: JsonValue } | { readonly expired: true } | { readonly canceled: true };

/**
 * The durable waits of a handler: questions and sleeps. While it waits for nothing else, the run is suspended: it holds
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
    const key = String(++this.#slept);
    run.journal.unasked?.asked('sleep', key);
    if (run.journal.find('slept', key) !== undefined) {
      await run.completions.again(run.journal.numberOf('slept', key));
      return;
    }
    const known = run.journal.find('sleep', key) as { readonly until: number } | undefined;
    const until = known?.until ?? run.now() + ms;
    const result = deferred<void>();
    this.#begin({ kind: 'sleep', key, until, result });
    run.outputs.begin();
    if (known === undefined) run.noteLater('sleep', key, { until });
    const stored = this.#pause({}).then(() => run.engine.faultPoint('after-sleep'));
    stored.catch(result.reject);
    // Does not also wait for the pause: that could mean waiting for the end of another pause.
    await result.promise;
  }

  /** @param earlier The question as it was before it was reworded. */
  ask(state: TaskState, question: PreparedQuestion, timeoutMs: number, earlier?: PreparedQuestion): Promise<JsonValue> {
    const run = this.#run;
    run.assertMayWait();
    const { parts, ...asked } = question;
    const key = this.#questionKey(state, question, earlier);
    run.journal.unasked?.asked('question', key);
    this.#unanswered++;
    const answer = this.#lastAnswer
      .then(() => this.#ask(state, parts, key, { ...asked, timeoutMs, expiresAt: run.now() + timeoutMs }))
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
    if (before === undefined) {
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
      state: isNew ? 'asking' : 'asked',
    };
    this.#begin(question);
    if (isNew) {
      const status = run.outputs.question(state, parts, asked.sensitive);
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
    this.#run.timers.callAt(wait.until, () => this.settle());
  }

  /**
   * Ends waits that are due or answered. Called when time has passed or the journal has grown. The ends of sleeps and
   * questions are stored one after the other: of two in one write, the handler might see a different order than the
   * journal.
   */
  settle(): void {
    this.#endSleeps();
    const question = this.#question;
    if (question === undefined) return;
    const { key, until, state } = question;
    const { journal, completions } = this.#run;
    const answer = journal.find('answer', key) as AnswerRecord | undefined;
    if (answer !== undefined) {
      this.#open.delete(question);
      void this.#deliver(question, answer);
    } else if (state === 'asked' && until <= this.#run.now() && this.#waking === 0 && !completions.isDelivering) {
      // If it cannot be stored, the run is over and rejects all waits.
      void this.#expire(question).catch(() => {});
    }
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

  async #expire(question: OpenQuestion): Promise<void> {
    const { key, result, timeoutMs } = question;
    const { outputs, engine } = this.#run;
    question.state = 'expiring';
    try {
      const status = outputs.status('TASK_STATE_WORKING');
      const journal = [{ kind: 'answer', key, body: { expired: true } }];
      // An answer that was stored first counts, and the run will be notified of it.
      const isExpired = await this.#run.decide({ status, question: null, journal, ifOpen: key });
      engine.faultPoint('after-expiry');
      if (!isExpired || !this.#open.delete(question)) return;
      outputs.publishHeld();
      result.reject(expired(timeoutMs));
    } finally {
      question.state = 'asked';
      if (this.#run.isAwake) this.#endSleeps();
    }
  }

  /** Delivers an answer after the entries that precede it. */
  async #deliver({ key, result, timeoutMs }: OpenQuestion, answer: AnswerRecord): Promise<void> {
    const { completions, journal } = this.#run;
    if (completions.isDelivering) await completions.again(journal.numberOf('answer', key));
    try {
      result.resolve(valueOf(answer, timeoutMs));
    } catch (error) {
      result.reject(error);
    }
  }

  /** Stores a wait together with all other waits of this turn, and suspends the run if nothing else is in progress. */
  #pause(decision: Decision): Promise<void> {
    // In the next turn, when the handler only waits. Suspending it earlier would lose what it does next.
    this.#pending ??= { decision: {}, stored: nextTurn(this.#run.engine.scheduler).then(() => this.#commit()) };
    const journal = [...(this.#pending.decision.journal ?? []), ...(decision.journal ?? [])];
    this.#pending.decision = { ...this.#pending.decision, ...decision, journal };
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
  throw new QuestionCanceledError('The caller sent another message instead of an answer');
}

function expired(timeoutMs: number | undefined): QuestionExpiredError {
  return new QuestionExpiredError('The question was not answered in time', timeoutMs);
}
