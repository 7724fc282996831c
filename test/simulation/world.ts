import type { Clock } from '../../src/support/time/clock.ts';
import type { Random } from './random.ts';

interface ScheduledCall {
  readonly time: number;
  run: (() => void) | undefined;
}

const START = Date.parse('2026-03-12T10:00:00.000Z');
/** A world with more scheduled calls than this has an endless loop. */
const MAX_CALLS = 60_000;

/** A broken rule. */
export class Violation extends Error {
  override readonly name = 'Violation';
}

/**
 * Time, order and randomness of one simulated world. All calls are in one queue; all promises that can settle do so
 * between two calls, so that only the seed decides the order.
 */
export class World {
  readonly random: Random;
  readonly trace: string[] = [];
  readonly #isTraced: boolean;
  readonly #queue: ScheduledCall[] = [];
  /** In milliseconds with a fraction, so that calls within one millisecond have an order. */
  #time = START;
  #count = 0;
  #violation: Violation | undefined;

  constructor(random: Random, isTraced: boolean) {
    this.random = random;
    this.#isTraced = isTraced;
  }

  /** The clock of the store and of everything without a clock of its own. */
  readonly clock: Clock = {
    now: () => Math.floor(this.#time),
    // Never early: the clock must have reached the time when the timer fires.
    callAt: (time, run) => this.at(Math.ceil(time), run),
  };

  get time(): number {
    return this.#time;
  }

  /** Milliseconds since the beginning. */
  get age(): number {
    return this.#time - START;
  }

  /** How many calls have run. */
  get count(): number {
    return this.#count;
  }

  get violation(): Violation | undefined {
    return this.#violation;
  }

  at(time: number, run: () => void): () => void {
    const call: ScheduledCall = { time: Math.max(time, this.#time), run };
    this.#queue.splice(this.#placeOf(call.time), 0, call);
    return () => (call.run = undefined);
  }

  after(ms: number, run: () => void): () => void {
    return this.at(this.#time + ms, run);
  }

  /** The first violation is the one to read, because later ones may be its consequences. */
  fail(what: string): void {
    this.note(() => `VIOLATION ${what}`);
    this.#violation ??= new Violation(what);
  }

  note(line: () => string): void {
    if (this.#isTraced) this.trace.push(`${this.age.toFixed(2).padStart(9)} ${line()}`);
  }

  /** Runs calls until the condition holds or the time has passed. Returns whether it holds. */
  async runUntil(isSo: () => boolean, latest: number): Promise<boolean> {
    while (this.#violation === undefined) {
      if (isSo()) return true;
      const next = this.#queue[0];
      if (next === undefined || next.time - START > latest) return false;
      this.#queue.shift();
      this.#time = Math.max(this.#time, next.time);
      if (next.run === undefined) continue;
      if (++this.#count > MAX_CALLS) this.fail('the world never settles');
      next.run();
      await settled();
    }
    return false;
  }

  /** The position after all calls of the same time. */
  #placeOf(time: number): number {
    let low = 0;
    let high = this.#queue.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#queue[middle]?.time ?? 0) <= time) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** All promises that can settle have settled. */
function settled(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
