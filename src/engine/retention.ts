import type { Core } from './core.ts';

export interface Retention {
  /** Tasks that ended longer ago than this go. */
  readonly maxAgeMs: number;
  /** Of the tasks that have ended, this many stay, the latest. */
  readonly maxEnded: number;
  /** How long after the end of a task its events can be read again one by one. */
  readonly replayWindowMs: number;
  /** How often it is looked after. */
  readonly everyMs: number;
}

const HOUR = 60 * 60 * 1000;

export const DEFAULT_RETENTION: Retention = Object.freeze({
  maxAgeMs: 30 * 24 * HOUR,
  maxEnded: 1_000_000,
  replayWindowMs: HOUR,
  everyMs: 60_000,
});

/** Tasks that go in one go: others want the store too. */
const BATCH = 500;

/** A clock that is later by more than this, and by more than two rounds, was set or its machine was suspended. */
const MIN_JUMP_MS = HOUR;

/**
 * Removes tasks and events that are older than they may become. Only tasks that have ended are removed.
 *
 * A clock that is wrong for a moment would remove all of them for good. So time that the clock skips does not make
 * anything older, until the next start.
 */
export class RetentionLoop {
  readonly #core: Core;
  readonly #retention: Retention;
  readonly #maxDeadLetters: number;
  #disarm: () => void = () => {};
  #seenAt: number | undefined;
  #skippedMs = 0;

  constructor(core: Core, retention: Retention, maxDeadLetters: number) {
    this.#core = core;
    this.#retention = retention;
    this.#maxDeadLetters = maxDeadLetters;
  }

  start(): void {
    const { timers, clock, log } = this.#core;
    this.#seenAt ??= clock.now();
    this.#disarm = timers.add(clock.now() + this.#retention.everyMs, () => {
      this.start();
      this.prune().catch((error: unknown) => log.warn('Old tasks could not be removed', { error }));
    });
  }

  stop(): void {
    this.#disarm();
  }

  async prune(): Promise<void> {
    const { store } = this.#core;
    const { maxAgeMs, maxEnded, replayWindowMs } = this.#retention;
    const now = this.#trustedTime();
    const policy = {
      endedBefore: now - maxAgeMs,
      keepEnded: maxEnded,
      eventsEndedBefore: now - replayWindowMs,
      keepDeadLetters: this.#maxDeadLetters,
      limit: BATCH,
    };
    while ((await store.prune(policy)) === BATCH);
  }

  #trustedTime(): number {
    const { clock, log } = this.#core;
    const now = clock.now();
    const passed = now - (this.#seenAt ?? now);
    this.#seenAt = now;
    if (passed > Math.max(MIN_JUMP_MS, 2 * this.#retention.everyMs)) {
      this.#skippedMs += passed;
      log.warn(
        'The clock has jumped forward. Tasks are kept longer by that time; if the clock is right, restart the process',
        { jumpMs: passed },
      );
    }
    return now - this.#skippedMs;
  }
}
