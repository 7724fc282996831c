import type { Clock } from '../../src/support/time/clock.ts';
import type { Scheduler } from '../../src/support/time/scheduler.ts';
import type { World } from './world.ts';

/**
 * A process in the simulated world. It can die, and it can freeze for a while without noticing it. All calls into it
 * come through `later`, so a dead process receives nothing more.
 */
export class SimNode {
  readonly name: string;
  readonly world: World;
  readonly #skewMs: number;
  #isAlive = true;
  #frozenUntil = 0;

  /** @param skewMs How many milliseconds its clock is ahead, at most a few. */
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

  /** Calls into this node at a time, or when it is no longer frozen. */
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
    this.world.note(() => `${this.name} is frozen for ${ms} ms`);
    this.#frozenUntil = this.world.time + ms;
  }
}
