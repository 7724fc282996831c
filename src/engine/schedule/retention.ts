import { count, defaultsOf, type OptionTable } from '../../support/options.ts';
import type { EngineContext } from '../engine-context.ts';

/** How long ended tasks are kept. Unfinished tasks are never removed. */
export interface Retention {
  /** How long ended tasks are kept, in milliseconds; 30 days by default. */
  readonly maxAgeMs: number;
  /** The maximum number of ended tasks that are kept, the latest; 1,000,000 by default. */
  readonly maxEnded: number;
  /**
   * How long the events of an ended task can be replayed one by one, in milliseconds; 1 hour by default. After that,
   * subscribers get the task as a whole.
   */
  readonly replayWindowMs: number;
  /** How often expired tasks are removed, in milliseconds; 60,000 by default. */
  readonly everyMs: number;
}

const HOUR = 60 * 60 * 1000;

/** Every count and age may be 0; the interval between two sweeps may not. */
export const RETENTION = {
  maxAgeMs: count({ least: 0, byDefault: 30 * 24 * HOUR }),
  maxEnded: count({ least: 0, byDefault: 1_000_000 }),
  replayWindowMs: count({ least: 0, byDefault: HOUR }),
  everyMs: count({ byDefault: 60_000 }),
} as const satisfies OptionTable<Retention>;

/** The retention if no option is set. */
export const DEFAULT_RETENTION: Retention = defaultsOf(RETENTION);

/** Tasks that one call removes. Small, so that other writes do not wait. */
const BATCH = 500;

/** A clock that advances by more than this, and by more than two intervals, was set or its machine was suspended. */
const MIN_JUMP_MS = HOUR;

/**
 * Removes expired tasks and events. Only ended tasks are removed.
 *
 * A clock that is wrong for a moment would remove all of them. So time that the clock skips does not make anything older,
 * until the next start.
 */
export class RetentionLoop {
  readonly #engine: EngineContext;
  readonly #retention: Retention;
  readonly #maxDeadLetters: number;
  #disarm: () => void = () => {};
  #seenAt: number | undefined;
  #skippedMs = 0;

  constructor(engine: EngineContext, retention: Retention, maxDeadLetters: number) {
    this.#engine = engine;
    this.#retention = retention;
    this.#maxDeadLetters = maxDeadLetters;
  }

  start(): void {
    const { timers, clock, log } = this.#engine;
    this.#seenAt ??= clock.now();
    this.#disarm = timers.add(clock.now() + this.#retention.everyMs, () => {
      this.start();
      this.prune().catch((error: unknown) => log.warn('Could not remove expired tasks', { error }));
    });
  }

  stop(): void {
    this.#disarm();
  }

  async prune(): Promise<void> {
    const { store } = this.#engine;
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
    const { clock, log } = this.#engine;
    const now = clock.now();
    const passed = now - (this.#seenAt ?? now);
    this.#seenAt = now;
    if (passed > Math.max(MIN_JUMP_MS, 2 * this.#retention.everyMs)) {
      this.#skippedMs += passed;
      log.warn(
        'The clock jumped forward. Tasks are kept longer by that time; if the clock is right, restart the process',
        { jumpMs: passed },
      );
    }
    return now - this.#skippedMs;
  }
}
