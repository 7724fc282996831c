import { type ClaimRequest, fairnessKeyOf } from '../../store/store.ts';
import { type Deferred, deferred } from '../../support/deferred.ts';
import type { EngineContext } from '../engine-context.ts';
import type { Heartbeat } from './heartbeat.ts';
import type { Runnable } from '../runnable.ts';
import type { Runs } from './runs.ts';

/** The maximum number of tasks per claim, because a claim is one transaction. */
const MAX_CLAIM = 64;

/** The least room of an agent that is claimed for together with others, because one claim has one limit. */
const MIN_SHARED = 8;

/**
 * Claims tasks to run: queued new tasks, woken tasks, and tasks of nodes that died. Runs on hints, when the next timer is
 * due, and at each poll interval.
 */
export class ClaimLoop {
  readonly #engine: EngineContext;
  readonly #runs: Runs;
  readonly #heartbeat: Heartbeat;
  #isClaiming = false;
  #again = false;
  #isStopped = true;
  #idle: Deferred<void> | undefined;
  #disarm: () => void = () => {};

  constructor(engine: EngineContext, runs: Runs, heartbeat: Heartbeat) {
    this.#engine = engine;
    this.#runs = runs;
    this.#heartbeat = heartbeat;
  }

  start(): void {
    this.#isStopped = false;
    this.nudge();
  }

  /** Resolves when no claim is in progress. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#disarm();
    if (this.#isClaiming) await (this.#idle ??= deferred<void>()).promise;
  }

  /** Checks for tasks to run. */
  nudge(): void {
    if (this.#isStopped) return;
    this.#again = true;
    if (this.#isClaiming) return;
    this.#isClaiming = true;
    // One claim covers all slots and timers of one turn of the event loop.
    this.#engine.scheduler.soon(() => void this.#claimAll());
  }

  async #claimAll(): Promise<void> {
    let wakeAt = Number.POSITIVE_INFINITY;
    try {
      while (this.#again && !this.#isStopped) {
        this.#again = false;
        const since = this.#engine.clock.now();
        await this.#claimFor([...this.#engine.agents.values()]);
        wakeAt = await this.#nextWake(since);
      }
    } catch (error) {
      if (!this.#isStopped) this.#engine.log.warn('Could not claim tasks', { error });
    }
    this.#isClaiming = false;
    this.#idle?.resolve();
    if (this.#again) this.nudge();
    else this.#arm(wakeAt);
  }

  /** Agents with room for all their callers are claimed for in one transaction; each of the others needs its own limits. */
  async #claimFor(agents: readonly Runnable[]): Promise<void> {
    const roomOf = (agent: Runnable): number => this.#runs.slots(agent).sharedRoom;
    const roomy = agents.filter((agent) => roomOf(agent) >= MIN_SHARED);
    if (roomy.length > 1) await this.#claim(roomy, () => ({ limit: Math.min(MAX_CLAIM, ...roomy.map(roomOf)) }));
    for (const agent of agents) {
      if (roomy.length > 1 && roomy.includes(agent)) continue;
      const slots = this.#runs.slots(agent);
      if (slots.free > 0) await this.#claim([agent], () => slots.claimable(MAX_CLAIM));
    }
  }

  /** @param limits Called when the lease is valid; nothing is claimed without them. */
  async #claim(
    agents: readonly Runnable[],
    limits: () => Pick<ClaimRequest, 'limit' | 'shares'> | undefined,
  ): Promise<void> {
    const { store, node, liveness } = this.#engine;
    await this.#heartbeat.assure();
    const { leaseEpoch } = liveness;
    const request = limits();
    if (request === undefined || request.limit <= 0) return;
    const ids = agents.map(({ id }) => id);
    const records = await store.claim({ node, agents: ids, ...request, suspects: this.#runs.suspectRoom });
    for (const record of records) {
      const agent = this.#engine.agents.get(record.agent);
      if (agent === undefined) continue;
      const slots = this.#runs.slots(agent);
      const key = fairnessKeyOf(record);
      // A new task may have taken the slot in the meantime.
      if (slots.mayTake(key)) {
        slots.take(key);
        void this.#runs.take(agent, record, leaseEpoch);
      } else {
        this.#runs.releaseClaim(record);
      }
    }
    if (records.length === request.limit) this.#again = true;
    else if (records.length === 0) for (const agent of agents) this.#runs.slots(agent).forgetClaimable();
  }

  /** @param since When the claims started. */
  async #nextWake(since: number): Promise<number> {
    const { store, agents } = this.#engine;
    const hosts = [...agents.values()].filter((agent) => this.#runs.slots(agent).free > 0);
    const isTight = (agent: Runnable): boolean => this.#runs.suspectRoom === 0 || this.#runs.slots(agent).isTight;
    const next = async (some: readonly Runnable[], after?: number): Promise<number> => {
      if (some.length === 0) return Number.POSITIVE_INFINITY;
      const ids = some.map(({ id }) => id);
      return (await store.nextWake(ids, after)) ?? Number.POSITIVE_INFINITY;
    };
    const any = await next(hosts.filter((agent) => !isTight(agent)));
    // Due tasks that are held back by the share of their caller or by another suspect wait until a run ends or is cleared,
    // which triggers the next claim.
    return Math.min(any, await next(hosts.filter(isTight), since));
  }

  #arm(wakeAt: number): void {
    this.#disarm();
    if (this.#isStopped) return;
    const time = Math.min(wakeAt, this.#engine.clock.now() + this.#engine.pollMs);
    this.#disarm = this.#engine.timers.add(time, () => this.nudge());
  }
}
