import type { StreamResponse } from '../../src/model/event.ts';
import type { Task } from '../../src/model/task.ts';
import type { Random } from '../simulation/random.ts';
import { isLast, type ReceivedEvent, StreamClient } from './stream-client.ts';
import { requestOf, type WireFormat } from './wire-formats.ts';

export interface ResumingClientOptions {
  /** Resolves to the port of the server, when one is running. */
  readonly port: () => Promise<number>;
  readonly format: WireFormat;
  readonly taskId: string;
  readonly random: Random;
  /** Whether the first connection starts with the current task or with the first event of the log. */
  readonly startsAt: 'current task' | 'first event';
  /** The most events of one connection, after which it is closed; each connection draws its number. 0: no limit. */
  readonly maxEvents: number;
  /** Called for each event. */
  readonly onEvent?: () => void;
}

/**
 * Reads a task to its end over any number of connections. It disconnects at random, before the first event or between two
 * events, and resumes from the last event number that it has received.
 */
export class ResumingClient {
  readonly format: WireFormat;
  readonly taskId: string;
  readonly events: ReceivedEvent[] = [];
  /** The task that the first connection started with, and its event number; undefined if it started with an event. */
  start: { readonly task: Task; readonly number: number } | undefined;
  connections = 0;
  /** Descriptions of unexpected events and responses. */
  readonly faults: string[] = [];
  readonly #options: ResumingClientOptions;

  constructor(options: ResumingClientOptions) {
    this.format = options.format;
    this.taskId = options.taskId;
    this.#options = options;
  }

  /** The number of the last event that it has received. */
  get last(): number {
    return this.events.at(-1)?.number ?? this.start?.number ?? 0;
  }

  get isDone(): boolean {
    // A task that has ended has no further events.
    const last: StreamResponse | undefined = this.events.at(-1)?.item ?? (this.start && { task: this.start.task });
    return last !== undefined && isLast(last);
  }

  async run(): Promise<void> {
    while (!this.isDone && this.faults.length === 0) await this.#connect();
  }

  async #connect(): Promise<void> {
    const { port, format, taskId, random, startsAt, maxEvents } = this.#options;
    const isFirst = this.last === 0 && this.connections === 0 && startsAt === 'current task';
    const request = requestOf(format, 'SubscribeToTask', { id: taskId }, isFirst ? undefined : this.last);
    const chance = maxEvents === 0 ? 1 : random.next();
    let remaining = maxEvents === 0 ? Number.POSITIVE_INFINITY : random.int(1, maxEvents);
    this.connections++;
    const subscriber = new StreamClient(await port(), format, request, {
      onHeaders: () => {
        if (chance < 0.1) subscriber.disconnect();
      },
      onEvent: (event) => {
        this.#take(event, isFirst);
        return --remaining > 0;
      },
    });
    if (chance < 0.05) subscriber.disconnect();
    const ending = await subscriber.ended;
    if (subscriber.error !== undefined) this.faults.push(`error in the stream: ${subscriber.error.message}`);
    // 1.0 rejects a subscription to a task that has ended. Its events can still be read by number.
    const isRejected = isFirst && subscriber.status === 400;
    if (subscriber.status >= 400 && subscriber.status !== 503 && !isRejected)
      this.faults.push(`status ${subscriber.status}: ${subscriber.body}`);
    // If neither the client nor the end of the task ended the stream, the server has to send a reason.
    if (ending === 'complete' && subscriber.status === 200 && !this.isDone && subscriber.retryMs === undefined)
      this.#reportUnexplainedEnd(subscriber, isFirst);
  }

  #take(event: ReceivedEvent, mayBeTask: boolean): void {
    if (mayBeTask && this.start === undefined && 'task' in event.item) {
      this.start = { task: event.item.task, number: event.number ?? -1 };
      return;
    }
    if (event.number !== this.last + 1) this.faults.push(`${String(event.number)} came after ${this.last}`);
    this.events.push(event);
    this.#options.onEvent?.();
  }

  /** 1.0 rejects a subscription to a task that has ended. Its events can still be read by number. */
  #reportUnexplainedEnd({ body, headers }: StreamClient, isFirst: boolean): void {
    const isRejection = isFirst && headers['content-type'] !== 'text/event-stream';
    if (!isRejection) this.faults.push(`the stream ended after ${this.last} without a reason: ${body}`);
  }
}
