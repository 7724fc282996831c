import type { A2AError } from '../../errors.ts';
import { tooSlow } from '../body-errors.ts';

/** A body has this long to arrive at whatever pace, counted in checks of a second each. */
const GRACE_CHECKS = 6;
const CHECK_MS = 1000;

/** What must have arrived on average in each second after that. */
const BYTES_PER_CHECK = 64 * 2 ** 10;

/** A body that is being received, as one of a list that `BodyPace` alone changes. */
export interface PacedBody {
  /** How many bytes have arrived. */
  length: number;
  /** Gives up the body. */
  readonly fail: (error: A2AError) => void;
  /** The check after which it began. */
  since: number;
  before: PacedBody | undefined;
  after: PacedBody | undefined;
}

export function pacedBody(fail: PacedBody['fail']): PacedBody {
  return { length: 0, fail, since: 0, before: undefined, after: undefined };
}

/**
 * Finds bodies that arrive too slowly: less than 64 KiB/s on average after the first 5 s. One timer looks at all of them,
 * because a timer for each, or a place in a set, would cost more than all else about a small body. It stops by itself when
 * there are none.
 */
export class BodyPace {
  /** Comes before all bodies, so that each has one before it. */
  readonly #head = pacedBody(() => {});
  #last = this.#head;
  #checks = 0;
  #timer: ReturnType<typeof setInterval> | undefined;
  #isClosed = false;

  watch(body: PacedBody): void {
    if (this.#isClosed) return;
    body.since = this.#checks;
    body.before = this.#last;
    this.#last.after = body;
    this.#last = body;
    this.#timer ??= setInterval(() => this.#check(), CHECK_MS);
  }

  /** The body is complete, or given up. Harmless for one that is not watched. */
  unwatch(body: PacedBody): void {
    const { before, after } = body;
    if (before === undefined) return;
    before.after = after;
    if (after === undefined) this.#last = before;
    else after.before = before;
    body.before = undefined;
    body.after = undefined;
  }

  /** Nothing is watched any more, not even what comes later. */
  close(): void {
    this.#isClosed = true;
    while (this.#last !== this.#head) this.unwatch(this.#last);
    this.#stop();
  }

  #check(): void {
    this.#checks += 1;
    let next = this.#head.after;
    while (next !== undefined) {
      const body = next;
      next = body.after;
      const late = this.#checks - body.since - GRACE_CHECKS;
      // Those behind it began later still.
      if (late <= 0) break;
      if (body.length >= late * BYTES_PER_CHECK) continue;
      this.unwatch(body);
      body.fail(tooSlow());
    }
    if (this.#last === this.#head) this.#stop();
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
