import type { JournalEntry, TaskRecord, TaskWrite } from '../store/store.ts';
import type { Core } from './core.ts';

/** The pause after a failure, doubled with each one that follows. */
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 5000;
/** Writes that are under way at the same time. */
const AT_A_TIME = 64;
/** Leases that may wait for the store, and how many of them may be of tasks that perhaps do not exist. */
const MAX_WAITING = 20_000;
const MAX_UNSURE = 10_000;

export type LeasedTask = Pick<TaskRecord, 'id' | 'node' | 'fence' | 'attempts'>;

/**
 * Whether the attempt counts: `revoke` if the handler has begun and did not end by itself, `undo` if that was not its
 * fault. With `release` those before it are forgotten too.
 */
export type GiveBack = 'release' | 'revoke' | 'undo';

/** How the store is told. What may still be under way from the old lease is refused. */
const WRITES = {
  release: { release: true },
  revoke: { revoke: true },
  undo: { revoke: true, uncounted: true },
} as const satisfies Record<GiveBack, Partial<TaskWrite>>;

interface Waiting {
  readonly lease: Pick<LeasedTask, 'id' | 'node' | 'fence'>;
  readonly how: GiveBack;
  readonly delayMs: number;
}

type GiveBackTools = Pick<Core, 'store' | 'clock' | 'timers' | 'node' | 'log' | 'faultPoint'>;

/**
 * Gives leases back, and tries again while the store fails: all of them on one timer and a few at a time, because an
 * outage can leave thousands, and a store that comes back has enough to do. What finds no room here is free when this
 * node is gone.
 */
export class GiveBacks {
  readonly #core: GiveBackTools;
  readonly #onGiven: () => void;
  /** The longest waiting first. */
  readonly #waiting = new Map<string, Waiting>();
  #sending: Promise<void> | undefined;
  #isPausing = false;
  #pausesUntil = 0;
  #pauseMs = FIRST_PAUSE_MS;
  #hasWarned = false;
  #isOver = false;

  constructor(core: GiveBackTools, onGiven: () => void) {
    this.#core = core;
    this.#onGiven = onGiven;
  }

  add(task: LeasedTask, how: GiveBack, delayMs = 0): void {
    this.#add(task, how, delayMs, MAX_WAITING);
  }

  /** Of a task of which nobody knows whether it was stored. */
  addUnsure(task: LeasedTask): void {
    this.#add(task, 'release', 0, MAX_UNSURE);
  }

  /** One try. */
  async give(
    { id, node = this.#core.node, fence }: Waiting['lease'],
    how: GiveBack,
    delayMs = 0,
    journal?: readonly JournalEntry[],
  ): Promise<void> {
    const { store, clock, node: by, faultPoint } = this.#core;
    const wakeAt = clock.now() + delayMs;
    await store.append({
      taskId: id,
      by,
      guard: { lease: { node, fence } },
      ...WRITES[how],
      wakeAt,
      ...(journal && { journal }),
    });
    faultPoint('after-release');
  }

  /** As `give`, but it is tried again later if it fails; then without what there was to remember. */
  async giveOrAdd(task: LeasedTask, how: GiveBack, journal: readonly JournalEntry[]): Promise<void> {
    try {
      await this.give(task, how, 0, journal);
    } catch {
      this.add(task, how);
      // Once more at once, for there may be no later where a process is frozen.
      await this.#sending;
    }
  }

  /** Goes on if a pause is over: the timer that should have ended it may be lost, where a process is frozen. */
  goOn(): void {
    if (!this.#isPausing || this.#core.clock.now() < this.#pausesUntil) return;
    this.#isPausing = false;
    this.#send();
  }

  /** From now on everything is tried once: the leases of a node that is gone are free. */
  stopTrying(): void {
    this.#isOver = true;
    if (this.#isPausing) this.#waiting.clear();
    this.#isPausing = false;
  }

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    while (this.#sending !== undefined) await this.#sending;
  }

  #add({ id, node, fence }: LeasedTask, how: GiveBack, delayMs: number, max: number): void {
    const key = `${fence} ${id}`;
    if (this.#waiting.has(key)) return;
    if (this.#waiting.size >= max) {
      if (!this.#hasWarned) this.#core.log.warn('Too many leases wait to be given back', { taskId: id, max });
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
      this.#onGiven();
      if (this.#waiting.size === 0) break;
    }
    this.#sending = undefined;
    if (this.#waiting.size > 0) this.#pause();
    else this.#hasWarned = false;
  }

  /** Says whether at least one was given back. */
  async #sendSome(): Promise<boolean> {
    const some: [string, Waiting][] = [];
    for (const entry of this.#waiting) if (some.push(entry) === AT_A_TIME) break;
    let hasGiven = false;
    const send = async ([key, waiting]: [string, Waiting]): Promise<void> => {
      const { lease, how, delayMs } = waiting;
      try {
        await this.give(lease, how, delayMs);
        this.#waiting.delete(key);
        hasGiven = true;
      } catch {
        // Behind the others, so that those that cannot be given back keep nobody waiting.
        this.#waiting.delete(key);
        if (!this.#isOver) this.#waiting.set(key, waiting);
      }
    };
    await Promise.all(some.map(send));
    return hasGiven;
  }

  #pause(): void {
    if (this.#isOver) {
      this.#waiting.clear();
      return;
    }
    const { timers, clock } = this.#core;
    this.#isPausing = true;
    this.#pausesUntil = clock.now() + this.#pauseMs;
    timers.add(this.#pausesUntil, () => this.goOn());
    this.#pauseMs = Math.min(this.#pauseMs * 2, MAX_PAUSE_MS);
  }
}
