import { A2AError } from '../../src/errors.ts';
import type { StreamItem } from '../../src/engine/stream/subscribe.ts';
import type { TaskEvent } from '../../src/store/store.ts';
import type { ExpectedStore } from './expected-store.ts';
import type { Server } from './server.ts';
import type { Views } from './views.ts';
import type { World } from './world.ts';

/** The progress of a subscription. */
export interface Subscription {
  readonly what: string;
  readonly server: Server;
  /** Known when the stream is open. */
  readonly taskId: string;
  /** The number of the last event; undefined before the first item of a stream that starts with the task. */
  position: number | undefined;
  /** No item has arrived yet. */
  isNew: boolean;
  isOver: boolean;
  /** Aborted when the subscriber disconnects. */
  readonly leave?: AbortSignal | undefined;
}

/** Reads streams, and checks every item as it comes: it is stored, and no event is missing, repeated or out of order. */
export class Subscribers {
  readonly #world: World;
  readonly #expectedStore: ExpectedStore;
  readonly #views: Views;
  readonly #open = new Set<Subscription>();

  constructor(world: World, expectedStore: ExpectedStore, views: Views) {
    this.#world = world;
    this.#expectedStore = expectedStore;
    this.#views = views;
  }

  /** Streams of living servers that have not come to their end. */
  get open(): readonly Subscription[] {
    return [...this.#open].filter(({ server }) => server.node.isAlive);
  }

  /** Reads a stream to its end, or until it has read `mayStopAfter` batches if that is not 0. */
  async read(
    subscription: Subscription,
    items: AsyncIterable<readonly StreamItem[]>,
    mayStopAfter: number,
  ): Promise<void> {
    const { server, what, taskId } = subscription;
    this.#open.add(subscription);
    let left = mayStopAfter;
    try {
      for await (const batch of items) {
        if (!server.node.isAlive) return;
        for (const item of batch) this.#take(subscription, item);
        if (--left === 0) return;
      }
      if (server.node.isAlive) this.#ended(subscription);
    } catch (error) {
      if (!server.node.isAlive) return;
      this.#world.note(() => `${server.node.name} ${what} of ${taskId} fails: ${String(error)}`);
      if (!A2AError.is(error, 'UNAVAILABLE') && !A2AError.is(error, 'TASK_NOT_FOUND'))
        this.#world.fail(`${what} threw ${String(error)}`);
    } finally {
      subscription.isOver = true;
      this.#open.delete(subscription);
    }
  }

  #take(subscription: Subscription, item: StreamItem): void {
    const { what, taskId } = subscription;
    switch (item.kind) {
      case 'snapshot':
        this.#views.checkAt(what, item.task, item.number);
        // A subscription after a number that does not exist yet gets the task as it is.
        if (!subscription.isNew && subscription.position !== undefined && item.number < subscription.position)
          this.#world.fail(`${what} of ${taskId} goes back`);
        subscription.position = item.number;
        break;
      case 'message':
        if (this.#expectedStore.reply(taskId)?.messageId !== item.message.messageId)
          this.#world.fail(`${what} of ${taskId} publishes a reply that was not stored`);
        subscription.position = Number.POSITIVE_INFINITY;
        break;
      default:
        this.#takeEvent(subscription, item);
    }
    subscription.isNew = false;
  }

  #takeEvent(subscription: Subscription, { number, kind, body }: TaskEvent): void {
    const { what, taskId, position = -1 } = subscription;
    const stored = this.#expectedStore.task(taskId)?.log[number - 1];
    // A subscriber that has the task needs no event of its creation.
    const isNext = number === position + 1 || (position === 0 && number === 2);
    if (!isNext) this.#world.fail(`${what} of ${taskId} has ${number} after ${position}`);
    if (stored === undefined) this.#world.fail(`${what} of ${taskId} publishes event ${number} before it is stored`);
    else if (stored.kind !== kind || stored.body !== body)
      this.#world.fail(`${what} of ${taskId} publishes another event ${number}`);
    subscription.position = number;
  }

  #ended({ what, server, taskId, position, leave }: Subscription): void {
    if (position === Number.POSITIVE_INFINITY || server.isClosing || leave?.aborted === true) return;
    const task = this.#expectedStore.task(taskId);
    if (task !== undefined && (!task.hasEnded || task.log.length !== position))
      this.#world.fail(`${what} of ${taskId} ends at ${position}, before the task does`);
  }
}
