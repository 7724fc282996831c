import type { Clock } from '../../support/time/clock.ts';

/**
 * Tracks which nodes are alive. Kept in memory on purpose: only this process has the file open, so no node outlives it, and every
 * lease is free when the file is opened again. It also saves an fsync per heartbeat.
 */
export class Nodes {
  readonly #clock: Clock;
  /** Every node that may be in a row, with the time when its heartbeat expires. */
  readonly #livesUntil = new Map<string, number>();

  /** @param known The nodes that earlier processes left in the rows. */
  constructor(clock: Clock, known: readonly string[]) {
    this.#clock = clock;
    for (const node of known) this.#livesUntil.set(node, 0);
  }

  /** Registers a node before it is written into a row. */
  meet(node: string): void {
    if (!this.#livesUntil.has(node)) this.#livesUntil.set(node, 0);
  }

  heartbeat(node: string, ttlMs: number): void {
    this.#livesUntil.set(node, this.#clock.now() + ttlMs);
  }

  retire(node: string): void {
    this.#livesUntil.set(node, 0);
  }

  isAlive(node: string | undefined): boolean {
    return node !== undefined && (this.#livesUntil.get(node) ?? 0) > this.#clock.now();
  }

  dead(): readonly string[] {
    return [...this.#livesUntil.keys()].filter((node) => !this.isAlive(node));
  }
}
