import { type Deferred, deferred } from '../support/deferred.ts';
import type { Core } from './core.ts';
import type { Heartbeat } from './heartbeat.ts';
import type { Runs } from './runs.ts';
import type { Runnable } from './runnable.ts';

/** Tasks that one claim takes at most: a claim is one transaction. */
const MAX_CLAIM = 64;

/**
 * Finds tasks to run: new ones that had to wait, woken ones, and those of nodes that died. Runs when told that there may
 * be something, when the next timer is due, and now and then in any case.
 */
export class ClaimLoop {
  readonly #core: Core;
  readonly #runs: Runs;
  readonly #heartbeat: Heartbeat;
  #isClaiming = false;
  #again = false;
  #isStopped = true;
  #idle: Deferred<void> | undefined;
  #disarm: () => void = () => {};

  constructor(core: Core, runs: Runs, heartbeat: Heartbeat) {
    this.#core = core;
    this.#runs = runs;
    this.#heartbeat = heartbeat;
  }

  start(): void {
    this.#isStopped = false;
    this.nudge();
  }

  /** Resolves when nothing is being claimed any more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#disarm();
    if (this.#isClaiming) await (this.#idle ??= deferred<void>()).promise;
  }

  /** There may be something to run. */
  nudge(): void {
    if (this.#isStopped) return;
    this.#again = true;
    if (this.#isClaiming) return;
    this.#isClaiming = true;
    // All that comes free or due in one turn of the loop is one claim.
    this.#core.scheduler.soon(() => void this.#claimAll());
  }

  async #claimAll(): Promise<void> {
    let wakeAt: number | undefined;
    try {
      while (this.#again && !this.#isStopped) {
        this.#again = false;
        for (const agent of this.#core.agents.values()) await this.#claim(agent);
        wakeAt = await this.#nextWake();
      }
    } catch (error) {
      if (!this.#isStopped) this.#core.log.warn('Looking for tasks failed', { error });
    }
    this.#isClaiming = false;
    this.#idle?.resolve();
    if (this.#again) this.nudge();
    else this.#arm(wakeAt);
  }

  async #claim(agent: Runnable): Promise<void> {
    const { store, node, liveness } = this.#core;
    if (this.#runs.free(agent) <= 0) return;
    await this.#heartbeat.assure();
    const { spell } = liveness;
    const limit = Math.min(this.#runs.free(agent), MAX_CLAIM);
    if (limit <= 0) return;
    const records = await store.claim({ node, agents: [agent.id], limit });
    for (const record of records) {
      if (this.#runs.free(agent) > 0) {
        this.#runs.reserve(agent);
        void this.#runs.take(agent, record, spell);
      } else {
        this.#runs.decline(record);
      }
    }
    if (records.length === limit) this.#again = true;
    else if (records.length === 0) this.#runs.clearQueue(agent);
  }

  async #nextWake(): Promise<number | undefined> {
    const agents = [...this.#core.agents.values()].filter((agent) => this.#runs.free(agent) > 0);
    return agents.length === 0 ? undefined : this.#core.store.nextWake(agents.map(({ id }) => id));
  }

  #arm(wakeAt = Number.POSITIVE_INFINITY): void {
    this.#disarm();
    if (this.#isStopped) return;
    const time = Math.min(wakeAt, this.#core.clock.now() + this.#core.pollMs);
    this.#disarm = this.#core.timers.add(time, () => this.nudge());
  }
}
