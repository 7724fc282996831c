import type { ClaimedPush, PushConfigName } from '../../store/store.ts';
import { type Deferred, deferred } from '../../support/deferred.ts';
import type { EngineContext } from '../engine-context.ts';
import type { PushTransport } from './delivery.ts';
import { PushLane } from './push-lane.ts';
import type { PushPolicy } from './push-policy.ts';

/**
 * Schedules push deliveries. It claims due push configurations and gives each a lane. The number of lanes is limited in
 * total, per host and per owner, so that a slow receiver delays neither tasks nor other receivers.
 */
export class Outbox {
  readonly #engine: EngineContext;
  readonly #pushTransport: PushTransport;
  readonly #policy: PushPolicy;
  readonly #lanes = new Map<string, PushLane>();
  #claiming: Deferred<void> | undefined;
  #again = false;
  #isStopped = true;
  #disarm: () => void = () => {};

  constructor(engine: EngineContext, pushTransport: PushTransport, policy: PushPolicy) {
    this.#engine = engine;
    this.#pushTransport = pushTransport;
    this.#policy = policy;
    engine.observers.metrics?.gauge('tandem_pushes', 'Push deliveries in progress on this node', [], () => [
      [[], this.#lanes.size],
    ]);
  }

  start(): void {
    this.#isStopped = false;
    this.nudge();
  }

  /** Claims no further deliveries. Current deliveries continue. */
  pause(): void {
    this.#isStopped = true;
    this.#disarm();
  }

  /** Resolves when all due notifications are delivered or failed. */
  async delivered(): Promise<void> {
    this.nudge();
    while (this.#claiming !== undefined || this.#lanes.size > 0) {
      await this.#claiming?.promise;
      await Promise.all([...this.#lanes.values()].map(({ done }) => done));
    }
  }

  /** Checks for due push configurations. */
  nudge(): void {
    if (this.#isStopped) return;
    this.#again = true;
    if (this.#claiming !== undefined) return;
    this.#claiming = deferred<void>();
    // One claim covers everything that becomes due in one turn of the event loop.
    this.#engine.scheduler.soon(() => void this.#claimAll());
  }

  /**
   * Stops deliveries to a push configuration that was replaced or deleted. When it resolves, no delivery to the old address
   * is in progress.
   */
  async drop(name: PushConfigName): Promise<void> {
    await this.#claiming?.promise;
    const lane = this.#lanes.get(keyOf(name));
    lane?.stop();
    await lane?.done;
  }

  /** Claims no further deliveries. Resolves when the current ones have ended. */
  async finish(): Promise<void> {
    this.pause();
    await this.#claiming?.promise;
    await Promise.all([...this.#lanes.values()].map(({ done }) => done));
  }

  /** Aborts current deliveries. Other nodes repeat them once this node has retired. */
  async stop(): Promise<void> {
    const finished = this.finish();
    for (const lane of this.#lanes.values()) lane.stop();
    await finished;
  }

  async #claimAll(): Promise<void> {
    let dueAt: number | undefined;
    try {
      while (this.#again && !this.#isStopped && this.#room > 0) {
        this.#again = false;
        const { leaseEpoch } = this.#engine.liveness;
        for (const push of await this.#claim()) this.#tell(push, leaseEpoch);
      }
      if (this.#room > 0 && !this.#isStopped) dueAt = await this.#engine.store.nextPush(this.#agents);
    } catch (error) {
      if (!this.#isStopped) this.#engine.log.warn('Could not claim push notifications', { error });
    }
    this.#claiming?.resolve();
    this.#claiming = undefined;
    // Without room, the end of a lane triggers the next claim.
    if (this.#again && this.#room > 0) this.nudge();
    else this.#arm(dueAt);
  }

  #claim(): Promise<readonly ClaimedPush[]> {
    const { store, node } = this.#engine;
    const { perReceiver, perOwner } = this.#policy;
    const held = [...this.#lanes.values()].map(({ push }) => push);
    return store.claimPushes({ node, agents: this.#agents, limit: this.#room, perReceiver, perOwner, held });
  }

  #tell(push: ClaimedPush, leaseEpoch: number): void {
    const key = keyOf(push);
    // Claimed during the stop, or twice. It becomes free when the node has retired, or with the next claim.
    if (this.#isStopped || this.#lanes.has(key)) return;
    const lane = new PushLane(this.#engine, this.#pushTransport, this.#policy, push, leaseEpoch);
    this.#lanes.set(key, lane);
    void this.#goOnAfter(lane, key);
  }

  async #goOnAfter({ done }: PushLane, key: string): Promise<void> {
    await done;
    this.#lanes.delete(key);
    this.nudge();
  }

  get #room(): number {
    return this.#policy.concurrency - this.#lanes.size;
  }

  get #agents(): readonly string[] {
    return [...this.#engine.agents.keys()];
  }

  /** Due configurations that were not claimed wait for the lane of their receiver. */
  #arm(dueAt = Number.POSITIVE_INFINITY): void {
    this.#disarm();
    if (this.#isStopped) return;
    const { clock, timers, pollMs } = this.#engine;
    const now = clock.now();
    this.#disarm = timers.add(Math.min(dueAt > now ? dueAt : Number.POSITIVE_INFINITY, now + pollMs), () =>
      this.nudge(),
    );
  }
}

function keyOf({ taskId, configId }: PushConfigName): string {
  return JSON.stringify([taskId, configId]);
}
