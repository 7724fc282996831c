/** The shortest time between two probes. */
const PROBE_EVERY_MS = 1000;

/** How much a probe writes. A small row may still fit into space that the store has allocated on the full disk. */
export const PROBE_CHARACTERS = 64 * 2 ** 10;

/**
 * Whether a store has room for writes. Reads succeed on a full disk, so a health check that only reads would not notice.
 * It costs nothing until a write fails because the disk is full. Then health checks start probes, at most one per second, until
 * a probe succeeds. So a store without traffic recovers, too.
 */
export class SpaceCheck {
  readonly #probe: () => Promise<void>;
  readonly #now: () => number;
  #isFull = false;
  #probing: Promise<void> | undefined;
  #isProbing = false;
  #probedAt = 0;

  /** @param probe Writes `PROBE_CHARACTERS` and removes them again. */
  constructor(probe: () => Promise<void>, now = () => performance.now()) {
    this.#probe = probe;
    this.#now = now;
  }

  /** Called when a write failed because the disk was full. */
  noteFull(): void {
    this.#isFull = true;
  }

  /** @throws The error of the last probe, as long as the disk is full. */
  async assertRoom(): Promise<void> {
    if (!this.#isFull) return;
    const isDue = this.#now() - this.#probedAt >= PROBE_EVERY_MS;
    if (this.#probing === undefined || (!this.#isProbing && isDue)) this.#probing = this.#run();
    await this.#probing;
  }

  async #run(): Promise<void> {
    this.#probedAt = this.#now();
    this.#isProbing = true;
    try {
      await this.#probe();
      this.#isFull = false;
      this.#probing = undefined;
    } finally {
      this.#isProbing = false;
    }
  }
}
