import type { JsonValue } from '../../model/json.ts';
import type { TaskState } from '../../model/state.ts';
import type { TaskRecord } from '../../store/store.ts';
import { type Deferred, deferred } from '../../support/deferred.ts';
import { digest } from '../../support/secret/digest.ts';
import { stopError, type StopReason } from './abort.ts';
import { QuestionCanceledError, QuestionExpiredError } from '../handler.ts';
import type { AskedQuestion, PreparedQuestion } from '../questions/question.ts';
import type { Run } from './run.ts';
import type { Decision } from '../write/write-batch.ts';

interface Sleep {
  readonly key: string;
  readonly until: number;
}

interface OpenQuestion {
  readonly key: string;
  readonly expiresAt: number;
  readonly timeoutMs: number | undefined;
  readonly answer: Deferred<JsonValue>;
  /** Whether the question is stored; only then can it expire. */
  isAsked: boolean;
}

/** The record of an answer: its value, or why there is none. */
type AnswerRecord = { readonly value: JsonValue } | { readonly expired: true } | { readonly canceled: true };

/**
 * The waits of a handler that may take days: answers and timers. While it waits for nothing else, the run is suspended: it
 * holds neither a lease nor a slot, and the store wakes it.
 *
 *     running ── ask, sleep (and no step in progress) ──► suspended
 *        ▲                                                   │ answered, due, expired: claimed again
 *        └───────── in memory, or by replay ─────────────────┘
 */
export class RunWaits {
  readonly #run: Run;
  readonly #sleeps = new Map<Deferred<void>, Sleep>();
  #asked = 0;
  #unanswered = 0;
  #slept = 0;
  /** One question is open at a time; the next one is asked after its answer. */
  #turn: Promise<unknown> = Promise.resolve();
  #open: OpenQuestion | undefined;
  #isExpiring = false;
  /** Sleeps whose end is being stored. */
  #waking = 0;

  constructor(run: Run) {
    this.#run = run;
  }

  get isWaiting(): boolean {
    return this.#open !== undefined || this.#sleeps.size > 0;
  }

  /** Whether a question is about to be asked: the run must not be suspended before. */
  get isAsking(): boolean {
    return this.#unanswered > 0 && this.#open === undefined;
  }

  /** The open question, stored or about to be. */
  get openKey(): string | undefined {
    return this.#open?.key;
  }

  /** When the next timer or expiry is due. */
  get wakeAt(): number {
    const untils = Array.from(this.#sleeps.values(), ({ until }) => until);
    return Math.min(this.#open?.expiresAt ?? Number.POSITIVE_INFINITY, ...untils);
  }

  /**
   * The status of a task that is suspended without an open question, if an earlier attempt had asked one that this attempt
   * does not wait for.
   */
  stance({ question }: TaskRecord): Decision {
    if (this.#open !== undefined || question === undefined) return {};
    return { status: this.#run.outputs.status('TASK_STATE_WORKING'), question: null };
  }

  ask(state: TaskState, question: PreparedQuestion, timeoutMs: number): Promise<JsonValue> {
    this.#run.assertMayWait();
    const { parts, ...asked } = question;
    const key = `${this.#run.journal.turn}.${++this.#asked}:${digest(JSON.stringify([state, question]))}`;
    this.#unanswered++;
    const answer = this.#turn
      .then(() => this.#ask(state, parts, key, { ...asked, timeoutMs, expiresAt: this.#run.now() + timeoutMs }))
      .finally(() => {
        this.#unanswered--;
        this.#run.pauses.pauseLater();
      });
    this.#turn = answer.catch(() => {});
    return answer;
  }

  async sleep(ms: number): Promise<void> {
    this.#run.assertMayWait();
    if (!(ms >= 0)) throw new RangeError(`sleep: expected a number of milliseconds, 0 or more, got ${ms}`);
    const key = String(++this.#slept);
    if (this.#run.journal.find('slept', key) !== undefined) {
      await this.#run.order.again('slept', key);
      return;
    }
    const known = this.#run.journal.find('sleep', key) as { readonly until: number } | undefined;
    const until = known?.until ?? this.#run.now() + ms;
    const alarm = deferred<void>();
    this.#sleeps.set(alarm, { key, until });
    this.#run.timers.callAt(until, () => this.settle());
    this.#run.outputs.begin();
    if (known === undefined) this.#run.noteLater('sleep', key, { until });
    const stored = this.#run.pauses.pause({}).then(() => this.#run.env.faultPoint('after-sleep'));
    stored.catch(alarm.reject);
    // Does not also wait for the pause: that could mean waiting for the end of another pause.
    await alarm.promise;
  }

  /**
   * Settles waits that are due or answered. Called when time has passed or the journal has grown. The ends of sleeps and
   * questions are stored one after the other: of two in one write, the handler might see a different order than the
   * journal.
   */
  settle(): void {
    const now = this.#run.now();
    if (!this.#run.order.isBusy && !this.#isExpiring) this.#wakeSleepers(now);
    if (this.#open === undefined) return;
    const { key, expiresAt, timeoutMs, answer, isAsked } = this.#open;
    const known = this.#run.journal.find('answer', key) as AnswerRecord | undefined;
    if (known !== undefined) {
      this.#open = undefined;
      void this.#comesAbout(key, known, answer, timeoutMs);
    } else if (isAsked && expiresAt <= now && !this.#isExpiring && this.#waking === 0 && !this.#run.order.isBusy) {
      this.#isExpiring = true;
      // If it cannot be stored, the run is over and rejects all waits.
      void this.#expire(this.#open)
        .catch(() => {})
        .then(() => this.#expired());
    }
  }

  #expired(): void {
    this.#isExpiring = false;
    const { state, order } = this.#run;
    if (state === 'running' && !order.isBusy) this.#wakeSleepers(this.#run.now());
  }

  /** Rejects all waits. */
  stop(reason: StopReason): void {
    if (!this.isWaiting) return;
    const error = stopError(reason);
    for (const alarm of this.#sleeps.keys()) alarm.reject(error);
    this.#open?.answer.reject(error);
    this.#sleeps.clear();
    this.#open = undefined;
  }

  /** The end of a sleep is stored before the handler continues, so that a replay resumes at the same point. */
  #wakeSleepers(now: number): void {
    const due = [...this.#sleeps].filter(([, { until }]) => until <= now);
    for (const [alarm, { key }] of due.sort(([, a], [, b]) => a.until - b.until)) {
      this.#sleeps.delete(alarm);
      this.#waking++;
      void this.#run.pauses
        .busy(() => this.#run.note('slept', key, {}))
        .then(() => alarm.resolve(), alarm.reject)
        .then(() => this.#woken());
    }
  }

  #woken(): void {
    this.#waking--;
    if (this.#waking === 0 && this.#run.state === 'running') this.settle();
  }

  async #ask(
    state: TaskState,
    parts: PreparedQuestion['parts'],
    key: string,
    asked: AskedQuestion,
  ): Promise<JsonValue> {
    this.#run.assertRunning();
    const { journal, env, taskId } = this.#run;
    const before = journal.find('question', key) as unknown as AskedQuestion | undefined;
    const isAnswered = (): boolean => journal.find('answer', key) !== undefined;
    // It was just answered, or another attempt continued without an answer.
    const isClosed = before !== undefined && !isAnswered() && this.#run.record.question !== key;
    if (isClosed) this.#run.catchUp(await this.#run.reading(() => env.store.journal(taskId)));
    if (isAnswered()) {
      await this.#run.order.again('answer', key);
      const known = journal.find('answer', key) as unknown as AnswerRecord;
      if ('value' in known) return known.value;
      throw unanswered(known, (before ?? asked).timeoutMs);
    }
    const refusal = before === undefined ? await this.#run.refusalToPause() : undefined;
    if (refusal !== undefined) throw refusal;
    const { expiresAt, timeoutMs } = before ?? asked;
    const answer = deferred<JsonValue>();
    const open = { key, expiresAt, timeoutMs, answer, isAsked: before !== undefined && !isClosed };
    this.#open = open;
    this.#run.timers.callAt(expiresAt, () => this.settle());
    if (before === undefined || isClosed) {
      const status = this.#run.outputs.question(state, parts, asked.sensitive);
      const entry = { kind: 'question', key, body: asked as unknown as JsonValue };
      const journal = before === undefined ? [entry] : [];
      await this.#run.pauses.pause({ status, question: key, journal });
      this.#run.env.faultPoint('after-question');
      open.isAsked = true;
      if (this.#run.state === 'running') this.settle();
    } else if (expiresAt <= this.#run.now()) {
      this.settle();
    } else {
      await this.#run.pauses.pause({});
    }
    return answer.promise;
  }

  /** Delivers an answer after the entries that precede it. */
  async #comesAbout(
    key: string,
    known: AnswerRecord,
    answer: Deferred<JsonValue>,
    timeoutMs: number | undefined,
  ): Promise<void> {
    if (this.#run.order.isBusy) await this.#run.order.again('answer', key);
    if ('value' in known) answer.resolve(known.value);
    else answer.reject(unanswered(known, timeoutMs));
  }

  async #expire({ key, answer, timeoutMs }: OpenQuestion): Promise<void> {
    const status = this.#run.outputs.status('TASK_STATE_WORKING');
    const journal = [{ kind: 'answer', key, body: { expired: true } }];
    // An answer that was stored first counts, and the run will be notified of it.
    const decision = { status, question: null, journal, ifOpen: key };
    const isExpired = await this.#run.decide(decision);
    this.#run.env.faultPoint('after-expiry');
    if (!isExpired || this.#open?.key !== key) return;
    this.#open = undefined;
    this.#run.outputs.speak();
    answer.reject(expired(timeoutMs));
  }
}

function unanswered(record: Exclude<AnswerRecord, { value: unknown }>, timeoutMs: number | undefined): Error {
  if ('expired' in record) return expired(timeoutMs);
  return new QuestionCanceledError('The caller sent another message instead of an answer');
}

function expired(timeoutMs: number | undefined): QuestionExpiredError {
  return new QuestionExpiredError('The question was not answered in time', timeoutMs);
}
