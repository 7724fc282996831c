import type { PushTransport, Delivery, DeliveryResult } from '../../src/engine/outbox/delivery.ts';
import type { NewPushConfig } from '../../src/engine/outbox/push-configs.ts';
import type { ExpectedStore } from './expected-store.ts';
import type { SimNode } from './node.ts';
import { Random } from './random.ts';
import type { World } from './world.ts';

const HOSTS = ['a.example', 'b.example'];

/** Receivers of push notifications. They are slow and unreliable in the phase of faults, and compare each delivery with the stored events. */
export class Receivers {
  readonly #world: World;
  readonly #expectedStore: ExpectedStore;
  /** The number of the last event of each receiver, by task and push configuration. */
  readonly #last = new Map<string, number>();
  readonly #ids = new Map<string, string>();
  hasFaults = true;
  #arrived = 0;
  #repeated = 0;

  constructor(world: World, expectedStore: ExpectedStore) {
    this.#world = world;
    this.#expectedStore = expectedStore;
  }

  get counts(): Readonly<Record<string, number>> {
    return { arrived: this.#arrived, 'arrived again': this.#repeated };
  }

  /** The push configuration of a new task, if it has one. */
  pushConfig(messageId: string): NewPushConfig | undefined {
    const random = new Random(`push ${messageId} ${this.#world.random.next()}`);
    if (random.chance(0.3)) return undefined;
    const id = random.pick(['hook', 'other']);
    return { config: { id, url: `https://${random.pick(HOSTS)}/${id}` }, dialect: '1.0' };
  }

  /** A task with a push configuration was stored. */
  expects(taskId: string, { id }: { readonly id: string }): void {
    this.#last.set(keyOf(taskId, id), 0);
  }

  transportFor(node: SimNode): PushTransport {
    return { wants: () => true, deliver: (delivery) => this.#deliver(node, delivery) };
  }

  /** The receivers that have not got all events yet. */
  get waiting(): readonly string[] {
    return [...this.#last].flatMap(([key, last]) => {
      const { taskId, configId } = nameOf(key);
      const task = this.#expectedStore.task(taskId);
      return task === undefined || task.log.length === last ? [] : [`${configId} of ${taskId} after ${last}`];
    });
  }

  #deliver(node: SimNode, delivery: Delivery): Promise<DeliveryResult> {
    const { random } = this.#world;
    const isSlow = this.hasFaults && random.chance(0.1);
    const thereMs = random.delay(2, isSlow ? 900 : 40);
    const arrives = !this.hasFaults || random.chance(0.85);
    const isAnswered = !this.hasFaults || random.chance(0.9);
    return new Promise((resolve) => {
      // A delivery under way arrives even if its node dies.
      this.#world.after(thereMs, () => {
        if (arrives) this.#arrive(node, delivery);
        const result: DeliveryResult =
          arrives && isAnswered ? { kind: 'delivered' } : { kind: 'failed', reason: 'The connection failed' };
        node.later(this.#world.time + random.delay(2, 40), () => resolve(result));
      });
    });
  }

  #arrive({ name }: SimNode, { id, task, config, event }: Delivery): void {
    const key = keyOf(task.id, config.id);
    const last = this.#last.get(key) ?? 0;
    const { number } = event;
    const what = `${config.id} of ${task.id}`;
    this.#world.note(() => `${name} DELIVERS to ${what} event ${number} (${id})`);
    this.#arrived += 1;
    if (number > last + 1) this.#world.fail(`${what} gets event ${number} after ${last}`);
    if (number <= last) this.#repeated += 1;
    else this.#last.set(key, number);
    const stored = this.#expectedStore.task(task.id)?.log[number - 1];
    if (stored === undefined) this.#world.fail(`${what} gets event ${number} before it is stored`);
    else if (stored.body !== event.body) this.#world.fail(`${what} gets another event ${number}`);
    const known = this.#ids.get(id) ?? `${key} ${number}`;
    this.#ids.set(id, known);
    if (known !== `${key} ${number}`) this.#world.fail(`${what}: two events have the id ${id}`);
  }
}

function keyOf(taskId: string, configId: string): string {
  return JSON.stringify([taskId, configId]);
}

function nameOf(key: string): { readonly taskId: string; readonly configId: string } {
  const [taskId = '', configId = ''] = JSON.parse(key) as string[];
  return { taskId, configId };
}
