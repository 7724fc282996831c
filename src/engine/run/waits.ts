import type { JsonValue } from '../../model/json.ts';
import { type Deferred, deferred } from '../../support/deferred.ts';
import { digest } from '../../support/secret/digest.ts';
import { nextTurn } from '../../support/time/scheduler.ts';
import type { JournalEntry } from '../../store/store.ts';
import { QuestionCanceledError, QuestionExpiredError } from '../handler.ts';
import type { AskedQuestion, PreparedQuestion, QuestionState } from '../questions/question.ts';
import {
  askingStatus,
  hiddenQuestion,
  listsAll,
  type OpenQuestion,
  openQuestions,
  questionBody,
} from '../questions/open-questions.ts';
import { timeAfter } from '../write/status-time.ts';
import type { CalledEntry } from '../calls/call-request.ts';
import type { Noted, TaskWriter } from '../write/task-writer.ts';
import type { Decision } from '../write/write-batch.ts';
import type { RunPort } from './run-port.ts';
import { stopError, type StopReason } from './run-state.ts';

/** A wait of the handler that may take days. Its end is an entry of the journal. */
type Wait = Sleep | QuestionWait | CallWait;

interface Sleep {
  readonly kind: 'sleep';
  readonly key: string;
  /** When it ends by itself. */
  readonly until: number;
  readonly result: Deferred<void>;
}

interface QuestionWait {
  readonly kind: 'question';
  readonly key: string;
  /** When it expires. */
  readonly until: number;
  readonly result: Deferred<JsonValue>;
  readonly question: OpenQuestion;
  /** Whether it is stored. */
  isStored: boolean;
}

interface CallWait {
  readonly kind: 'call';
  readonly key: string;
  readonly until: number;
  readonly result: Deferred<CalledEntry>;
}

/** A wait that can be given up. */
export interface Revocable<T> {
  readonly result: Promise<T>;
  /** Waits no longer. The result then stays pending. */
  readonly revoke: () => void;
}

/** A question of a handler, or one that the run asks for an agent that it called. */
export interface QuestionToAsk {
  /**
   * Identifies the question in the journal, at every attempt. It may be kept without the values of the journal, so it contains none
   * itself. Keys of `ctx.ask` start with the number of the turn.
   */
  readonly key: string;
  readonly state: QuestionState;
  readonly question: PreparedQuestion;
  /** How long it is open. */
  readonly timeoutMs: number;
  /** The names of the agents, from the called one to the asking one. Not set for a question of the handler. */
  readonly path?: readonly string[];
}

/** A question that was asked with `openQuestion`. */
export interface AskedHandle {
  /**
   * The value of the answer, in the order of the journal. Rejects with a `QuestionExpiredError` or a `QuestionCanceledError`, with an
   * `AbortError` if the run stops or the question is withdrawn, and with an `A2AError` if the caller has too many paused tasks.
   */
  readonly answer: Promise<JsonValue>;
  /** Ends the question without an answer. Resolves with `false` if the answer came first. */
  withdraw(): Promise<boolean>;
}

/** The record of an answer: its value, or why there is none. */
type AnswerRecord = { readonly value: JsonValue } | { readonly expired: true } | { readonly canceled: true };

/**
 * The durable waits of a handler: questions, sleeps and calls. While it waits for nothing else, the run is suspended: it holds
 * neither a lease nor a slot, and the store wakes it when a wait ends.
 *
 *     running ── ask, sleep (and no step in progress) ──► suspended
 *        ▲                                                   │ answered, due, expired: claimed again
 *        └───────── in memory, or by replay ─────────────────┘
 *
 * Any number of waits may be open. The oldest open question is the status of the task. Each write that changes which questions are
 * open also sets the status, so it is stored only if the run knows the whole journal; otherwise it reads what is new and
 * tries again.
 */
export class Waits {
  readonly #run: RunPort;
  readonly #writer: TaskWriter;
  /** In the order in which they began. */
  readonly #open = new Set<Wait>();
  #slept = 0;
  #asked = 0;
  /** Questions that are about to be asked. */
  #asking = 0;
  #lastAsked: Promise<unknown> = Promise.resolve();
  /** Sleeps whose end is being stored. They are no longer open. */
  #waking = 0;
  #isExpiring = false;
  /** The waits of this turn of the event loop, which are stored together. */
  #pending: Promise<void> | undefined;
  /** The last change of the open questions. Changes are stored one by one. */
  #lastChange: Promise<unknown> = Promise.resolve();

  constructor(run: RunPort, writer: TaskWriter) {
    this.#run = run;
    this.#writer = writer;
  }

  async sleep(ms: number): Promise<void> {
    const run = this.#run;
    run.assertMayWait();
    if (!(ms >= 0)) throw new RangeError(`sleep: expected a number of milliseconds, 0 or more, got ${ms}`);
    await this.limit(ms, String(++this.#slept)).result;
  }

  /** A sleep under a key of its own. */
  limit(ms: number, key: string): Revocable<void> {
    const run = this.#run;
    run.journal.unasked?.asked('sleep', key);
    if (run.journal.find('slept', key) !== undefined)
      return { result: run.completions.again(run.journal.numberOf('slept', key)), revoke: () => {} };
    const known = run.journal.find('sleep', key) as { readonly until: number } | undefined;
    const until = known?.until ?? run.now() + ms;
    const result = deferred<void>();
    const sleep: Sleep = { kind: 'sleep', key, until, result };
    this.#begin(sleep);
    run.outputs.begin();
    if (known === undefined) run.noteLater('sleep', key, { until });
    const stored = this.#pause().then(() => run.engine.faultPoint('after-sleep'));
    stored.catch(result.reject);
    // Does not also wait for the pause: that could mean waiting for the end of another pause.
    return { result: result.promise, revoke: () => void this.#open.delete(sleep) };
  }

  /** Waits for the result of a call. Its entry and row are stored, or added to the next write. */
  call(key: string): Revocable<CalledEntry> {
    const run = this.#run;
    const result = deferred<CalledEntry>();
    const call: CallWait = { kind: 'call', key, until: Number.POSITIVE_INFINITY, result };
    this.#begin(call);
    run.outputs.begin();
    const stored = this.#pause().then(() => run.engine.faultPoint('after-call'));
    stored.catch(result.reject);
    return { result: result.promise, revoke: () => void this.#open.delete(call) };
  }

  /** @param earlier The question as it was before it was reworded. */
  ask(
    state: QuestionState,
    question: PreparedQuestion,
    timeoutMs: number,
    earlier?: PreparedQuestion,
  ): Promise<JsonValue> {
    this.#run.assertMayWait();
    const key = this.#questionKey(state, question, earlier);
    this.#run.journal.unasked?.asked('question', key);
    return this.openQuestion({ key, state, question, timeoutMs }).answer;
  }

  /**
   * Asks a question that may be withdrawn. A replay asks it again with the same key: if it was answered, the answer is there; if it
   * was withdrawn, it is shown again as a new question. A recorded question that is not asked again is withdrawn when the run is
   * suspended.
   */
  openQuestion(toAsk: QuestionToAsk): AskedHandle {
    this.#run.assertMayWait();
    let isWithdrawn = false;
    let wait: QuestionWait | undefined;
    const answered = async (): Promise<JsonValue> => {
      this.#asking++;
      const begun = this.#lastAsked.then(() => (isWithdrawn ? undefined : this.#begun(toAsk)));
      this.#lastAsked = begun.catch(() => {});
      try {
        wait = await begun;
      } finally {
        this.#asking--;
        if (wait === undefined) this.suspendLater();
      }
      if (wait !== undefined) return this.#answerTo(wait);
      if (isWithdrawn) throw withdrawn();
      return this.#recordedAnswer(toAsk);
    };
    const isKnown = this.#run.journal.find('answer', toAsk.key) !== undefined;
    const answer = isKnown ? this.#recordedAnswer(toAsk) : answered();
    answer.catch(() => {});
    const withdraw = async (): Promise<boolean> => {
      isWithdrawn = true;
      await this.#lastAsked;
      return wait === undefined ? !isKnown : this.#withdraw(wait);
    };
    return { answer, withdraw };
  }

  #questionKey(state: QuestionState, question: PreparedQuestion, earlier: PreparedQuestion | undefined): string {
    const { journal } = this.#run;
    const place = `${journal.turn}.${++this.#asked}`;
    const keyOf = (one: PreparedQuestion): string => `${place}:${digest(JSON.stringify([state, one]))}`;
    const key = keyOf(question);
    if (earlier === undefined || journal.find('question', key) !== undefined) return key;
    const earlierKey = keyOf(earlier);
    return journal.find('question', earlierKey) === undefined ? key : earlierKey;
  }

  async #recordedAnswer({ key, timeoutMs }: Pick<QuestionToAsk, 'key' | 'timeoutMs'>): Promise<JsonValue> {
    const { completions, journal } = this.#run;
    await completions.again(journal.numberOf('answer', key));
    const asked = journal.find('question', key) as Partial<AskedQuestion> | undefined;
    return valueOf(journal.find('answer', key) as unknown as AnswerRecord, asked?.timeoutMs ?? timeoutMs);
  }

  /** Begins to wait for an answer, after the questions that were asked earlier; not if there already is one. */
  async #begun({ key, state, question, path, timeoutMs }: QuestionToAsk): Promise<QuestionWait | undefined> {
    const run = this.#run;
    run.assertRunning();
    const { journal, engine } = run;
    if (journal.find('answer', key) !== undefined) return undefined;
    const before = journal.find('question', key) as unknown as AskedQuestion | undefined;
    if (before === undefined) {
      const held = path === undefined ? run.changedCode?.beforeNew('question', key) : undefined;
      if (held !== undefined) {
        await held;
        run.assertMayWait();
      }
      if (path === undefined) journal.unasked?.passed('question', Number.POSITIVE_INFINITY);
    }
    // A task that already asks is counted.
    const isPaused = before !== undefined || run.record.question !== undefined || this.#hasQuestion;
    const refusal = isPaused ? undefined : await run.refusalToPause();
    if (refusal !== undefined) throw refusal;
    run.assertMayWait();
    const isStored = journal.isUnanswered(key);
    const { parts, ...asked } = question;
    const time = before ?? { expiresAt: run.now() + timeoutMs, timeoutMs };
    const recorded: AskedQuestion = {
      ...asked,
      expiresAt: time.expiresAt,
      ...(time.timeoutMs !== undefined && { timeoutMs: time.timeoutMs }),
      // A question that was withdrawn is asked as a new one.
      id: (isStored ? before?.id : undefined) ?? engine.newId(),
      state,
      ...(path !== undefined && { path }),
    };
    const open = hiddenQuestion(key, recorded, parts);
    const until = recorded.expiresAt;
    const wait: QuestionWait = { kind: 'question', key, until, result: deferred(), question: open, isStored };
    this.#begin(wait);
    return wait;
  }

  #answerTo(wait: QuestionWait): Promise<JsonValue> {
    this.#shown(wait).catch(wait.result.reject);
    return wait.result.promise;
  }

  async #shown({ isStored: wasStored }: QuestionWait): Promise<void> {
    await this.#pause();
    if (!wasStored) this.#run.engine.faultPoint('after-question');
    if (this.#run.isAwake) this.settle();
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
    const { journal, completions, record } = this.#run;
    const now = this.#run.now();
    let due: QuestionWait | undefined;
    let isHidden = false;
    for (const wait of this.#open) {
      if (wait.kind === 'call' && journal.find('called', wait.key) !== undefined) {
        this.#open.delete(wait);
        void this.#deliverResult(wait);
      }
      if (wait.kind !== 'question') continue;
      const answer = journal.find('answer', wait.key) as AnswerRecord | undefined;
      if (answer !== undefined) {
        this.#open.delete(wait);
        void this.#deliver(wait, answer);
      } else if (wait.isStored) {
        if (wait.until <= now && wait.until < (due?.until ?? Number.POSITIVE_INFINITY)) due = wait;
        isHidden ||= record.question === undefined;
      }
    }
    // If it cannot be stored, the run is over and rejects all waits.
    if (due !== undefined && this.#waking === 0 && !completions.isDelivering && !this.#isExpiring)
      void this.#expire(due).catch(() => {});
    // The write that ended the shown question came from a version, or a moment, that did not know of the others.
    if (isHidden) void this.#pause().catch(() => {});
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
      else this.#stored().catch(() => {});
    });
  }

  /** Whether it waits for more than timers. */
  get #awaitsOthers(): boolean {
    for (const wait of this.#open) if (wait.kind !== 'sleep') return true;
    return false;
  }

  get #hasQuestion(): boolean {
    for (const wait of this.#open) if (wait.kind === 'question') return true;
    return false;
  }

  /**
   * Whether the handler does more than wait, or is about to ask a question. During a replay, ended sleeps are not settled:
   * a run that was suspended at that moment would be replayed to the same point and suspended again, forever.
   */
  get #continues(): boolean {
    return this.#open.size === 0 || this.#run.completions.isBusy || this.#asking > 0;
  }

  /** The end of a sleep is stored before the handler continues, so that a replay resumes at the same point. */
  #endSleeps(): void {
    const { completions } = this.#run;
    if (completions.isDelivering || this.#isExpiring) return;
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

  async #expire(wait: QuestionWait): Promise<void> {
    const { key, result, question } = wait;
    const { outputs, engine } = this.#run;
    this.#isExpiring = true;
    // The nodes that work on the call of the agent that has asked are notified.
    if (question.asked.path !== undefined) this.#writer.makeCallsDue();
    try {
      // An answer that was stored first counts.
      const noted = await this.#ended(wait, { kind: 'answer', key, body: { expired: true } });
      if (noted === undefined) return;
      await this.#run.inOrder(noted);
      engine.faultPoint('after-expiry');
      if (!this.#writer.isAsking) outputs.publishHeld();
      result.reject(expired(question.asked.timeoutMs));
    } finally {
      this.#isExpiring = false;
      if (this.#run.isAwake) this.settle();
    }
  }

  async #withdraw(wait: QuestionWait): Promise<boolean> {
    const wasOpen = this.#open.has(wait);
    const noted = await this.#ended(wait, { kind: 'withdrawn', key: wait.key, body: {} });
    if (noted === undefined && (wait.isStored || !wasOpen)) return false;
    if (!this.#writer.isAsking) this.#run.outputs.publishHeld();
    wait.result.reject(withdrawn());
    return true;
  }

  /** Stores the end of a question, which is then no longer open. Returns `undefined` if it had no stored end of its own. */
  #ended(wait: QuestionWait, entry: JournalEntry): Promise<Noted | undefined> {
    return this.#alone(async () => {
      while (this.#open.has(wait)) {
        if (!wait.isStored) {
          this.#open.delete(wait);
          return undefined;
        }
        const noted = await this.#decide(this.#change(false, entry) ?? {});
        if (noted !== undefined) {
          this.#open.delete(wait);
          return noted;
        }
        await this.#catchUp();
      }
      return undefined;
    });
  }

  /** Delivers the result of a call after the entries that precede it. */
  async #deliverResult({ key, result }: CallWait): Promise<void> {
    const { journal } = this.#run;
    const number = journal.numberOf('called', key);
    await this.#run.arrived(number);
    journal.unasked?.passed('call', number);
    result.resolve(journal.find('called', key) as unknown as CalledEntry);
  }

  /** Delivers an answer after the entries that precede it. */
  async #deliver({ key, result, question }: QuestionWait, answer: AnswerRecord): Promise<void> {
    await this.#run.arrived(this.#run.journal.numberOf('answer', key));
    try {
      result.resolve(valueOf(answer, question.asked.timeoutMs));
    } catch (error) {
      result.reject(error);
    }
  }

  /** Stores a wait together with all other waits of this turn, and suspends the run if nothing else is in progress. */
  #pause(): Promise<void> {
    // In the next turn, when the handler only waits. Suspending it earlier would lose what it does next.
    return (this.#pending ??= nextTurn(this.#run.engine.scheduler).then(() => this.#commit()));
  }

  async #commit(): Promise<void> {
    const run = this.#run;
    this.#pending = undefined;
    if (run.isAbandoned) await new Promise(() => {});
    run.assertRunning();
    // A short sleep may be over before it is stored; then nothing would wake the run.
    if (run.isAwake) this.settle();
    await this.#stored();
  }

  /** Stores which questions are open, and suspends the run if the handler only waits. */
  #stored(): Promise<void> {
    return this.#alone(async () => {
      while (!(await this.#store())) await this.#catchUp();
    });
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#lastChange.then(work);
    this.#lastChange = result.catch(() => {});
    return result;
  }

  /** Returns `false` if something came first: a cancel, an answer, a message. */
  async #store(): Promise<boolean> {
    const run = this.#run;
    run.assertRunning();
    const isSuspending = !this.#continues;
    if (isSuspending) run.changedCode?.beforeWait();
    const change = this.#change(isSuspending);
    if (!isSuspending) {
      if (change === undefined) await this.#writer.stored();
      return change === undefined || (await this.#decide(change)) !== undefined;
    }
    let wakeAt = Number.MAX_SAFE_INTEGER;
    for (const { until } of this.#open) wakeAt = Math.min(wakeAt, until);
    // An answer, or news of a call, that came first has woken the task, which must not be suspended over it.
    const asOf = this.#awaitsOthers ? { asOf: run.journal.arrivals } : {};
    const onStored = (): void => run.suspended();
    const noted = await this.#decide({ ...asOf, ...change, release: true, wakeAt, onStored });
    run.engine.faultPoint('after-suspend');
    if (noted === undefined) return false;
    // A message that arrived in the meantime woke the task before it was suspended, so it must be woken again.
    if (this.#writer.hasUnread) run.wake();
    return true;
  }

  /** Stores a decision and remembers its entries. */
  async #decide(decision: Decision): Promise<Noted | undefined> {
    const { journal = [] } = decision;
    const noted = await this.#writer.decideInTurn(decision);
    if (noted === undefined) return undefined;
    for (const [i, entry] of journal.entries()) this.#run.journal.add({ ...entry, number: noted.number + i });
    for (const wait of this.#open)
      if (wait.kind === 'question' && this.#run.journal.isUnanswered(wait.key)) wait.isStored = true;
    return noted;
  }

  /** Reads what came first. */
  async #catchUp(): Promise<void> {
    const run = this.#run;
    run.assertMayWait();
    await nextTurn(run.engine.scheduler);
    const entries = await run.reading(() => run.engine.store.journal(run.record.id, run.journal.seen));
    run.assertMayWait();
    run.catchUp(entries);
    if (run.isAwake) this.settle();
  }

  /**
   * The change of the open questions that is not stored yet: new ones, one that ends, and with the suspension those that earlier
   * attempts have asked and this one does not wait for. Comes with the status that shows the oldest. `undefined` if there
   * is none.
   */
  #change(isSuspending: boolean, ending?: JournalEntry): Decision | undefined {
    const { record, journal, outputs } = this.#run;
    const waiting = new Map<string, QuestionWait>();
    for (const wait of this.#open) if (wait.kind === 'question') waiting.set(wait.key, wait);
    if (waiting.size === 0 && journal.unanswered.size === 0 && record.question === undefined) return undefined;
    const dropped = isSuspending
      ? Array.from(journal.unanswered, ({ key }) => key).filter((key) => !waiting.has(key))
      : [];
    const added = [...waiting.values()].filter(({ isStored }) => !isStored).map(({ question }) => question);
    const stored = openQuestions(journal.unanswered, record, (key) => waiting.get(key)?.question);
    const open = [...stored.filter(({ key }) => key !== ending?.key && !dropped.includes(key)), ...added];
    const [first, ...others] = open;
    const entries = [
      ...(ending === undefined ? [] : [ending]),
      ...dropped.map((key): JournalEntry => ({ kind: 'withdrawn', key, body: {} })),
      ...added.map((question): JournalEntry => questionEntry(question, question === first)),
    ];
    const isShown = first?.key === record.question && (first === undefined || listsAll(record.status, open));
    if (isShown && entries.length === 0) return undefined;
    const decision = { journal: entries, asOf: journal.arrivals };
    if (isShown) return decision;
    if (first === undefined) return { ...decision, status: outputs.status('TASK_STATE_WORKING'), question: null };
    const status = askingStatus(record, [first, ...others], timeAfter(this.#writer.status, this.#run.now()));
    return { ...decision, status, question: first.key };
  }
}

function questionEntry(question: OpenQuestion, isShown: boolean): JournalEntry {
  const body = questionBody(question, isShown);
  return { kind: 'question', key: question.key, body: body as unknown as JsonValue };
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

function withdrawn(): DOMException {
  return new DOMException('The question was withdrawn', 'AbortError');
}
