import { A2AError } from '../errors.ts';
import type { Received } from './event.ts';
import { EventOrder } from './event-order.ts';
import { toPublicError } from './failures.ts';
import type { ItemStream } from './item-stream.ts';
import { isPassing, type Polled, pollUpdates } from './poll.ts';
import { backoffMs } from './recovery.ts';
import { TransportFailure } from './transport/transport.ts';

/** How often in a row a stream may break without anything new in between. */
const MAX_BREAKS = 5;

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
 * Where streams keep breaking, it is asked too.
 *
 * @throws A2AError `TRANSPORT_FAILED` if the stream ended before the task did, and nothing leads on from there.
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

  constructor(followed: Followed) {
    this.#followed = followed;
    this.#isResumed = followed.fold.taskId !== undefined;
  }

  /** Whether the agent numbers its events. */
  get isNumbered(): boolean {
    return this.#lastNumber !== undefined;
  }

  async *events(): AsyncGenerator<Received, void, void> {
    const { fold } = this.#followed;
    try {
      this.#stream = await this.#followed.open();
      while (this.#stream !== undefined) {
        const stream = this.#stream;
        let failure: unknown;
        try {
          // Generators that hand on to one another, and waiting for what is there, would cost as much as decoding it.
          for (;;) {
            const next = stream.next();
            const item = next instanceof Promise ? await next : next;
            if (item === undefined) break;
            for (const event of this.#take(item, stream)) yield event;
            if (fold.isOver) return;
          }
          failure = this.#endOf(stream);
        } catch (error) {
          failure = this.#breakOf(error);
        }
        if (failure === undefined) return;
        await this.#resume(failure);
      }
      yield* pollUpdates(this.#followed);
    } finally {
      if (fold.isPaused) this.#stream?.release();
      else this.#stream?.leave();
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
