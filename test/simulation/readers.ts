import { A2AError } from '../../src/errors.ts';
import type { StreamItem } from '../../src/engine/stream/subscribe.ts';
import type { TaskEvent } from '../../src/store/store.ts';
import type { Ledger } from './ledger.ts';
import type { Server } from './server.ts';
import type { Views } from './views.ts';
import type { World } from './world.ts';

/** Where the stream of a reader stands. */
export interface Reading {
  readonly what: string;
  readonly server: Server;
  /** Known when the stream is there. */
  readonly taskId: string;
  /** The last number that the reader has; none before the first item of a stream that begins with the task. */
  position: number | undefined;
  /** Nothing has come yet. */
  isNew: boolean;
  isOver: boolean;
  /** The reader has gone. */
  readonly leave?: AbortSignal | undefined;
}

/** Reads streams, and judges every item as it comes: what is told is stored, and nothing is missing, doubled or moved. */
export class Readers {
  readonly #world: World;
  readonly #ledger: Ledger;
  readonly #views: Views;
  readonly #open = new Set<Reading>();

  constructor(world: World, ledger: Ledger, views: Views) {
    this.#world = world;
    this.#ledger = ledger;
    this.#views = views;
  }

  /** Streams of living servers that have not come to their end. */
  get open(): readonly Reading[] {
    return [...this.#open].filter(({ server }) => server.node.isAlive);
  }

  /** Reads to the end. Says where to go on if the stream broke off. */
  async read(reading: Reading, items: AsyncIterable<readonly StreamItem[]>, mayStopAfter: number): Promise<void> {
    const { server, what, taskId } = reading;
    this.#open.add(reading);
    let left = mayStopAfter;
    try {
      for await (const batch of items) {
        if (!server.node.isAlive) return;
        for (const item of batch) this.#take(reading, item);
        if (--left === 0) return;
      }
      if (server.node.isAlive) this.#ended(reading);
    } catch (error) {
      if (!server.node.isAlive) return;
      this.#world.note(() => `${server.node.name} ${what} of ${taskId} breaks off: ${String(error)}`);
      if (!A2AError.is(error, 'UNAVAILABLE') && !A2AError.is(error, 'TASK_NOT_FOUND'))
        this.#world.fail(`${what} threw ${String(error)}`);
    } finally {
      reading.isOver = true;
      this.#open.delete(reading);
    }
  }

  #take(reading: Reading, item: StreamItem): void {
    const { what, taskId } = reading;
    switch (item.kind) {
      case 'snapshot':
        this.#views.checkAt(what, item.task, item.number);
        // Who asks for what comes after a number that is not there yet gets the task as it is.
        if (!reading.isNew && reading.position !== undefined && item.number < reading.position)
          this.#world.fail(`${what} of ${taskId} goes back`);
        reading.position = item.number;
        break;
      case 'message':
        if (this.#ledger.reply(taskId)?.messageId !== item.message.messageId)
          this.#world.fail(`${what} of ${taskId} tells of a reply that was not stored`);
        reading.position = Number.POSITIVE_INFINITY;
        break;
      default:
        this.#takeEvent(reading, item);
    }
    reading.isNew = false;
  }

  #takeEvent(reading: Reading, { number, kind, body }: TaskEvent): void {
    const { what, taskId, position = -1 } = reading;
    const stored = this.#ledger.task(taskId)?.log[number - 1];
    // Who has been shown the task needs no event that tells of its creation.
    const isNext = number === position + 1 || (position === 0 && number === 2);
    if (!isNext) this.#world.fail(`${what} of ${taskId} has ${number} after ${position}`);
    if (stored === undefined) this.#world.fail(`${what} of ${taskId} tells of event ${number} before it is stored`);
    else if (stored.kind !== kind || stored.body !== body)
      this.#world.fail(`${what} of ${taskId} tells another event ${number}`);
    reading.position = number;
  }

  #ended({ what, server, taskId, position, leave }: Reading): void {
    if (position === Number.POSITIVE_INFINITY || server.isClosing || leave?.aborted === true) return;
    const task = this.#ledger.task(taskId);
    if (task !== undefined && (!task.hasEnded || task.log.length !== position))
      this.#world.fail(`${what} of ${taskId} ends at ${position}, before the task does`);
  }
}
