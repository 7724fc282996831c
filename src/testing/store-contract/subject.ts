import { deepEqual, fail } from 'node:assert/strict';

import type {
  Appended,
  ClaimRequest,
  ClaimedPush,
  Guard,
  JournalRecord,
  NewTask,
  PushClaimRequest,
  PushConfigRecord,
  PushNoted,
  PushReport,
  Scope,
  Store,
  StoredTask,
  TaskEvent,
  TaskRecord,
} from '../../store/store.ts';
import { type FakeClock, fakeClock } from '../fake-clock.ts';
import { ALICE, type Change, event, newTask, pluck, provisionalTask, TTL } from './samples.ts';

/** Tests of a store by title. */
export type Behaviours = Readonly<Record<string, (t: Subject) => Promise<void>>>;

/** All stored data of a task. */
export interface Everything {
  readonly task: StoredTask | undefined;
  readonly events: readonly TaskEvent[];
  readonly journal: readonly JournalRecord[];
}

/** The subject of a test: a store of its own, its clock, and the calls that most tests need. Without a scope they are those of Alice. */
export class Subject {
  readonly clock: FakeClock;
  readonly #openAgain: ((closed: Store) => Store | Promise<Store>) | undefined;
  #store: Store;

  constructor(store: Store, clock: FakeClock = fakeClock(), openAgain?: (closed: Store) => Store | Promise<Store>) {
    this.#store = store;
    this.clock = clock;
    this.#openAgain = openAgain;
  }

  get store(): Store {
    return this.#store;
  }

  /** Closes the store and opens its data again. */
  async reopen(): Promise<void> {
    if (this.#openAgain === undefined) throw new Error('storeContract() needs the option reopen for this test');
    await this.#store.close();
    this.#store = await this.#openAgain(this.#store);
  }

  /** Creates this task, or a visible one with this id that is due. Fails if the store does not create it. */
  async create(task: NewTask | string, changes?: Partial<NewTask>): Promise<TaskRecord> {
    const created = await this.store.create(typeof task === 'string' ? newTask(task, changes) : task);
    return created.kind === 'created' ? created.record : fail(`Not created: ${JSON.stringify(created)}`);
  }

  createProvisional(id: string, changes?: Partial<NewTask>): Promise<TaskRecord> {
    return this.create(provisionalTask(id, changes));
  }

  /** Writes to a task. Fails if the store rejects it. */
  async append(
    taskId: string,
    change: Change,
    guard: Guard = {},
  ): Promise<Extract<Appended, { readonly kind: 'appended' }>> {
    const done = await this.store.append({ taskId, guard, ...change });
    return done.kind === 'appended' ? done : fail(`Not appended: ${JSON.stringify(done)}`);
  }

  /** The tasks that a living node claims. */
  async claim(node: string, request: Partial<ClaimRequest> = {}): Promise<readonly TaskRecord[]> {
    await this.store.heartbeat(node, TTL);
    return this.store.claim({ node, agents: ['translator'], limit: 1000, ...request });
  }

  async claimIds(node: string, request?: Partial<ClaimRequest>): Promise<readonly string[]> {
    return pluck(await this.claim(node, request), 'id');
  }

  /** Claims the task for a living node. */
  async lease(node: string, id: string): Promise<TaskRecord> {
    const claimed = await this.claim(node);
    return claimed.find((one) => one.id === id) ?? fail(`${node} did not get ${id}`);
  }

  /** The push configurations that a living node claims. */
  async claimPushes(request: Partial<PushClaimRequest> = {}): Promise<readonly ClaimedPush[]> {
    const { node = 'node-a' } = request;
    await this.store.heartbeat(node, TTL);
    const shares = { limit: 100, perReceiver: 100, perOwner: 100 };
    return this.store.claimPushes({ node, agents: ['translator'], held: [], ...shares, ...request });
  }

  /** Reports for the node that holds the claim. Only the given members change. */
  report(push: ClaimedPush, change: Partial<PushReport>): Promise<PushNoted | undefined> {
    const { taskId, configId, told, attempts, givenUp, fence } = push;
    return this.store.notePush({ taskId, configId, node: 'node-a', fence, told, attempts, givenUp, ...change });
  }

  async recordOf(id: string, scope: Scope = ALICE): Promise<TaskRecord> {
    return (await this.store.read(scope, id))?.record ?? fail(`There is no task ${id}`);
  }

  async everythingOf(id: string, scope: Scope = ALICE): Promise<Everything> {
    return {
      task: await this.store.read(scope, id, { artifacts: true }),
      events: await this.store.events(id, 0, 10_000),
      journal: await this.store.journal(id),
    };
  }

  /** Checks that the store has no data of a task. */
  async assertUnknown(id: string, scope: Scope = ALICE): Promise<void> {
    deepEqual(await this.everythingOf(id, scope), { task: undefined, events: [], journal: [] });
    deepEqual(await this.store.append({ taskId: id, guard: {}, events: [event('late')] }), { kind: 'rejected' });
  }

  /** The ids in a list, and its total. */
  async listed(
    query: Partial<Parameters<Store['list']>[1]> = {},
    scope: Scope = ALICE,
  ): Promise<{ readonly ids: readonly string[]; readonly total: number }> {
    const { tasks, total } = await this.store.list(scope, { limit: 1000, history: 0, ...query });
    return { ids: tasks.map(({ record }) => record.id), total };
  }

  /** Stores a push configuration with a high limit. */
  putPush(taskId: string, record: PushConfigRecord, max = 1000): ReturnType<Store['putPushConfig']> {
    return this.store.putPushConfig(ALICE, taskId, record, max);
  }

  /** The ids of the push configurations of a task. */
  async pushIds(taskId: string, query: { readonly after?: string } = {}): Promise<readonly string[] | undefined> {
    return (await this.store.pushConfigs(ALICE, taskId, { limit: 1000, ...query }))?.map(({ id }) => id);
  }
}
