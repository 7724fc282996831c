import type { JournalEntry, TaskRecord, TaskWrite } from '../../store/store.ts';
import type { EngineContext } from '../engine-context.ts';
import { outlined } from '../replay/journal-outline.ts';

/** The pause after a failure. It doubles with each further failure. */
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 5000;
/** The number of concurrent writes. */
const AT_A_TIME = 64;
/**
 * The maximum number of leases that wait for the store, and how many of them may belong to tasks that possibly do not
 * exist.
 */
const MAX_WAITING = 20_000;
const MAX_UNSURE = 10_000;

export type LeasedTask = Pick<TaskRecord, 'id' | 'node' | 'fence' | 'attempts'>;

/**
 * Whether the attempt counts. `revoke`: it does, because the handler has started and did not end by itself. `undo`: it does
 * not, because the handler was not the cause. `release`: it does not, and earlier attempts are forgotten too.
 */
export type ReleaseMode = 'release' | 'revoke' | 'undo';

/** The write for each mode. The store rejects writes of the old lease that are still in flight. */
const WRITES = {
  release: { release: true },
  revoke: { revoke: true },
  undo: { revoke: true, uncounted: true },
} as const satisfies Record<ReleaseMode, Partial<TaskWrite>>;

interface Waiting {
  readonly lease: Pick<LeasedTask, 'id' | 'node' | 'fence'>;
  readonly how: ReleaseMode;
  readonly delayMs: number;
}

type ReleaseContext = Pick<EngineContext, 'store' | 'clock' | 'timers' | 'node' | 'log' | 'faultPoint'>;

/**
 * Releases leases, and retries while the store fails. All retries share one timer and a few concurrent writes, because an
 * outage can leave thousands of leases and a store that has just recovered is busy. A lease that finds no room here becomes
 * free when this node has retired.
 */
export class LeaseReleases {
  readonly #engine: ReleaseContext;
  readonly #onReleased: () => void;
  /** The oldest first. */
  readonly #waiting = new Map<string, Waiting>();
  #sending: Promise<void> | undefined;
  #isPausing = false;
  #pausesUntil = 0;
  #pauseMs = FIRST_PAUSE_MS;
  #hasWarned = false;
  #isOver = false;

  constructor(engine: ReleaseContext, onReleased: () => void) {
    this.#engine = engine;
    this.#onReleased = onReleased;
  }

  add(task: LeasedTask, how: ReleaseMode, delayMs = 0): void {
    this.#add(task, how, delayMs, MAX_WAITING);
  }

  /** For a task that may not have been stored. */
  addUnsure(task: LeasedTask): void {
    this.#add(task, 'release', 0, MAX_UNSURE);
  }

  /** Releases a lease, without a retry. */
  async release(
    { id, node = this.#engine.node, fence }: Waiting['lease'],
    how: ReleaseMode,
    delayMs = 0,
    journal?: readonly JournalEntry[],
  ): Promise<void> {
    const { store, clock, node: by, faultPoint } = this.#engine;
    const wakeAt = clock.now() + delayMs;
    await store.append({
      taskId: id,
      by,
      guard: { lease: { node, fence } },
      ...WRITES[how],
      wakeAt,
      ...(journal && { journal: outlined(journal, clock.now()) }),
    });
    faultPoint('after-release');
  }

  /** Releases a lease, and retries later if that fails, then without the journal entries. */
  async releaseOrAdd(task: LeasedTask, how: ReleaseMode, journal: readonly JournalEntry[]): Promise<void> {
    try {
      await this.release(task, how, 0, journal);
    } catch {
      this.add(task, how);
      // Retries at once, because a process that is frozen may not get another chance.
      await this.#sending;
    }
  }

  /** Continues if a pause is over. In a process that was frozen, the timer that should have ended it may be lost. */
  resume(): void {
    if (!this.#isPausing || this.#engine.clock.now() < this.#pausesUntil) return;
    this.#isPausing = false;
    this.#send();
  }

  /** Stops retrying: when the node has retired, its leases are free anyway. */
  stopTrying(): void {
    this.#isOver = true;
    if (this.#isPausing) this.#waiting.clear();
    this.#isPausing = false;
  }

  /** Resolves when no write is in flight. */
  async settled(): Promise<void> {
    while (this.#sending !== undefined) await this.#sending;
  }

  #add({ id, node, fence }: LeasedTask, how: ReleaseMode, delayMs: number, max: number): void {
    const key = `${fence} ${id}`;
    if (this.#waiting.has(key)) return;
    if (this.#waiting.size >= max) {
      if (!this.#hasWarned) this.#engine.log.warn('Too many leases wait to be released', { taskId: id, max });
      this.#hasWarned = true;
      return;
    }
    this.#waiting.set(key, { lease: node === undefined ? { id, fence } : { id, node, fence }, how, delayMs });
    if (!this.#isPausing) this.#send();
  }

  #send(): void {
    if (this.#waiting.size > 0) this.#sending ??= this.#sendAll();
  }

  async #sendAll(): Promise<void> {
    while (await this.#sendSome()) {
      this.#pauseMs = FIRST_PAUSE_MS;
      this.#onReleased();
      if (this.#waiting.size === 0) break;
    }
    this.#sending = undefined;
    if (this.#waiting.size > 0) this.#pause();
    else this.#hasWarned = false;
  }

  /** Returns whether at least one lease was released. */
  async #sendSome(): Promise<boolean> {
    const some: [string, Waiting][] = [];
    for (const entry of this.#waiting) if (some.push(entry) === AT_A_TIME) break;
    let hasReleased = false;
    const send = async ([key, waiting]: [string, Waiting]): Promise<void> => {
      const { lease, how, delayMs } = waiting;
      try {
        await this.release(lease, how, delayMs);
        this.#waiting.delete(key);
        hasReleased = true;
      } catch {
        // Moved to the end, so that a lease that cannot be released does not block the others.
        this.#waiting.delete(key);
        if (!this.#isOver) this.#waiting.set(key, waiting);
      }
    };
    await Promise.all(some.map(send));
    return hasReleased;
  }

  #pause(): void {
    if (this.#isOver) {
      this.#waiting.clear();
      return;
    }
    const { timers, clock } = this.#engine;
    this.#isPausing = true;
    this.#pausesUntil = clock.now() + this.#pauseMs;
    timers.add(this.#pausesUntil, () => this.resume());
    this.#pauseMs = Math.min(this.#pauseMs * 2, MAX_PAUSE_MS);
  }
}
