import { memoryStore } from '../../src/store/memory/store.ts';
import type { Store } from '../../src/store/store.ts';
import { Clients } from './clients.ts';
import { CALM, distantStore, randomWeather, type Weather } from './distant-store.ts';
import { checkStore } from './final-check.ts';
import { Ledger } from './ledger.ts';
import { SimNode } from './node.ts';
import { observedStore } from './observed-store.ts';
import { Random } from './random.ts';
import { Receivers } from './receivers.ts';
import { MAX_ATTEMPTS, type Server, startServer } from './server.ts';
import { MAX_SKEW_MS, Witness } from './witness.ts';
import { type Violation, World } from './world.ts';

/** Something that is wrong on purpose, to see whether it is found. */
export interface Breakage {
  /** Between the engines and what is observed: a defect of the engine. */
  readonly engine?: (store: Store, world: World) => Store;
  /** Behind what is observed: a defect of the store. */
  readonly store?: (store: Store, world: World) => Store;
}

export interface Outcome {
  readonly violation: Violation | undefined;
  readonly trace: readonly string[];
  /** How much of what happened, to see that enough did. */
  readonly counts: Readonly<Record<string, number>>;
}

/** Trouble ends at this age, and then everything must come to its end. */
const STORM_MS = 2000;
const LATEST_MS = 30_000;
const FAULT_POINTS = `after-create before-commit after-commit after-publish after-claim after-load after-release
  after-step after-step-recorded after-question after-expiry after-sleep after-read after-reply after-follow-up
  after-cancel-intent after-cancel-end before-end after-end after-suspend after-wake before-resume before-hand-over`.split(
  /\s+/,
);

const PUSH_FAULT_POINTS: readonly string[] = ['before-deliver', 'after-deliver', 'after-told'];

export interface SimulateOptions {
  readonly breakage?: Breakage;
  readonly isTraced?: boolean;
  /** Some tasks have receivers that are told of them. Worlds without are not changed by it. */
  readonly hasReceivers?: boolean;
  /** Steps publish output. Worlds without are not changed by it. */
  readonly hasStepOutputs?: boolean;
}

/** One world from its beginning to its end. The same seed is the same world. */
export async function simulate(seed: number, options: SimulateOptions = {}): Promise<Outcome> {
  const { breakage = {}, isTraced = false, hasReceivers = false, hasStepOutputs = false } = options;
  const world = new World(new Random(`seed ${seed}`), isTraced);
  const ledger = new Ledger(world);
  const inner = memoryStore({ clock: world.clock });
  const store = observedStore(breakage.store?.(inner, world) ?? inner, ledger, world);
  const receivers = hasReceivers ? new Receivers(world, ledger) : undefined;
  const scene = new Scene({ world, ledger, store, bend: breakage.engine?.bind(breakage), receivers, hasStepOutputs });
  const reject = (reason: unknown): void => world.fail(`nobody handles ${String(reason)}`);
  process.on('unhandledRejection', reject);
  try {
    await scene.play();
    scene.checkOutputs();
    await checkStore(world, ledger, inner);
  } finally {
    process.off('unhandledRejection', reject);
  }
  return { violation: world.violation, trace: world.trace, counts: scene.counts() };
}

interface SceneOptions {
  readonly world: World;
  readonly ledger: Ledger;
  readonly store: Store;
  readonly bend: Breakage['engine'];
  readonly receivers: Receivers | undefined;
  readonly hasStepOutputs: boolean;
}

class Scene {
  readonly #world: World;
  readonly #ledger: Ledger;
  readonly #store: Store;
  readonly #bend: Breakage['engine'];
  readonly #witness: Witness;
  readonly #clients: Clients;
  readonly #receivers: Receivers | undefined;
  readonly #hasStepOutputs: boolean;
  readonly #servers: Server[] = [];
  readonly #maxSuspended: number;
  readonly #replayWindowMs: number;
  #weather: Weather;
  #nodes = 0;
  /** The fault point at which the next node dies, and after how many others. */
  #fault: { readonly name: string; left: number } | undefined;

  constructor({ world, ledger, store, bend, receivers, hasStepOutputs }: SceneOptions) {
    this.#world = world;
    this.#hasStepOutputs = hasStepOutputs;
    this.#ledger = ledger;
    this.#store = store;
    this.#bend = bend;
    this.#witness = new Witness({ world, ledger, maxAttempts: MAX_ATTEMPTS });
    this.#receivers = receivers;
    if (receivers !== undefined) ledger.onPushed = (taskId, config) => receivers.expects(taskId, config);
    this.#clients = new Clients(world, ledger, () => this.#alive(), receivers);
    this.#maxSuspended = world.random.pick([0, 1, 1000]);
    this.#replayWindowMs = world.random.pick([3_600_000, 3_600_000, 100]);
    this.#weather = randomWeather(world.random);
  }

  async play(): Promise<void> {
    const { random } = this.#world;
    for (let i = random.int(1, 3); i > 0; i--) this.#start();
    for (let i = random.int(6, 16); i > 0; i--) this.#sometime(() => this.#clients.act());
    for (let i = random.int(0, 3); i > 0; i--) this.#sometime(() => this.#trouble());
    for (let i = random.int(0, 4); i > 0; i--) this.#sometime(() => (this.#weather = randomWeather(random)));
    this.#ledger.onQuestion = (task) => {
      for (let chance = 0.75; random.chance(chance); chance /= 4)
        this.#world.after(random.delay(100, 1000), () => this.#clients.followUp(this.#ledger.task(task.id) ?? task));
    };
    await this.#world.runUntil(() => false, STORM_MS);
    this.#weather = CALM;
    this.#fault = undefined;
    if (this.#receivers !== undefined) this.#receivers.isStormy = false;
    if (this.#alive().length === 0) this.#start();
    if (!(await this.#world.runUntil(() => this.#isOver(), LATEST_MS)) && this.#world.violation === undefined)
      this.#world.fail(`left in limbo: ${this.#leftOver()}`);
    await this.#closeAll();
  }

  /** Tasks that have ended must show what their last attempt has emitted, and what its recorded steps have. */
  checkOutputs(): void {
    for (const task of this.#ledger.tasks) this.#witness.checkOutputs(task);
  }

  counts(): Readonly<Record<string, number>> {
    const tasks = [...this.#ledger.tasks];
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
      happenings: this.#world.count,
      ...this.#witness.counts,
      ...this.#receivers?.counts,
    };
  }

  #start(): void {
    const node = new SimNode(
      `N${++this.#nodes}`,
      this.#world,
      this.#world.random.pick([0, 0, 0, -MAX_SKEW_MS, MAX_SKEW_MS]),
    );
    const far = distantStore(
      node,
      this.#store,
      () => this.#weather,
      (record) => this.#witness.leased(node, record),
    );
    const store = this.#bend?.(far, this.#world) ?? far;
    const onFaultPoint = (name: string): void => this.#passes(node, name);
    node.later(this.#world.time, () => {
      const [maxSuspended, replayWindowMs] = [this.#maxSuspended, this.#replayWindowMs];
      const pushTransport = this.#receivers?.courierOf(node);
      const [witness, hasStepOutputs] = [this.#witness, this.#hasStepOutputs];
      startServer({
        node,
        store,
        witness,
        maxSuspended,
        replayWindowMs,
        pushTransport,
        hasStepOutputs,
        onFaultPoint,
      }).then(
        (server) => void this.#servers.push(server),
        () => {
          // The store was away; whoever starts it tries again.
          node.die('it could not start');
          this.#world.after(100, () => this.#start());
        },
      );
    });
  }

  #trouble(): void {
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

  /** A shutdown in good order, as at a new release. */
  #retire(server: Server): void {
    this.#world.note(() => `${server.node.name} shuts down`);
    server.isClosing = true;
    void server.engine
      .close({ finishMs: this.#world.random.pick([0, 100]) })
      .then(() => this.#kill(server.node, 'its work is done'));
  }

  #alive(): readonly Server[] {
    return this.#servers.filter(({ node, isClosing }) => node.isAlive && !isClosing);
  }

  #sometime(run: () => void): void {
    this.#world.after(this.#world.random.next() * STORM_MS, run);
  }

  #isOver(): boolean {
    for (const { hasEnded } of this.#ledger.tasks) if (!hasEnded) return false;
    if ((this.#receivers?.waiting.length ?? 0) > 0) return false;
    return this.#clients.pending.length === 0 && this.#clients.readers.open.length === 0;
  }

  #leftOver(): string {
    const tasks = [...this.#ledger.tasks]
      .filter(({ hasEnded }) => !hasEnded)
      .map(({ id, status, node }) => `${id} ${status.state} at ${node}`);
    const calls = this.#clients.pending.map(({ what, server, taskId }) => `${what} ${taskId} at ${server.node.name}`);
    const readers = this.#clients.readers.open.map(
      ({ what, taskId, server }) => `${what} of ${taskId} at ${server.node.name}`,
    );
    return [...tasks, ...calls, ...readers, ...(this.#receivers?.waiting ?? [])].join(', ');
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
