import { A2AError } from '../errors.ts';
import { isPaused, isTerminal } from '../model/state.ts';
import type { Task } from '../model/task.ts';
import type { Decoded } from '../wire/dialect.ts';
import type { Received } from './event.ts';
import { EventOrder } from './event-order.ts';
import { toPublicError } from './failures.ts';
import type { ItemStream } from './item-stream.ts';
import { isPassing, type Polled, pollUpdates } from './poll.ts';
import { backoffMs } from './recovery.ts';
import { TransportFailure } from './transport/transport.ts';

/** How often in a row a stream may break without anything new in between. */
const MAX_BREAKS = 5;

/**
 * A stream without an event in this time is silent: then the client asks for the task, because some agents leave the stream of
 * an ended task open.
 */
const QUIET_MS = 30_000;

/** How long a stream may take to report the end of a task that was canceled. */
const END_AFTER_CANCEL_MS = 2000;

/** How long a task may stay unchanged after its stream broke, if the agent says that nothing runs for it. */
const ABANDONED_MS = 60_000;

/** How long a task may stay unchanged after its stream broke, if the agent does not tell whether it runs. */
const STALLED_MS = 300_000;

/** The fold is kept up to date. */
export interface Followed extends Polled {
  /** Opens the stream for the first time. Without one the task is asked again and again. */
  open(): Promise<ItemStream | undefined>;
  /** It may be opened again, though it sends a message: the agent recognises that. */
  readonly isReopenable?: boolean;
}

/**
 * The events of a task to the end of its stream, over as many connections as it takes: each once and in order. A broken
 * stream is resumed after the last number. Where the agent has no numbers, what was missed is found by comparing what is
 * known with a snapshot, which 1.0 begins every subscription with; agents before it are asked for one again and again.
 *
 * Where streams keep breaking, it is asked too. While a stream is silent, the task is asked for every 30 s, and its end is the
 * end of the stream.
 *
 * @throws A2AError `TRANSPORT_FAILED` if the stream ended before the task did and cannot be resumed, or the task does not change
 *   any more.
 */
export class Follower {
  readonly #followed: Followed;
  #stream: ItemStream | undefined;
  #lastNumber: number | undefined;
  /** Events up to this number have been seen over an earlier connection. */
  #seenBefore: number | undefined;
  #order = new EventOrder();
  /** The number that must come first over a new connection: an agent that goes on with another one counts otherwise. */
  #expected: number | undefined;
  #isResumed: boolean;
  #breaks = 0;
  /** Events that have come, to see whether a stream is silent. */
  #items = 0;
  #isWaiting = false;
  #stopWatching: () => void = () => {};
  #stopWaitingForEnd: () => void = () => {};
  /** The task as it was found to be while its stream was silent: settled. */
  #settled: Decoded<Task> | undefined;
  /** For how long the task was unchanged at the last look, and from when on the agent is asked whether it runs. */
  #unchangedMs = 0;
  #probeAfterMs = QUIET_MS;

  constructor(followed: Followed) {
    this.#followed = followed;
    this.#isResumed = followed.fold.taskId !== undefined;
  }

  /** Whether the agent numbers its events. */
  get isNumbered(): boolean {
    return this.#lastNumber !== undefined;
  }

  async *events(): AsyncGenerator<Received, void, void> {
    const { fold, caller } = this.#followed;
    caller.followers.add(this);
    try {
      this.#stream = await this.#followed.open();
      const hadStream = this.#stream !== undefined;
      if (hadStream) this.#watch();
      while (this.#stream !== undefined) {
        const stream = this.#stream;
        let failure: unknown;
        try {
          // Generators that hand on to one another, and waiting for what is there, would cost as much as decoding it.
          for (;;) {
            const next = stream.next();
            this.#isWaiting = next instanceof Promise;
            const item = next instanceof Promise ? await next : next;
            this.#isWaiting = false;
            if (item === undefined) break;
            this.#items++;
            for (const event of this.#take(item, stream)) yield event;
            if (fold.isOver) return;
          }
          failure = this.#endOf(stream);
        } catch (error) {
          if (this.#settled === undefined) failure = this.#breakOf(error);
        }
        if (this.#settled !== undefined) return yield* this.#missed(this.#settled);
        if (failure === undefined) return;
        await this.#resume(failure);
      }
      yield* pollUpdates(this.#followed, hadStream ? (ms) => this.#assertRunning(ms) : undefined);
    } finally {
      this.#stop();
      if (fold.isPaused) this.#stream?.release();
      else this.#stream?.leave();
    }
  }

  /** Leaves no timer behind. */
  #stop(): void {
    this.#followed.caller.followers.delete(this);
    this.#stopWatching();
    this.#stopWaitingForEnd();
  }

  /** Asks for the task whenever the stream has been silent for a while. */
  #watch(): void {
    const { clock } = this.#followed.caller.wiring.settings;
    const items = this.#items;
    let isStopped = false;
    const again = async (): Promise<void> => {
      if (this.#isWaiting && this.#items === items) await this.#askForEnd(items);
      if (!isStopped && this.#settled === undefined) this.#watch();
    };
    // A numbered stream misses nothing, so a silent one is rarely a stream of an ended task.
    const quietMs = this.isNumbered ? STALLED_MS : QUIET_MS;
    const disarm = clock.callAt(clock.now() + quietMs, () => void again());
    this.#stopWatching = () => {
      isStopped = true;
      disarm();
    };
  }

  /** Leaves a silent stream if the task has ended or paused and the stream did not report it. */
  async #askForEnd(items: number): Promise<void> {
    const { caller, scope, fold, taskId } = this.#followed;
    const id = fold.taskId ?? taskId;
    if (id === undefined) return;
    try {
      const found = await caller.call('GetTask', { id }, scope);
      const { state } = found.value.status;
      const isNews = isTerminal(state) || (isPaused(state) && !fold.isPaused);
      if (isNews && this.#items === items) this.#leaveWith(found);
    } catch {
      // Only the stream decides whether the call fails.
    }
  }

  /** The agent has reported the end of a task, perhaps of this one. The stream has a moment to report it as well. */
  endWith(found: Decoded<Task>): void {
    const { caller, fold, taskId } = this.#followed;
    if ((fold.taskId ?? taskId) !== found.value.id) return;
    const { clock } = caller.wiring.settings;
    this.#stopWaitingForEnd();
    const leave = (): void => this.#leaveWith({ ...found, value: { ...fold.task(), ...found.value } });
    const ask = async (): Promise<void> => {
      this.#stopWaitingForEnd = clock.callAt(clock.now() + END_AFTER_CANCEL_MS, leave);
      // The response to a cancel may have the status only.
      await this.#askForEnd(this.#items);
      leave();
    };
    this.#stopWaitingForEnd = clock.callAt(clock.now() + END_AFTER_CANCEL_MS, () => void ask());
  }

  #leaveWith(found: Decoded<Task>): void {
    if (this.#stream === undefined || this.#settled !== undefined) return;
    this.#settled = found;
    this.#stream.leave();
  }

  /** The events between what is known and a later state of the task. */
  *#missed({ value: task, raw }: Decoded<Task>): Generator<Received, void> {
    const { fold } = this.#followed;
    const missed = [...fold.missed(task)];
    fold.take({ task });
    for (const event of missed) yield { event, number: undefined, raw };
  }

  /**
   * Ends the wait for a task whose stream broke and that does not change any more. An agent may keep a task as working although
   * the run has died. A subscription shows whether it runs: where no run is left, agents report the task as not found. A task that
   * runs is waited for as long as the call has time.
   *
   * @throws A2AError `TRANSPORT_FAILED`
   */
  async #assertRunning(unchangedMs: number): Promise<void> {
    if (unchangedMs < this.#unchangedMs) this.#probeAfterMs = QUIET_MS;
    this.#unchangedMs = unchangedMs;
    if (unchangedMs < this.#probeAfterMs) return;
    const isRunning = await this.#probeRun();
    const limitMs = isRunning === false ? ABANDONED_MS : STALLED_MS;
    this.#probeAfterMs = isRunning === true ? unchangedMs + STALLED_MS : limitMs;
    if (isRunning === true || unchangedMs < limitMs) return;
    const seconds = Math.round(unchangedMs / 1000);
    throw new A2AError(
      'TRANSPORT_FAILED',
      `The stream ended before the task did, and the task has not changed for ${seconds} s. ` +
        'The agent may have stopped working on it. Ask for the task later with the handle in details',
      { details: { sent: 'maybe', state: this.#followed.fold.state ?? '' } },
    );
  }

  async #probeRun(): Promise<boolean | undefined> {
    const { caller, scope, fold, taskId } = this.#followed;
    try {
      const stream = await caller.open('SubscribeToTask', { id: (fold.taskId ?? taskId) as string }, scope);
      stream.leave();
      return true;
    } catch (error) {
      if (scope.deadline.aborted || !A2AError.is(error)) throw error;
      return A2AError.is(error, 'TASK_NOT_FOUND') ? false : undefined;
    }
  }

  /**
   * The events that an item means. When all is known, the connection is let go before they are handed out.
   *
   * @throws TransportFailure if it comes out of order.
   */
  #take(item: Received, stream: ItemStream): readonly Received[] {
    if (this.#expected !== undefined && 'task' in item.event) this.#countAnew();
    const place = this.#order.take(item);
    if (place === 'again') return [];
    if (!this.#isExpected(item)) throw this.#startOver();
    if (place === 'wrong' && !this.#wasSeenBefore(item)) throw this.#startOver();
    const events = this.#accept(item);
    this.#assertSize();
    if (events.length > 0) this.#breaks = 0;
    if (this.#followed.fold.isOver) {
      this.#stream = undefined;
      stream.release();
      this.#stop();
    }
    return events;
  }

  /** Numbers may be times, or begin anew with each connection: then they say nothing about what was missed. */
  #isExpected({ number }: Received): boolean {
    const expected = this.#expected;
    if (expected === undefined || number === undefined) return true;
    this.#expected = undefined;
    return number === expected;
  }

  /** The task tells it all, and whatever follows is later. */
  #countAnew(): void {
    this.#seenBefore = undefined;
    this.#expected = undefined;
    this.#order = new EventOrder();
  }

  /** An answer that comes in pieces is an answer all the same. */
  #assertSize(): void {
    const { fold, caller } = this.#followed;
    const { maxAnswerBytes } = caller.wiring.settings.limits;
    if (fold.size > maxAnswerBytes)
      throw new A2AError('INVALID_AGENT_RESPONSE', `The answer has more than ${maxAnswerBytes} bytes (maxAnswerBytes)`);
  }

  /** Why a stream ended, if that was too early. */
  #endOf(stream: ItemStream): unknown {
    const isClean = (this.#followed.fold.isPaused || stream.saidItsLast) && !stream.isToBeContinued;
    return isClean ? undefined : this.#endedEarly();
  }

  /** What broke a stream that can be resumed. @throws anything else. */
  #breakOf(error: unknown): unknown {
    const isBreak = error instanceof TransportFailure || A2AError.is(error, 'UNAVAILABLE');
    if (!isBreak || this.#followed.scope.deadline.aborted) throw error;
    return error;
  }

  /** What is new in an item. */
  #accept(item: Received): readonly Received[] {
    const { event, number, raw } = item;
    const { fold } = this.#followed;
    const isKnown = this.#wasSeenBefore({ number });
    if (number !== undefined) this.#lastNumber = number;
    if ('task' in event && this.#isResumed) {
      const missed = [...fold.missed(event.task)];
      fold.take(event);
      return missed.map((each) => ({ event: each, number, raw }));
    }
    if (isKnown) return [];
    fold.take(event);
    return [item];
  }

  #wasSeenBefore({ number }: Pick<Received, 'number'>): boolean {
    return number !== undefined && this.#seenBefore !== undefined && number <= this.#seenBefore;
  }

  /** What came is not to be relied on: only a snapshot tells how the task really is. */
  #startOver(): TransportFailure {
    this.#lastNumber = undefined;
    this.#countAnew();
    return new TransportFailure('The events of the stream came out of order', 'maybe');
  }

  /** Opens the next connection; leaves none if the rest can only be asked for. */
  async #resume(failure: unknown): Promise<void> {
    const { caller, scope, fold, taskId, isReopenable = false } = this.#followed;
    this.#stream?.leave();
    this.#stream = undefined;
    const id = fold.taskId ?? taskId;
    const { url, dialect } = await caller.endpoints.load();
    // Without a task there is nothing to go on with, and the message may not be sent again to just any agent.
    if (id === undefined && !isReopenable) throw toPublicError(failure, url);
    if (id !== undefined && !this.isNumbered && !dialect.subscribesToTheEnd) return;
    for (;;) {
      if (++this.#breaks > MAX_BREAKS) {
        if (id === undefined) throw toPublicError(failure, url);
        // Something on the way lets no stream through; questions may still get their answers.
        return;
      }
      await scope.deadline.pause(backoffMs(this.#breaks - 1));
      try {
        if (id === undefined) return void (this.#stream = await this.#followed.open());
        const resuming = this.#lastNumber === undefined ? {} : { lastEventId: String(this.#lastNumber) };
        this.#stream = await caller.open('SubscribeToTask', { id }, scope, resuming);
        this.#isResumed = true;
        this.#seenBefore = this.#lastNumber;
        this.#expected = this.#lastNumber === undefined ? undefined : this.#lastNumber + 1;
        return;
      } catch (error) {
        if (scope.deadline.aborted || !A2AError.is(error)) throw error;
        // It has ended in the meantime, or subscriptions are not to be had: the task itself tells.
        if (!isPassing(error)) return;
      }
    }
  }

  #endedEarly(): unknown {
    const { fold, taskId } = this.#followed;
    if ((fold.taskId ?? taskId) !== undefined)
      return new TransportFailure('The stream ended before the task did', 'maybe');
    return new A2AError('INVALID_AGENT_RESPONSE', 'The stream ended before it said anything', {
      details: { sent: 'maybe' },
    });
  }
}
