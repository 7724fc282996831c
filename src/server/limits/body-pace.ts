/** A body has this long to arrive at whatever pace, counted in checks of a second each. */
const GRACE_CHECKS = 6;
const CHECK_MS = 1000;

/** What must have arrived on average in each second after that. */
const BYTES_PER_CHECK = 64 * 2 ** 10;

/** A body that is being received. */
export interface PacedBody {
  /** How many bytes have arrived. */
  readonly length: number;
  /** The check after which it began. Set by `BodyPace` alone. */
  since: number;
  /** It arrives too slowly: called at most once. */
  tooSlow(): void;
}

/**
 * Finds bodies that arrive too slowly: less than 64 KiB/s on average after the first 5 s. One timer looks at all of them,
 * because a timer for each would cost more than reading a small body; it stops by itself when there are none.
 */
export class BodyPace {
  readonly #bodies = new Set<PacedBody>();
  #checks = 0;
  #timer: ReturnType<typeof setInterval> | undefined;
  #isClosed = false;

  watch(body: PacedBody): void {
    if (this.#isClosed) return;
    body.since = this.#checks;
    this.#bodies.add(body);
    this.#timer ??= setInterval(() => this.#check(), CHECK_MS);
  }

  /** The body is complete, or given up. */
  unwatch(body: PacedBody): void {
    this.#bodies.delete(body);
  }

  /** Nothing is watched any more, not even what comes later. */
  close(): void {
    this.#isClosed = true;
    this.#bodies.clear();
    this.#stop();
  }

  #check(): void {
    this.#checks += 1;
    for (const body of this.#bodies) {
      const late = this.#checks - body.since - GRACE_CHECKS;
      if (late <= 0 || body.length >= late * BYTES_PER_CHECK) continue;
      this.#bodies.delete(body);
      body.tooSlow();
    }
    if (this.#bodies.size === 0) this.#stop();
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
