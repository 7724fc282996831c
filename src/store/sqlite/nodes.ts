import type { Clock } from '../../support/clock.ts';

/**
 * Which nodes live. Kept in memory on purpose: only this process has the file, so no node outlives it, and every lease
 * is free as soon as the file is opened again. It also saves an fsync per heartbeat.
 */
export class Nodes {
  readonly #clock: Clock;
  /** Every node that may stand in a row, with the time until which it lives. */
  readonly #livesUntil = new Map<string, number>();

  /** `known` are the nodes that earlier processes left in the rows. */
  constructor(clock: Clock, known: readonly string[]) {
    this.#clock = clock;
    for (const node of known) this.#livesUntil.set(node, 0);
  }

  /** A node is about to be written into a row. */
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
