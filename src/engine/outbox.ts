import type { ClaimedPush, PushConfigName } from '../store/store.ts';
import { type Deferred, deferred } from '../support/deferred.ts';
import type { Core } from './core.ts';
import type { Courier } from './delivery.ts';
import { PushLane } from './push-lane.ts';
import type { PushPolicy } from './push-policy.ts';

/**
 * Decides when receivers are told of tasks. It claims push configurations that are due and gives each a lane, a bounded
 * number of them in all, to one host and of one owner, so that a slow receiver keeps neither tasks nor other receivers waiting.
 */
export class Outbox {
  readonly #core: Core;
  readonly #courier: Courier;
  readonly #policy: PushPolicy;
  readonly #lanes = new Map<string, PushLane>();
  #claiming: Deferred<void> | undefined;
  #again = false;
  #isStopped = true;
  #disarm: () => void = () => {};

  constructor(core: Core, courier: Courier, policy: PushPolicy) {
    this.#core = core;
    this.#courier = courier;
    this.#policy = policy;
    core.observers.metrics?.gauge('tandem_pushes', 'Receivers that this node is telling of tasks', [], () => [
      [[], this.#lanes.size],
    ]);
  }

  start(): void {
    this.#isStopped = false;
    this.nudge();
  }

  /** Begins nothing more by itself; what is under way goes on. */
  pause(): void {
    this.#isStopped = true;
    this.#disarm();
  }

  /** Resolves when all is told that is due. */
  async told(): Promise<void> {
    this.nudge();
    while (this.#claiming !== undefined || this.#lanes.size > 0) {
      await this.#claiming?.promise;
      await Promise.all([...this.#lanes.values()].map(({ done }) => done));
    }
  }

  /** There may be something to tell. */
  nudge(): void {
    if (this.#isStopped) return;
    this.#again = true;
    if (this.#claiming !== undefined) return;
    this.#claiming = deferred<void>();
    // All that comes due in one turn of the loop is one claim.
    this.#core.scheduler.soon(() => void this.#claimAll());
  }

  /** A push configuration was replaced or deleted: when this resolves, nothing is under way to the address it had. */
  async drop(name: PushConfigName): Promise<void> {
    await this.#claiming?.promise;
    const lane = this.#lanes.get(keyOf(name));
    lane?.stop();
    await lane?.done;
  }

  /** Begins nothing more. Resolves when what is under way has come to its end. */
  async finish(): Promise<void> {
    this.pause();
    await this.#claiming?.promise;
    await Promise.all([...this.#lanes.values()].map(({ done }) => done));
  }

  /** Lets go of what is under way: others tell it again once this node has retired. */
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
        const { spell } = this.#core.liveness;
        for (const push of await this.#claim()) this.#tell(push, spell);
      }
      if (this.#room > 0 && !this.#isStopped) dueAt = await this.#core.store.nextPush(this.#agents);
    } catch (error) {
      if (!this.#isStopped) this.#core.log.warn('Looking for notifications to send failed', { error });
    }
    this.#claiming?.resolve();
    this.#claiming = undefined;
    // Without room the end of a lane is what comes next.
    if (this.#again && this.#room > 0) this.nudge();
    else this.#arm(dueAt);
  }

  #claim(): Promise<readonly ClaimedPush[]> {
    const { store, node } = this.#core;
    const { perReceiver, perOwner } = this.#policy;
    const held = [...this.#lanes.values()].map(({ push }) => push);
    return store.claimPushes({ node, agents: this.#agents, limit: this.#room, perReceiver, perOwner, held });
  }

  #tell(push: ClaimedPush, spell: number): void {
    const key = keyOf(push);
    // Claimed while we were stopped, or twice: it is free again when its node has retired, or with the next claim.
    if (this.#isStopped || this.#lanes.has(key)) return;
    const lane = new PushLane(this.#core, this.#courier, this.#policy, push, spell);
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
    return [...this.#core.agents.keys()];
  }

  /** What is due now and was not claimed waits for the lane of its receiver. */
  #arm(dueAt = Number.POSITIVE_INFINITY): void {
    this.#disarm();
    if (this.#isStopped) return;
    const { clock, timers, pollMs } = this.#core;
    const now = clock.now();
    this.#disarm = timers.add(Math.min(dueAt > now ? dueAt : Number.POSITIVE_INFINITY, now + pollMs), () =>
      this.nudge(),
    );
  }
}

function keyOf({ taskId, configId }: PushConfigName): string {
  return JSON.stringify([taskId, configId]);
}
