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

/** Removes what has outlived its time, now and then. Only tasks that have ended ever go. */
export class RetentionLoop {
  readonly #core: Core;
  readonly #retention: Retention;
  readonly #maxDeadLetters: number;
  #disarm: () => void = () => {};

  constructor(core: Core, retention: Retention, maxDeadLetters: number) {
    this.#core = core;
    this.#retention = retention;
    this.#maxDeadLetters = maxDeadLetters;
  }

  start(): void {
    const { timers, clock, log } = this.#core;
    this.#disarm = timers.add(clock.now() + this.#retention.everyMs, () => {
      this.start();
      this.prune().catch((error: unknown) => log.warn('Old tasks could not be removed', { error }));
    });
  }

  stop(): void {
    this.#disarm();
  }

  async prune(): Promise<void> {
    const { store, clock } = this.#core;
    const { maxAgeMs, maxEnded, replayWindowMs } = this.#retention;
    const now = clock.now();
    const policy = {
      endedBefore: now - maxAgeMs,
      keepEnded: maxEnded,
      eventsEndedBefore: now - replayWindowMs,
      keepDeadLetters: this.#maxDeadLetters,
      limit: BATCH,
    };
    while ((await store.prune(policy)) === BATCH);
  }
}
