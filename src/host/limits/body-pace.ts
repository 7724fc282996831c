import type { A2AError } from '../../errors.ts';
import { tooSlow } from './body-errors.ts';

/** A body may arrive at any pace for this long, in checks of one second. */
const GRACE_CHECKS = 6;
const CHECK_MS = 1000;

/** The required average per second after that. */
const BYTES_PER_CHECK = 64 * 2 ** 10;

/** A body that is being received: a node of a linked list that only `BodyPace` changes. */
export interface PacedBody {
  length: number;
  readonly fail: (error: A2AError) => void;
  /** The number of the check after which it started. */
  since: number;
  before: PacedBody | undefined;
  after: PacedBody | undefined;
}

export function pacedBody(fail: PacedBody['fail']): PacedBody {
  return { length: 0, fail, since: 0, before: undefined, after: undefined };
}

/**
 * Aborts bodies that arrive too slowly: less than 64 KiB/s on average after the first 5 s. One timer checks all of them, because a
 * timer or a set entry for each would cost more than the rest of a small body. The timer stops when there are no bodies.
 */
export class BodyPace {
  /** A sentinel, so that every body has a predecessor. */
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

  /** Called when the body is complete or aborted. Does nothing for a body that is not watched. */
  unwatch(body: PacedBody): void {
    const { before, after } = body;
    if (before === undefined) return;
    before.after = after;
    if (after === undefined) this.#last = before;
    else after.before = before;
    body.before = undefined;
    body.after = undefined;
  }

  /** Stops watching, also bodies that are added later. */
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
      // All following bodies started later.
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
