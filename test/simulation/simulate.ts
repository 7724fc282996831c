import { memoryStore } from '../../src/store/memory/store.ts';
import type { Store } from '../../src/store/store.ts';
import { Clients } from './clients.ts';
import { RELIABLE, unreliableStore, randomNetwork, type Network } from './unreliable-store.ts';
import { checkStore } from './final-check.ts';
import { ExpectedStore } from './expected-store.ts';
import { SimNode } from './node.ts';
import { observedStore } from './observed-store.ts';
import { Random } from './random.ts';
import { Receivers } from './receivers.ts';
import { MAX_ATTEMPTS, type Server, startServer } from './server.ts';
import { MAX_SKEW_MS, HandlerChecks } from './handler-checks.ts';
import { type Violation, World } from './world.ts';

/** A deliberate defect that the simulation must find. */
export interface Defect {
  /** Wraps the store between the engines and the checks: a defect of the engine. */
  readonly engine?: (store: Store, world: World) => Store;
  /** Wraps the store behind the checks: a defect of the store. */
  readonly store?: (store: Store, world: World) => Store;
}

export interface Outcome {
  readonly violation: Violation | undefined;
  readonly trace: readonly string[];
  /** How often each thing happened, to check that it happened often enough. */
  readonly counts: Readonly<Record<string, number>>;
}

/** Faults end at this age, and then every task must end. */
const FAULTS_MS = 2000;
const LATEST_MS = 30_000;
const FAULT_POINTS = `after-create before-commit after-commit after-publish after-claim after-load after-release
  after-step after-step-recorded after-question after-expiry after-sleep after-read after-reply after-follow-up
  after-cancel-intent after-cancel-end before-end after-end after-suspend after-wake before-resume before-hand-over`.split(
  /\s+/,
);

const PUSH_FAULT_POINTS: readonly string[] = ['before-deliver', 'after-deliver', 'after-told'];

export interface SimulateOptions {
  readonly defect?: Defect;
  readonly isTraced?: boolean;
  /** Some tasks have push configurations. It does not change worlds without them. */
  readonly hasReceivers?: boolean;
  /** Steps publish output. It does not change worlds without it. */
  readonly hasStepOutputs?: boolean;
}

/** Simulates one world from its start to its end. The same seed is the same world. */
export async function simulate(seed: number, options: SimulateOptions = {}): Promise<Outcome> {
  const { defect = {}, isTraced = false, hasReceivers = false, hasStepOutputs = false } = options;
  const world = new World(new Random(`seed ${seed}`), isTraced);
  const expectedStore = new ExpectedStore(world);
  const inner = memoryStore({ clock: world.clock });
  const store = observedStore(defect.store?.(inner, world) ?? inner, expectedStore, world);
  const receivers = hasReceivers ? new Receivers(world, expectedStore) : undefined;
  const simulation = new Simulation({
    world,
    expectedStore,
    store,
    wrapStore: defect.engine?.bind(defect),
    receivers,
    hasStepOutputs,
  });
  const reject = (reason: unknown): void => world.fail(`unhandled rejection: ${String(reason)}`);
  process.on('unhandledRejection', reject);
  try {
    await simulation.play();
    simulation.checkOutputs();
    await checkStore(world, expectedStore, inner);
  } finally {
    process.off('unhandledRejection', reject);
  }
  return { violation: world.violation, trace: world.trace, counts: simulation.counts() };
}

interface SimulationOptions {
  readonly world: World;
  readonly expectedStore: ExpectedStore;
  readonly store: Store;
  readonly wrapStore: Defect['engine'];
  readonly receivers: Receivers | undefined;
  readonly hasStepOutputs: boolean;
}

class Simulation {
  readonly #world: World;
  readonly #expectedStore: ExpectedStore;
  readonly #store: Store;
  readonly #wrapStore: Defect['engine'];
  readonly #checks: HandlerChecks;
  readonly #clients: Clients;
  readonly #receivers: Receivers | undefined;
  readonly #hasStepOutputs: boolean;
  readonly #servers: Server[] = [];
  readonly #maxSuspended: number;
  readonly #replayWindowMs: number;
  #network: Network;
  #nodes = 0;
  /** The fault point at which the next node dies, and how many times it is passed before. */
  #fault: { readonly name: string; left: number } | undefined;

  constructor({ world, expectedStore, store, wrapStore, receivers, hasStepOutputs }: SimulationOptions) {
    this.#world = world;
    this.#hasStepOutputs = hasStepOutputs;
    this.#expectedStore = expectedStore;
    this.#store = store;
    this.#wrapStore = wrapStore;
    this.#checks = new HandlerChecks({ world, expectedStore, maxAttempts: MAX_ATTEMPTS });
    this.#receivers = receivers;
    if (receivers !== undefined) expectedStore.onPushed = (taskId, config) => receivers.expects(taskId, config);
    this.#clients = new Clients(world, expectedStore, () => this.#alive(), receivers);
    this.#maxSuspended = world.random.pick([0, 1, 1000]);
    this.#replayWindowMs = world.random.pick([3_600_000, 3_600_000, 100]);
    this.#network = randomNetwork(world.random);
  }

  async play(): Promise<void> {
    const { random } = this.#world;
    for (let i = random.int(1, 3); i > 0; i--) this.#start();
    for (let i = random.int(6, 16); i > 0; i--) this.#atRandomTime(() => this.#clients.act());
    for (let i = random.int(0, 3); i > 0; i--) this.#atRandomTime(() => this.#injectFault());
    for (let i = random.int(0, 4); i > 0; i--) this.#atRandomTime(() => (this.#network = randomNetwork(random)));
    this.#expectedStore.onQuestion = (task) => {
      for (let chance = 0.75; random.chance(chance); chance /= 4)
        this.#world.after(random.delay(100, 1000), () =>
          this.#clients.followUp(this.#expectedStore.task(task.id) ?? task),
        );
    };
    await this.#world.runUntil(() => false, FAULTS_MS);
    this.#network = RELIABLE;
    this.#fault = undefined;
    if (this.#receivers !== undefined) this.#receivers.hasFaults = false;
    if (this.#alive().length === 0) this.#start();
    if (!(await this.#world.runUntil(() => this.#isOver(), LATEST_MS)) && this.#world.violation === undefined)
      this.#world.fail(`left unfinished: ${this.#unfinished()}`);
    await this.#closeAll();
  }

  /** Tasks that have ended must show the outputs of their last attempt and of its recorded steps. */
  checkOutputs(): void {
    for (const task of this.#expectedStore.tasks) this.#checks.checkOutputs(task);
  }

  counts(): Readonly<Record<string, number>> {
    const tasks = [...this.#expectedStore.tasks];
    const count = (is: (task: (typeof tasks)[number]) => boolean): number => tasks.filter(is).length;
    return {
      tasks: tasks.length,
      events: tasks.reduce((sum, { log }) => sum + log.length, 0),
      completed: count(({ status }) => status.state === 'TASK_STATE_COMPLETED'),
      failed: count(({ status }) => status.state === 'TASK_STATE_FAILED'),
      canceled: count(({ status }) => status.state === 'TASK_STATE_CANCELED'),
      rejected: count(({ status }) => status.state === 'TASK_STATE_REJECTED'),
      'run more than once': count(({ fence }) => fence > 1),
      questions: tasks.reduce(
        (sum, { journal }) => sum + journal.filter(({ kind }) => kind === 'answer' || kind === 'turn').length,
        0,
      ),
      acknowledged: this.#clients.acknowledged.size,
      nodes: this.#nodes,
      calls: this.#world.count,
      ...this.#checks.counts,
      ...this.#receivers?.counts,
    };
  }

  #start(): void {
    const node = new SimNode(
      `N${++this.#nodes}`,
      this.#world,
      this.#world.random.pick([0, 0, 0, -MAX_SKEW_MS, MAX_SKEW_MS]),
    );
    const far = unreliableStore(
      node,
      this.#store,
      () => this.#network,
      (record) => this.#checks.leased(node, record),
    );
    const store = this.#wrapStore?.(far, this.#world) ?? far;
    const onFaultPoint = (name: string): void => this.#passes(node, name);
    node.later(this.#world.time, () => {
      const [maxSuspended, replayWindowMs] = [this.#maxSuspended, this.#replayWindowMs];
      const pushTransport = this.#receivers?.transportFor(node);
      const [checks, hasStepOutputs] = [this.#checks, this.#hasStepOutputs];
      startServer({
        node,
        store,
        checks,
        maxSuspended,
        replayWindowMs,
        pushTransport,
        hasStepOutputs,
        onFaultPoint,
      }).then(
        (server) => void this.#servers.push(server),
        () => {
          // The store was unreachable: try again with another node.
          node.die('it could not start');
          this.#world.after(100, () => this.#start());
        },
      );
    });
  }

  #injectFault(): void {
    const { random } = this.#world;
    const servers = this.#alive();
    if (servers.length === 0) return;
    const server = random.pick(servers);
    const luck = random.int(1, 10);
    if (luck <= 3) this.#kill(server.node, 'at random');
    else if (luck <= 6) this.#fault = { name: random.pick(this.#faultPoints), left: random.int(0, 4) };
    else if (luck <= 9) server.node.freeze(random.int(20, 900));
    else this.#retire(server);
  }

  get #faultPoints(): readonly string[] {
    return this.#receivers === undefined ? FAULT_POINTS : [...PUSH_FAULT_POINTS, ...FAULT_POINTS];
  }

  #passes(node: SimNode, name: string): void {
    this.#world.note(() => `${node.name} passes ${name}`);
    if (this.#fault?.name !== name || !node.isAlive) return;
    if (this.#fault.left-- > 0) return;
    this.#fault = undefined;
    this.#kill(node, name);
  }

  #kill(node: SimNode, why: string): void {
    node.die(why);
    this.#world.after(this.#world.random.int(1, 500), () => this.#start());
  }

  /** An orderly shutdown, as at a new release. */
  #retire(server: Server): void {
    this.#world.note(() => `${server.node.name} shuts down`);
    server.isClosing = true;
    void server.engine
      .close({ finishMs: this.#world.random.pick([0, 100]) })
      .then(() => this.#kill(server.node, 'it was shut down'));
  }

  #alive(): readonly Server[] {
    return this.#servers.filter(({ node, isClosing }) => node.isAlive && !isClosing);
  }

  #atRandomTime(run: () => void): void {
    this.#world.after(this.#world.random.next() * FAULTS_MS, run);
  }

  #isOver(): boolean {
    for (const { hasEnded } of this.#expectedStore.tasks) if (!hasEnded) return false;
    if ((this.#receivers?.waiting.length ?? 0) > 0) return false;
    return this.#clients.pending.length === 0 && this.#clients.subscribers.open.length === 0;
  }

  #unfinished(): string {
    const tasks = [...this.#expectedStore.tasks]
      .filter(({ hasEnded }) => !hasEnded)
      .map(({ id, status, node }) => `${id} ${status.state} at ${node}`);
    const calls = this.#clients.pending.map(({ what, server, taskId }) => `${what} ${taskId} at ${server.node.name}`);
    const subscribers = this.#clients.subscribers.open.map(
      ({ what, taskId, server }) => `${what} of ${taskId} at ${server.node.name}`,
    );
    return [...tasks, ...calls, ...subscribers, ...(this.#receivers?.waiting ?? [])].join(', ');
  }

  async #closeAll(): Promise<void> {
    const open = this.#servers.filter(({ node }) => node.isAlive);
    let closed = 0;
    for (const server of open) {
      server.isClosing = true;
      void server.engine.close().then(() => (closed += 1));
    }
    const areClosed = await this.#world.runUntil(() => closed === open.length, this.#world.age + LATEST_MS);
    if (!areClosed) this.#world.fail('an engine does not close');
    for (const { node } of open) node.die('the end');
  }
}
