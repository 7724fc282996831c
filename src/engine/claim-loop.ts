import { fairnessKeyOf } from '../store/store.ts';
import { type Deferred, deferred } from '../support/deferred.ts';
import type { Core } from './core.ts';
import type { Heartbeat } from './heartbeat.ts';
import type { Runnable } from './runnable.ts';
import type { Runs } from './runs.ts';

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
    let wakeAt = Number.POSITIVE_INFINITY;
    try {
      while (this.#again && !this.#isStopped) {
        this.#again = false;
        const since = this.#core.clock.now();
        for (const agent of this.#core.agents.values()) await this.#claim(agent);
        wakeAt = await this.#nextWake(since);
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
    const slots = this.#runs.slots(agent);
    if (slots.free <= 0) return;
    await this.#heartbeat.assure();
    const { spell } = liveness;
    const request = slots.claimable(MAX_CLAIM);
    if (request === undefined) return;
    const records = await store.claim({ node, agents: [agent.id], ...request, suspects: this.#runs.suspectRoom });
    for (const record of records) {
      const key = fairnessKeyOf(record);
      // A new task may have started meanwhile.
      if (slots.mayTake(key)) {
        slots.take(key);
        void this.#runs.take(agent, record, spell);
      } else {
        this.#runs.decline(record);
      }
    }
    if (records.length === request.limit) this.#again = true;
    else if (records.length === 0) slots.forgetClaimable();
  }

  /** @param since When the claims began. */
  async #nextWake(since: number): Promise<number> {
    const { store, agents } = this.#core;
    const hosts = [...agents.values()].filter((agent) => this.#runs.slots(agent).free > 0);
    const isTight = (agent: Runnable): boolean => this.#runs.suspectRoom === 0 || this.#runs.slots(agent).isTight;
    const next = async (some: readonly Runnable[], after?: number): Promise<number> => {
      if (some.length === 0) return Number.POSITIVE_INFINITY;
      const ids = some.map(({ id }) => id);
      return (await store.nextWake(ids, after)) ?? Number.POSITIVE_INFINITY;
    };
    const any = await next(hosts.filter((agent) => !isTight(agent)));
    // Due tasks that their caller's share or another suspect has kept from a slot wait until a run ends or is cleared, and
    // that is a reason to look again.
    return Math.min(any, await next(hosts.filter(isTight), since));
  }

  #arm(wakeAt: number): void {
    this.#disarm();
    if (this.#isStopped) return;
    const time = Math.min(wakeAt, this.#core.clock.now() + this.#core.pollMs);
    this.#disarm = this.#core.timers.add(time, () => this.nudge());
  }
}
