import type { CallRecord, ClaimedCall, NewCall, TaskRecord } from '../../store/store.ts';
import { type Deferred, deferred } from '../../support/deferred.ts';
import { isSameText } from '../../support/secret/same-secret.ts';
import type { EngineContext } from '../engine-context.ts';
import { type CallProgress, isRelayed, requestOf } from './call-request.ts';
import { type CallParts, CallWork } from './call-work.ts';
import { startSibling } from './sibling.ts';

/** How many calls one node works on at a time, in total and for one owner. */
const CONCURRENCY = 256;
const PER_OWNER = 64;
/** How many of these may follow a child as a stream. The others are for work that is soon over. */
const MAX_STREAMS = 192;
const STREAMS_PER_OWNER = 48;

/** Claims calls that are due and works on them. A call that waits for its child holds nothing here, unless its child is followed. */
export class CallOutbox {
  readonly #engine: EngineContext;
  readonly #parts: CallParts;
  readonly #works = new Map<string, CallWork>();
  #claiming: Deferred<void> | undefined;
  #again = false;
  #isStopped = true;
  /** Work without a lease. */
  readonly #direct = new Set<Promise<void>>();
  readonly #unleased = new Set<CallWork>();
  #disarm: () => void = () => {};
  /** When the store is asked for due calls. */
  #armedFor = Number.POSITIVE_INFINITY;

  constructor(engine: EngineContext, parts: Pick<CallParts, 'runs' | 'peers' | 'onWritten' | 'onStarted'>) {
    this.#engine = engine;
    this.#parts = { engine, ...parts, mayFollow: (work) => this.#mayFollow(work) };
    engine.observers.metrics?.gauge('tandem_calls', 'Calls to other agents in progress on this node', [], () => [
      [[], this.#works.size],
    ]);
  }

  start(): void {
    this.#isStopped = false;
    this.nudge();
  }

  /** Claims no further calls. Current work continues. */
  pause(): void {
    this.#isStopped = true;
    this.#disarm();
  }

  /** Stops following children. Other nodes look at them soon. */
  leave(): void {
    for (const work of this.#works.values()) work.leave();
  }

  /** Resolves when there is nothing to do for now. */
  async worked(): Promise<void> {
    this.nudge();
    while (this.#claiming !== undefined || this.#works.size > 0 || this.#direct.size > 0) {
      await this.#claiming?.promise;
      await Promise.all([...this.#direct, ...[...this.#works.values()].map(({ done }) => done)]);
    }
  }

  /** Checks for due calls. */
  nudge(): void {
    if (this.#isStopped) return;
    this.#again = true;
    if (this.#claiming !== undefined) return;
    this.#claiming = deferred<void>();
    // One claim covers everything that becomes due in one turn of the event loop.
    this.#engine.scheduler.soon(() => void this.#claimAll());
  }

  /**
   * A write of this node has made calls due. Agents of the same host need no lease: their task has an id that was chosen with the call, and
   * only one outcome is stored. So this node starts the child at once, and delivers its result at once. If it dies, the call is due.
   */
  due(record: TaskRecord, added: readonly NewCall[] = []): void {
    if (record.openCalls !== undefined) this.changed(record.id);
    if (this.#isStopped) return;
    const { callId, endedAt, question } = record;
    const isOwn = record.openCalls !== undefined && (added.length === 0 || record.canceling);
    if (isOwn || (callId !== undefined && endedAt === undefined && question !== undefined)) this.nudge();
    const { id: taskId, tenant, owner, agent } = record;
    for (const call of added) {
      const row: CallRecord = { ...call, taskId, tenant, owner, agent, progress: {}, createdAt: call.dueAt };
      if (requestOf(row).childId === undefined) this.nudge();
      else this.#directly(() => startSibling(this.#parts, row, record));
    }
    if (callId !== undefined && endedAt !== undefined) this.#directly(() => this.#deliver(callId));
  }

  /** Does work without a lease, as long as there is room. Work that it leaves undone is due. */
  #directly(work: () => Promise<boolean>): void {
    if (this.#direct.size >= CONCURRENCY) {
      this.nudge();
      return;
    }
    const done = this.#unlessItFails(work).finally(() => this.#direct.delete(done));
    this.#direct.add(done);
  }

  async #unlessItFails(work: () => Promise<boolean>): Promise<void> {
    try {
      if (await work()) return;
    } catch (error) {
      if (!this.#isStopped) this.#engine.log.warn('Could not work on a call at once', { error });
    }
    this.nudge();
  }

  /** Delivers the result of a child that has just ended. */
  async #deliver(callId: string): Promise<boolean> {
    const [call] = await this.#engine.store.listCalls({ id: callId, limit: 1 });
    if (call === undefined || this.#isStopped) return true;
    if (isRelayed(requestOf(call)) || this.#works.has(callId) || call.failed !== undefined) return false;
    const work = new CallWork(this.#parts, { ...call, fence: 0 }, undefined);
    this.#unleased.add(work);
    await work.done;
    this.#unleased.delete(work);
    return work.hasConcluded;
  }

  /** The peer of a call has notified this host: makes the call due, for the node that claims it first. See `Engine.callHint`. */
  async hint(callId: string, tokenDigest: string): Promise<string | undefined> {
    const { store, clock, node, onCallsDue } = this.#engine;
    const [call] = await store.listCalls({ id: callId, hasFailed: false, limit: 1 });
    const { hint } = (call?.progress ?? {}) as CallProgress;
    if (call === undefined || hint === undefined || !isSameText(hint, tokenDigest)) return undefined;
    const { taskId, dueAt = Number.POSITIVE_INFINITY } = call;
    if (dueAt > clock.now()) {
      const result = await store.append({ taskId, by: node, guard: { call: callId }, callDue: callId });
      // Otherwise the call or its task has just ended.
      if (result.kind === 'appended') onCallsDue(result.record);
    }
    return taskId;
  }

  /** A task may have changed, and calls of it may be in progress here. */
  changed(taskId: string): void {
    for (const work of this.#works.values()) if (work.call.taskId === taskId) work.nudge();
  }

  /** Aborts current work. Other nodes continue once this node has retired. */
  async stop(): Promise<void> {
    this.pause();
    await this.#claiming?.promise;
    for (const work of [...this.#works.values(), ...this.#unleased]) work.stop();
    await Promise.all([...this.#works.values(), ...this.#unleased].map(({ done }) => done));
  }

  async #claimAll(): Promise<void> {
    let dueAt: number | undefined;
    try {
      // Twice, because a call may become due after the first claim.
      for (let round = 0; round < 2 && this.#again && this.#room > 0 && !this.#isStopped; round++) {
        dueAt = await this.#claimDue();
        const isLeft = dueAt !== undefined && dueAt <= this.#engine.clock.now() && this.#works.size < PER_OWNER;
        if (isLeft && round === 0) this.#again = true;
      }
    } catch (error) {
      if (!this.#isStopped) this.#engine.log.warn('Could not claim calls to other agents', { error });
    }
    this.#claiming?.resolve();
    this.#claiming = undefined;
    // Without room, the end of other work triggers the next claim.
    if (this.#again && this.#room > 0) this.nudge();
    else this.#arm(dueAt);
  }

  /** Returns when the next call is due. */
  async #claimDue(): Promise<number | undefined> {
    while (this.#again && !this.#isStopped && this.#room > 0) {
      this.#again = false;
      const { leaseEpoch } = this.#engine.liveness;
      for (const call of await this.#claim()) this.#begin(call, leaseEpoch);
    }
    return this.#room > 0 && !this.#isStopped ? this.#engine.store.nextCall(this.#agents) : undefined;
  }

  /** Claims only if something is due, because usually nothing is. */
  async #look(): Promise<void> {
    const { store, clock, log } = this.#engine;
    try {
      const dueAt = await store.nextCall(this.#agents);
      if (dueAt !== undefined && dueAt <= clock.now()) this.nudge();
      else if (this.#claiming === undefined) this.#arm(dueAt);
    } catch (error) {
      if (this.#isStopped) return;
      log.warn('Could not check for calls to other agents', { error });
      this.#arm();
    }
  }

  #claim(): Promise<readonly ClaimedCall[]> {
    const { store, node } = this.#engine;
    const held = [...this.#works.values()].map(({ call }) => call);
    return store.claimCalls({ node, agents: this.#agents, limit: this.#room, perOwner: PER_OWNER, held });
  }

  #begin(call: ClaimedCall, leaseEpoch: number): void {
    this.#engine.faultPoint('after-call-claim');
    // Claimed during the stop, or twice. It becomes free when the node has retired, or with the next claim.
    if (this.#isStopped || this.#works.has(call.id)) return;
    const work = new CallWork(this.#parts, call, leaseEpoch);
    this.#works.set(call.id, work);
    void this.#continueAfter(work);
  }

  async #continueAfter({ call, done }: CallWork): Promise<void> {
    const dueAt = await done;
    const wasFull = this.#works.size >= PER_OWNER;
    this.#works.delete(call.id);
    if (wasFull || dueAt <= this.#engine.clock.now()) this.nudge();
    else if (dueAt < this.#armedFor && this.#claiming === undefined) this.#arm(dueAt);
  }

  #mayFollow({ call }: CallWork): boolean {
    let all = 0;
    let ofOwner = 0;
    for (const { isFollowing, call: other } of this.#works.values()) {
      if (!isFollowing) continue;
      all++;
      if (other.owner === call.owner && other.tenant === call.tenant) ofOwner++;
    }
    return all < MAX_STREAMS && ofOwner < STREAMS_PER_OWNER;
  }

  get #room(): number {
    return CONCURRENCY - this.#works.size;
  }

  get #agents(): readonly string[] {
    return [...this.#engine.agents.keys()];
  }

  /** Due calls that were not claimed wait for the work of their owner to end. */
  #arm(dueAt = Number.POSITIVE_INFINITY): void {
    this.#disarm();
    if (this.#isStopped) return;
    const { clock, timers, pollMs } = this.#engine;
    const now = clock.now();
    this.#armedFor = Math.min(dueAt > now ? dueAt : Number.POSITIVE_INFINITY, now + pollMs);
    this.#disarm = timers.add(this.#armedFor, () => void this.#look());
  }
}
