import type { Core } from './core.ts';
import type { StoreTime } from './store-time.ts';

/** Tells the store that this node lives, three times as often as it must, and asks it for the time. */
export class Heartbeat {
  readonly #core: Core;
  readonly #time: StoreTime;
  readonly #onLate: () => void;
  #disarm: () => void = () => {};

  /** @param onLate Called when the node was silent for so long that others may have taken its tasks. */
  constructor(core: Core, time: StoreTime, onLate: () => void) {
    this.#core = core;
    this.#time = time;
    this.#onLate = onLate;
  }

  /** The node was silent for so long that others may have taken its tasks. */
  get isLate(): boolean {
    return this.#core.liveness.hasLapsed;
  }

  /** For a node that may have slept: resolves when the store knows that it lives. */
  async wake(): Promise<void> {
    const { liveness, leaseMs } = this.#core;
    if (liveness.age > leaseMs / 3) await this.#beat();
  }

  /**
   * For a node that is about to claim: resolves when the store knows that it lives, and will for a while. To the store of a
   * node that was cut off its own tasks are those of a dead one, and it would run each of them a second time.
   */
  async assure(): Promise<void> {
    const { liveness } = this.#core;
    if (!liveness.isSureOf(liveness.spell)) await this.#beat();
  }

  async start(): Promise<void> {
    await this.#beat();
    this.#arm();
  }

  stop(): void {
    this.#disarm();
  }

  async #beat(): Promise<void> {
    const { store, node, leaseMs, clock } = this.#core;
    if (store.now !== undefined) await this.#time.measure(store.now());
    const since = clock.now();
    await store.heartbeat(node, leaseMs);
    if (this.#core.liveness.renew(since)) this.#onLate();
  }

  #arm(): void {
    const { timers, clock, leaseMs, log } = this.#core;
    this.#disarm = timers.add(clock.now() + leaseMs / 3, () => {
      // Armed before the beat: one that hangs must not be the last.
      this.#arm();
      this.#beat().catch((error: unknown) => log.warn('The store did not take a heartbeat', { error }));
    });
  }
}
