import type { EngineContext } from '../engine-context.ts';
import type { StoreTime } from './store-time.ts';

/** Sends heartbeats to the store, three times per lease period, and measures its time. */
export class Heartbeat {
  readonly #engine: EngineContext;
  readonly #time: StoreTime;
  readonly #onLate: () => void;
  #disarm: () => void = () => {};

  /**
   * @param onLate Called when the node has missed heartbeats for so long that other nodes may have taken over its tasks.
   */
  constructor(engine: EngineContext, time: StoreTime, onLate: () => void) {
    this.#engine = engine;
    this.#time = time;
    this.#onLate = onLate;
  }

  /** Whether the node has missed heartbeats for so long that other nodes may have taken over its tasks. */
  get isLate(): boolean {
    return this.#engine.liveness.hasLapsed;
  }

  /** For a node that may have been frozen. Resolves when the store has a recent heartbeat. */
  async wake(): Promise<void> {
    const { liveness, leaseMs } = this.#engine;
    if (liveness.age > leaseMs / 3) await this.#beat();
  }

  /**
   * Call it before a claim. Resolves when the store has a heartbeat that stays valid for a while. To the store, the tasks
   * of a node that was cut off belong to a dead node, and the node would claim and run its own tasks a second time.
   */
  async assure(): Promise<void> {
    const { liveness } = this.#engine;
    if (!liveness.isSureOf(liveness.leaseEpoch)) await this.#beat();
  }

  async start(): Promise<void> {
    await this.#beat();
    this.#arm();
  }

  stop(): void {
    this.#disarm();
  }

  async #beat(): Promise<void> {
    const { store, node, leaseMs, clock } = this.#engine;
    if (store.now !== undefined) await this.#time.measure(store.now());
    const since = clock.now();
    await store.heartbeat(node, leaseMs);
    if (this.#engine.liveness.renew(since)) this.#onLate();
  }

  #arm(): void {
    const { timers, clock, leaseMs, log } = this.#engine;
    this.#disarm = timers.add(clock.now() + leaseMs / 3, () => {
      // Armed before the heartbeat, so that one that hangs is not the last.
      this.#arm();
      this.#beat().catch((error: unknown) => log.warn('Could not store heartbeat', { error }));
    });
  }
}
