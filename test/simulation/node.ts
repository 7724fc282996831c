import type { Clock } from '../../src/support/time/clock.ts';
import type { Scheduler } from '../../src/support/time/scheduler.ts';
import type { World } from './world.ts';

/**
 * A process in the simulated world: it can die, and it can stand still for a while and know nothing of it. All that
 * calls into it comes through `later`, so a dead one hears nothing more.
 */
export class SimNode {
  readonly name: string;
  readonly world: World;
  readonly #skewMs: number;
  #isAlive = true;
  #frozenUntil = 0;

  /** @param skewMs By how much its clock is fast; never much, or nobody could say when anything was. */
  constructor(name: string, world: World, skewMs: number) {
    this.name = name;
    this.world = world;
    this.#skewMs = skewMs;
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  readonly clock: Clock = {
    now: () => this.world.clock.now() + this.#skewMs,
    callAt: (time, run) => this.later(Math.ceil(time) - this.#skewMs, run),
  };

  readonly scheduler: Scheduler = {
    soon: (run) => void this.later(this.world.time + this.world.random.next() * 0.5, run),
  };

  /** Calls into this node, as soon after a time as it lives and moves. */
  later(time: number, run: () => void): () => void {
    let isCanceled = false;
    const arrive = (): void => {
      if (isCanceled || !this.#isAlive) return;
      if (this.#frozenUntil > this.world.time) this.world.at(this.#frozenUntil, arrive);
      else run();
    };
    this.world.at(time, arrive);
    return () => (isCanceled = true);
  }

  die(why: string): void {
    if (!this.#isAlive) return;
    this.world.note(() => `${this.name} dies: ${why}`);
    this.#isAlive = false;
  }

  freeze(ms: number): void {
    this.world.note(() => `${this.name} stands still for ${ms} ms`);
    this.#frozenUntil = this.world.time + ms;
  }
}
