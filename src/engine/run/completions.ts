import type { Scheduler } from '../../support/time/scheduler.ts';
import type { Noted } from '../write/task-writer.ts';

interface QueuedCompletion {
  readonly number: number;
  readonly give: () => void;
}

/**
 * Everything that resolves to a handler passes here: results of steps, answers, ends of sleeps, inbox reads. They are
 * delivered in the order of their journal entries, at the first attempt and in each replay, so that a race always has the
 * same winner.
 *
 *     first attempt: note ──► stored with a number ──► stored() ──┐
 *     replay:        journal has the entry ──────────► again() ───┴─► by number, one per turn ──► handler
 */
export class Completions {
  readonly #scheduler: Scheduler;
  readonly #onDelivered: () => void;
  readonly #onQuiet: () => void;
  /** Sorted by number. */
  readonly #queue: QueuedCompletion[] = [];
  #isDelivering = false;
  #isScheduled = false;
  #pending = 0;
  /** Writes in progress whose entries may precede one that is already known. */
  #storing = 0;

  /**
   * @param onDelivered Called when all requested completions are delivered, so that unrecorded events may happen now.
   * @param onQuiet Called when no work is pending any more.
   */
  constructor(scheduler: Scheduler, onDelivered: () => void, onQuiet: () => void) {
    this.#scheduler = scheduler;
    this.#onDelivered = onDelivered;
    this.#onQuiet = onQuiet;
  }

  /** Whether a requested completion is still to be delivered, or was delivered in this turn. */
  get isDelivering(): boolean {
    return this.#isDelivering;
  }

  /** Whether the handler will get a completion without waiting for a caller or a timer. */
  get isBusy(): boolean {
    return this.#pending > 0 || this.#isDelivering;
  }

  /** Tracks work whose result the handler waits for. The run must not be suspended meanwhile. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#pending++;
    try {
      return await work();
    } finally {
      this.#pending--;
      if (this.#pending === 0) this.#onQuiet();
    }
  }

  /** Resolves when a recorded entry is next in the replay. */
  again(number: number): Promise<void> {
    return this.during(() => this.#enqueue(number));
  }

  /**
   * Resolves when an entry that was written from outside is next.
   *
   * @param storing The write of this run in progress, if it adds to the journal: its entries may precede the one from outside, as they
   * would in a replay.
   */
  arrived(number: number, storing: Promise<unknown> | undefined): Promise<void> {
    if (storing !== undefined) this.#waitFor(storing);
    return this.again(number);
  }

  /** Resolves when an entry that was just stored is next; `undefined` if it is alone and nothing precedes it. */
  stored({ number, isAlone }: Noted): Promise<void> | undefined {
    return isAlone && !this.#isDelivering ? undefined : this.#enqueue(number);
  }

  #enqueue(number: number): Promise<void> {
    return new Promise((give) => {
      this.#queue.splice(this.#queue.findLastIndex((other) => other.number <= number) + 1, 0, { number, give });
      if (!this.#isDelivering) this.#deliverLater();
    });
  }

  #waitFor(storing: Promise<unknown>): void {
    this.#storing++;
    const stored = (): void => {
      this.#storing--;
      if (this.#isDelivering) this.#deliverLater();
    };
    storing.then(stored, stored);
  }

  /** In a later turn, when the handler has requested everything that it waits for at this point. */
  #deliverLater(): void {
    this.#isDelivering = true;
    if (this.#storing > 0 || this.#isScheduled) return;
    this.#isScheduled = true;
    this.#scheduler.soon(() => {
      this.#isScheduled = false;
      if (this.#storing > 0) return;
      const next = this.#queue.shift();
      if (next !== undefined) {
        next.give();
        this.#deliverLater();
        return;
      }
      this.#isDelivering = false;
      this.#onDelivered();
    });
  }
}
