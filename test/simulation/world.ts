import type { Clock } from '../../src/support/time/clock.ts';
import type { Random } from './random.ts';

interface Happening {
  readonly time: number;
  run: (() => void) | undefined;
}

const START = Date.parse('2026-03-12T10:00:00.000Z');
/** A world in which more than this happens has something that goes round in circles. */
const MAX_HAPPENINGS = 60_000;

/** Something that must never be so. */
export class Violation extends Error {
  override readonly name = 'Violation';
}

/**
 * Time, order and chance of one simulated world. Whatever happens is in one queue; between two happenings all promises
 * that can settle do, so that nothing but the seed decides what comes first.
 */
export class World {
  readonly random: Random;
  readonly trace: string[] = [];
  readonly #isTraced: boolean;
  readonly #queue: Happening[] = [];
  /** In milliseconds with a fraction: what happens in one millisecond still has an order. */
  #time = START;
  #count = 0;
  #violation: Violation | undefined;

  constructor(random: Random, isTraced: boolean) {
    this.random = random;
    this.#isTraced = isTraced;
  }

  /** The time of the store and of those who have no clock of their own. */
  readonly clock: Clock = {
    now: () => Math.floor(this.#time),
    // Never early: who looks at the clock then must find that it is time.
    callAt: (time, run) => this.at(Math.ceil(time), run),
  };

  get time(): number {
    return this.#time;
  }

  /** Milliseconds since the beginning. */
  get age(): number {
    return this.#time - START;
  }

  /** How much has happened. */
  get count(): number {
    return this.#count;
  }

  get violation(): Violation | undefined {
    return this.#violation;
  }

  at(time: number, run: () => void): () => void {
    const happening: Happening = { time: Math.max(time, this.#time), run };
    this.#queue.splice(this.#placeOf(happening.time), 0, happening);
    return () => (happening.run = undefined);
  }

  after(ms: number, run: () => void): () => void {
    return this.at(this.#time + ms, run);
  }

  /** The first violation is the one to read; what follows may follow from it. */
  fail(what: string): void {
    this.note(() => `VIOLATION ${what}`);
    this.#violation ??= new Violation(what);
  }

  note(line: () => string): void {
    if (this.#isTraced) this.trace.push(`${this.age.toFixed(2).padStart(9)} ${line()}`);
  }

  /** Lets things happen until it is so, or until it is this late. Says whether it came to be so. */
  async runUntil(isSo: () => boolean, latest: number): Promise<boolean> {
    while (this.#violation === undefined) {
      if (isSo()) return true;
      const next = this.#queue[0];
      if (next === undefined || next.time - START > latest) return false;
      this.#queue.shift();
      this.#time = Math.max(this.#time, next.time);
      if (next.run === undefined) continue;
      if (++this.#count > MAX_HAPPENINGS) this.fail('it never comes to rest');
      next.run();
      await settled();
    }
    return false;
  }

  /** After all of the same time, found from the end: most happenings lie in the far future of the others. */
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
