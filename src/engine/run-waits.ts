import { A2AError } from '../errors.ts';
import type { JsonValue } from '../model/json.ts';
import type { TaskState } from '../model/state.ts';
import { type Deferred, deferred } from '../support/deferred.ts';
import { digest } from '../support/digest.ts';
import { stopError, type StopReason } from './abort.ts';
import { QuestionExpiredError } from './handler.ts';
import type { AskedQuestion, PreparedQuestion } from './question.ts';
import type { Run } from './run.ts';

interface OpenQuestion {
  readonly key: string;
  readonly expiresAt: number;
  readonly answer: Deferred<JsonValue>;
}

/** What the journal keeps of an answer: what the handler gets, or that nobody gave one. */
type AnswerRecord = { readonly value: JsonValue } | { readonly expired: true };

/**
 * What a handler waits for that may take days: answers and timers. While it waits for nothing else, the run is suspended:
 * it holds no lease and no place, and is woken by the store.
 *
 *     running ── ask, sleep (and no step under way) ──► suspended
 *        ▲                                                 │ answered, due, expired: claimed again
 *        └───────── in memory, or by replay ───────────────┘
 */
export class RunWaits {
  readonly #run: Run;
  readonly #sleeps = new Map<Deferred<void>, number>();
  #asked = 0;
  #unanswered = 0;
  #slept = 0;
  /** One question is open at a time; the next is asked when it is answered. */
  #turn: Promise<unknown> = Promise.resolve();
  #open: OpenQuestion | undefined;
  #isExpiring = false;

  constructor(run: Run) {
    this.#run = run;
  }

  get isWaiting(): boolean {
    return this.#open !== undefined || this.#sleeps.size > 0;
  }

  /** A question is on its way: the run must not be suspended before it is asked. */
  get isAsking(): boolean {
    return this.#unanswered > 0 && this.#open === undefined;
  }

  /** The question that waits for an answer, asked or about to be. */
  get openKey(): string | undefined {
    return this.#open?.key;
  }

  /** When there will be something to do without an answer. */
  get wakeAt(): number {
    return Math.min(this.#open?.expiresAt ?? Number.POSITIVE_INFINITY, ...this.#sleeps.values());
  }

  ask(state: TaskState, question: PreparedQuestion, timeoutMs: number): Promise<JsonValue> {
    this.#run.assertMayWait();
    const { parts, ...asked } = question;
    const key = `${this.#run.journal.turn}.${++this.#asked}:${digest(JSON.stringify([state, question]))}`;
    this.#unanswered++;
    const answer = this.#turn
      .then(() => this.#ask(state, parts, key, { ...asked, expiresAt: this.#run.now() + timeoutMs }))
      .finally(() => {
        this.#unanswered--;
        this.#run.restLater();
      });
    this.#turn = answer.catch(() => {});
    return answer;
  }

  async sleep(ms: number): Promise<void> {
    this.#run.assertMayWait();
    if (!(ms >= 0)) throw new RangeError(`A sleep takes a number of milliseconds, not ${ms}`);
    const key = String(++this.#slept);
    const known = this.#run.journal.find('sleep', key) as { readonly until: number } | undefined;
    const until = known?.until ?? this.#run.now() + ms;
    if (known !== undefined && until <= this.#run.now()) return;
    const alarm = deferred<void>();
    this.#sleeps.set(alarm, until);
    this.#run.callAt(until, () => this.settle());
    if (known === undefined) this.#run.noteLater('sleep', key, { until });
    const stored = this.#run.pause({}).then(() => this.#run.env.faultPoint('after-sleep'));
    await Promise.all([stored, alarm.promise]);
  }

  /** Settles what is due or answered. To be called when time has passed or the journal has grown. */
  settle(): void {
    const now = this.#run.now();
    for (const [alarm, until] of this.#sleeps) {
      if (until > now) continue;
      this.#sleeps.delete(alarm);
      alarm.resolve();
    }
    if (this.#open === undefined) return;
    const { key, expiresAt, answer } = this.#open;
    const known = this.#run.journal.find('answer', key) as AnswerRecord | undefined;
    if (known !== undefined) {
      this.#open = undefined;
      if ('value' in known) answer.resolve(known.value);
      else answer.reject(expired());
    } else if (expiresAt <= now && !this.#isExpiring) {
      this.#isExpiring = true;
      void this.#expire(this.#open).finally(() => (this.#isExpiring = false));
    }
  }

  /** Nothing will come any more. */
  stop(reason: StopReason): void {
    if (!this.isWaiting) return;
    const error = stopError(reason);
    for (const alarm of this.#sleeps.keys()) alarm.reject(error);
    this.#open?.answer.reject(error);
    this.#sleeps.clear();
    this.#open = undefined;
  }

  async #ask(
    state: TaskState,
    parts: PreparedQuestion['parts'],
    key: string,
    asked: AskedQuestion,
  ): Promise<JsonValue> {
    this.#run.assertRunning();
    const { journal } = this.#run;
    const known = journal.find('answer', key) as AnswerRecord | undefined;
    if (known !== undefined) {
      if ('value' in known) return known.value;
      throw expired();
    }
    const before = journal.find('question', key) as unknown as AskedQuestion | undefined;
    if (before === undefined) await this.#run.assertMayPause();
    const { expiresAt } = before ?? asked;
    const answer = deferred<JsonValue>();
    this.#open = { key, expiresAt, answer };
    this.#run.callAt(expiresAt, () => this.settle());
    if (before === undefined) {
      const status = this.#run.outputs.status(state, parts);
      const journal = [{ kind: 'question', key, body: asked as unknown as JsonValue }];
      await this.#run.pause({ status, question: key, journal });
      this.#run.env.faultPoint('after-question');
    } else if (expiresAt <= this.#run.now()) {
      this.settle();
    } else {
      await this.#run.pause({});
    }
    return answer.promise;
  }

  async #expire({ key, answer }: OpenQuestion): Promise<void> {
    const status = this.#run.outputs.status('TASK_STATE_WORKING');
    const journal = [{ kind: 'answer', key, body: { expired: true } }];
    // An answer that came at the last moment was first; then it counts, and the run will hear of it.
    const decision = { status, question: null, journal, ifOpen: key };
    const isExpired = await this.#run.decide(decision);
    this.#run.env.faultPoint('after-expiry');
    if (!isExpired || this.#open?.key !== key) return;
    this.#open = undefined;
    answer.reject(expired());
  }
}

function expired(): QuestionExpiredError {
  return new QuestionExpiredError('Nobody answered in time');
}

export function tooManyPaused(limit: number): A2AError {
  return new A2AError('UNAVAILABLE', `${limit} tasks of this caller wait for an answer already: answer or cancel some`);
}
