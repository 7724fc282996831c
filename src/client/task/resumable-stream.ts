import { A2AError } from '../../errors.ts';
import { isPaused, isTerminal } from '../../model/state.ts';
import type { Task } from '../../model/task.ts';
import type { Decoded } from '../../wire/dialect.ts';
import type { Received } from '../event.ts';
import { toPublicError } from '../request/failures.ts';
import type { ItemStream } from './item-stream.ts';
import { isPassing, type Polled, pollUpdates } from './poll.ts';
import { backoffMs } from '../request/recovery.ts';
import { TransportFailure } from '../../support/http-client/http-client.ts';

/** How often in a row a stream may break without anything new in between. */
const MAX_BREAKS = 5;

/** After this time without an event, the client gets the task, because some agents leave the stream of an ended task open. */
const QUIET_MS = 30_000;

/** How long a stream may take to report the end of a task that was canceled. */
const END_AFTER_CANCEL_MS = 2000;

/** How long a task may stay unchanged after its stream broke, if the agent reports that no run is left. */
const ABANDONED_MS = 60_000;

/** How long a task may stay unchanged after its stream broke, if the agent does not report whether it runs. */
const STALLED_MS = 300_000;

/** The task to follow. Its fold is updated with every event. */
export interface Followed extends Polled {
  /** Opens the first stream. If it resolves to undefined, the task is polled. */
  open(): Promise<ItemStream | undefined>;
  /** `open` may be called again although it sends a message, because the agent deduplicates messages. */
  readonly isReopenable?: boolean;
  /** The events end when the task asks a question. A subscription, with which a broken stream is resumed, would stay open. */
  readonly endsWithPause?: boolean;
}

/**
 * Returns the events of a task until its stream ends, over as many connections as necessary, each once and in order. A broken
 * stream is resumed after the last event number. If the agent does not number its events, missed events are found by comparing the
 * known state with a snapshot: in 1.0 every subscription starts with one, older agents are polled.
 *
 * The task is also polled if streams keep breaking. While a stream is silent, the client gets the task every 30 s (300 s if events
 * are numbered), and ends the stream if the task has ended.
 *
 * @throws A2AError `TRANSPORT_FAILED` if the stream ended before the task did and cannot be resumed, or the task does not change
 *   any more.
 */
export class ResumableStream {
  readonly #followed: Followed;
  #stream: ItemStream | undefined;
  #lastNumber: number | undefined;
  /** Events up to this number have been seen over an earlier connection. */
  #seenBefore: number | undefined;
  #order = new EventOrder();
  /** The first number expected over a new connection. An agent that sends another one does not number consecutively. */
  #expected: number | undefined;
  #isResumed: boolean;
  /** Whether the task was not paused after an event. Until then it may show the question that the message answers. */
  #hasWorked = false;
  #breaks = 0;
  /** The number of received events, to detect a silent stream. */
  #items = 0;
  #isWaiting = false;
  #stopWatching: () => void = () => {};
  #stopWaitingForEnd: () => void = () => {};
  /** The settled task, if it was found while its stream was silent. */
  #settled: Decoded<Task> | undefined;
  /** How long the task was unchanged at the last poll, and after which time the agent is probed for a run. */
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
    const { fold, operationClient } = this.#followed;
    operationClient.followers.add(this);
    try {
      this.#stream = await this.#followed.open();
      const hadStream = this.#stream !== undefined;
      if (hadStream) this.#watch();
      while (this.#stream !== undefined) {
        const stream = this.#stream;
        let failure: unknown;
        try {
          // Nested generators, and awaiting items that are already here, would cost as much as decoding them.
          for (;;) {
            const next = stream.next();
            this.#isWaiting = next instanceof Promise;
            const item = next instanceof Promise ? await next : next;
            this.#isWaiting = false;
            if (item === undefined) break;
            this.#items++;
            for (const event of this.#take(item, stream)) yield event;
            if (fold.isOver || this.#isAtPause()) return;
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

  /** Whether a resumed stream has delivered the question with which the agent would have ended the first one. */
  #isAtPause(): boolean {
    const { fold, endsWithPause = false } = this.#followed;
    this.#hasWorked ||= !fold.isPaused;
    return endsWithPause && this.#isResumed && this.#hasWorked && fold.isPaused;
  }

  /** Removes the timers. */
  #stop(): void {
    this.#followed.operationClient.followers.delete(this);
    this.#stopWatching();
    this.#stopWaitingForEnd();
  }

  /** Gets the task whenever the stream has been silent for a while. */
  #watch(): void {
    const { clock } = this.#followed.operationClient.context.settings;
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
    const { operationClient, scope, fold, taskId } = this.#followed;
    const id = fold.taskId ?? taskId;
    if (id === undefined) return;
    try {
      const found = await operationClient.call('GetTask', { id }, scope);
      const { state } = found.value.status;
      const isNewState = isTerminal(state) || (isPaused(state) && !fold.isPaused);
      if (isNewState && this.#items === items) this.#leaveWith(found);
    } catch {
      // Only the stream decides whether the call fails.
    }
  }

  /** Called if the agent has reported the end of a task. If it is this task, the stream has 2 s to report it as well. */
  endWith(found: Decoded<Task>): void {
    const { operationClient, fold, taskId } = this.#followed;
    if ((fold.taskId ?? taskId) !== found.value.id) return;
    const { clock } = operationClient.context.settings;
    this.#stopWaitingForEnd();
    const leave = (): void => this.#leaveWith({ ...found, value: { ...fold.task(), ...found.value } });
    const ask = async (): Promise<void> => {
      this.#stopWaitingForEnd = clock.callAt(clock.now() + END_AFTER_CANCEL_MS, leave);
      // The response to a cancel may contain only the status.
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

  /** The events between the known and a later state of the task. */
  *#missed({ value: task, raw }: Decoded<Task>): Generator<Received, void> {
    const { fold } = this.#followed;
    const missed = [...fold.missed(task)];
    fold.take({ task });
    for (const event of missed) yield { event, number: undefined, raw };
  }

  /**
   * Ends the wait for a task whose stream broke and that no longer changes. An agent may report a task as working although its run
   * has died. A subscription shows whether it runs: without a run, agents report the task as not found. A running task is waited for
   * until the deadline of the call.
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
        'The agent may have stopped working on it. Get the task later with the handle in details',
      { details: { sent: 'maybe', state: this.#followed.fold.state ?? '' } },
    );
  }

  async #probeRun(): Promise<boolean | undefined> {
    const { operationClient, scope, fold, taskId } = this.#followed;
    try {
      const stream = await operationClient.open('SubscribeToTask', { id: (fold.taskId ?? taskId) as string }, scope);
      stream.leave();
      return true;
    } catch (error) {
      if (scope.deadline.aborted || !A2AError.is(error)) throw error;
      return A2AError.is(error, 'TASK_NOT_FOUND') ? false : undefined;
    }
  }

  /**
   * Returns the events of an item. After the last one, the connection is released before the events are returned.
   *
   * @throws TransportFailure if the item is out of order.
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

  /** Numbers may be timestamps, or start again with each connection. Then they do not show which events were missed. */
  #isExpected({ number }: Received): boolean {
    const expected = this.#expected;
    if (expected === undefined || number === undefined) return true;
    this.#expected = undefined;
    return number === expected;
  }

  /** Restarts the numbering after a snapshot, because all events after it are new. */
  #countAnew(): void {
    this.#seenBefore = undefined;
    this.#expected = undefined;
    this.#order = new EventOrder();
  }

  /** Applies the limit for a response to a response in chunks. */
  #assertSize(): void {
    const { fold, operationClient } = this.#followed;
    const { maxAnswerBytes } = operationClient.context.settings.limits;
    if (fold.size > maxAnswerBytes)
      throw new A2AError(
        'INVALID_AGENT_RESPONSE',
        `The response is larger than ${maxAnswerBytes} bytes (limits.maxAnswerBytes)`,
      );
  }

  /** The failure if a stream ended too early, else undefined. */
  #endOf(stream: ItemStream): unknown {
    const isClean = (this.#followed.fold.isPaused || stream.hasLastItem) && !stream.isToBeContinued;
    return isClean ? undefined : this.#endedEarly();
  }

  /** Returns the error if the stream can be resumed after it. @throws The error otherwise. */
  #breakOf(error: unknown): unknown {
    const isBreak = error instanceof TransportFailure || A2AError.is(error, 'UNAVAILABLE');
    if (!isBreak || this.#followed.scope.deadline.aborted) throw error;
    return error;
  }

  /** The new events in an item. */
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

  /** Discards the numbering after events out of order. Only a snapshot shows the real state of the task. */
  #startOver(): TransportFailure {
    this.#lastNumber = undefined;
    this.#countAnew();
    return new TransportFailure('The events of the stream arrived out of order', 'maybe');
  }

  /** Opens the next connection. Leaves none if the task can only be polled. */
  async #resume(failure: unknown): Promise<void> {
    const { operationClient, scope, fold, taskId, isReopenable = false } = this.#followed;
    this.#stream?.leave();
    this.#stream = undefined;
    const id = fold.taskId ?? taskId;
    const { url, dialect } = await operationClient.endpoints.load();
    // Without a task there is nothing to resume, and only agents that deduplicate messages may get the message again.
    if (id === undefined && !isReopenable) throw toPublicError(failure, url);
    if (id !== undefined && !this.isNumbered && !dialect.subscribesToTheEnd) return;
    for (;;) {
      if (++this.#breaks > MAX_BREAKS) {
        if (id === undefined) throw toPublicError(failure, url);
        // A proxy may block streams; polling may still work.
        return;
      }
      await scope.deadline.pause(backoffMs(this.#breaks - 1));
      try {
        if (id === undefined) return void (this.#stream = await this.#followed.open());
        const resuming = this.#lastNumber === undefined ? {} : { lastEventId: String(this.#lastNumber) };
        this.#stream = await operationClient.open('SubscribeToTask', { id }, scope, resuming);
        this.#isResumed = true;
        this.#seenBefore = this.#lastNumber;
        this.#expected = this.#lastNumber === undefined ? undefined : this.#lastNumber + 1;
        return;
      } catch (error) {
        if (scope.deadline.aborted || !A2AError.is(error)) throw error;
        // The task has ended, or the agent has no subscriptions: polling shows which.
        if (!isPassing(error)) return;
      }
    }
  }

  #endedEarly(): unknown {
    const { fold, taskId } = this.#followed;
    if ((fold.taskId ?? taskId) !== undefined)
      return new TransportFailure('The stream ended before the task did', 'maybe');
    return new A2AError('INVALID_AGENT_RESPONSE', 'The stream ended without an event', {
      details: { sent: 'maybe' },
    });
  }
}

/** Whether an event is the next one, a duplicate, or out of order. */
type Order = 'next' | 'again' | 'wrong';

/**
 * Checks the order of the events of a task by their numbers. Events without numbers are accepted as they come, because agents must
 * not reorder them (1.0 §3.5.2) and a repeated text may be intended.
 */
class EventOrder {
  #last: Pick<Received, 'number' | 'raw'> | undefined;
  #countsByOne = true;

  /** `again`: a duplicate of the last event. `wrong`: it is too late, or an event before the final one is missing. */
  take({ event, number, raw }: Received): Order {
    if (number === undefined) return 'next';
    const last = this.#last;
    this.#last = { number, raw };
    if (last?.number === undefined) return 'next';
    if (number < last.number) return 'wrong';
    // Some agents send one event in several pieces with the same number.
    if (number === last.number) return JSON.stringify(raw) === JSON.stringify(last.raw) ? 'again' : 'next';
    const isGap = number > last.number + 1;
    if (isGap && this.#countsByOne && isEnd(event)) return 'wrong';
    if (isGap) this.#countsByOne = false;
    return 'next';
  }
}

function isEnd(event: Received['event']): boolean {
  return 'statusUpdate' in event && isTerminal(event.statusUpdate.status.state);
}
