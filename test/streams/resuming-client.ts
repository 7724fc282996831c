import type { StreamResponse } from '../../src/model/event.ts';
import type { Task } from '../../src/model/task.ts';
import type { Random } from '../simulation/random.ts';
import { isLast, type Received, StreamReader } from './stream-reader.ts';
import { requestOf, type Way } from './ways.ts';

export interface ResumingClientOptions {
  /** Resolves to where the server is, when there is one. */
  readonly port: () => Promise<number>;
  readonly way: Way;
  readonly taskId: string;
  readonly random: Random;
  /** How the first connection begins: with the task as it is then, or with the first event. */
  readonly begins: 'with the task' | 'at the first event';
  /** How many events it reads at most before it leaves, drawn anew for each connection; 0 for any number. */
  readonly patience: number;
  /** Called for each event. */
  readonly onEvent?: () => void;
}

/**
 * Reads a task to its end, over as many connections as it takes: it leaves at random, at times before it has got
 * anything and at times in the midst of what has come, and goes on from the last number that it has.
 */
export class ResumingClient {
  readonly way: Way;
  readonly taskId: string;
  readonly events: Received[] = [];
  /** What it began with, if that was the task, and the number it had. */
  start: { readonly task: Task; readonly number: number } | undefined;
  connections = 0;
  /** What came that should not have. */
  readonly faults: string[] = [];
  readonly #options: ResumingClientOptions;

  constructor(options: ResumingClientOptions) {
    this.way = options.way;
    this.taskId = options.taskId;
    this.#options = options;
  }

  /** The last number that it has. */
  get last(): number {
    return this.events.at(-1)?.number ?? this.start?.number ?? 0;
  }

  get isDone(): boolean {
    // A task that has ended has no events left to come.
    const last: StreamResponse | undefined = this.events.at(-1)?.item ?? (this.start && { task: this.start.task });
    return last !== undefined && isLast(last);
  }

  async run(): Promise<void> {
    while (!this.isDone && this.faults.length === 0) await this.#connect();
  }

  async #connect(): Promise<void> {
    const { port, way, taskId, random, begins, patience } = this.#options;
    const isFirst = this.last === 0 && this.connections === 0 && begins === 'with the task';
    const request = requestOf(way, 'SubscribeToTask', { id: taskId }, isFirst ? undefined : this.last);
    const mood = patience === 0 ? 1 : random.next();
    let left = patience === 0 ? Number.POSITIVE_INFINITY : random.int(1, patience);
    this.connections++;
    const reader = new StreamReader(await port(), way, request, {
      onHeaders: () => {
        if (mood < 0.1) reader.leave();
      },
      onEvent: (event) => {
        this.#take(event, isFirst);
        return --left > 0;
      },
    });
    if (mood < 0.05) reader.leave();
    const ending = await reader.ended;
    if (reader.error !== undefined) this.faults.push(`error in the stream: ${reader.error.message}`);
    // 1.0 refuses to begin with a task that has ended; it can still be read by numbers.
    const isRefused = isFirst && reader.status === 400;
    if (reader.status >= 400 && reader.status !== 503 && !isRefused)
      this.faults.push(`status ${reader.status}: ${reader.body}`);
    // An end that was not the client's doing must be told from the end of the task.
    if (ending === 'complete' && reader.status === 200 && !this.isDone && reader.retryMs === undefined)
      this.#noteSilentEnd(reader, isFirst);
  }

  #take(event: Received, mayBeTask: boolean): void {
    if (mayBeTask && this.start === undefined && 'task' in event.item) {
      this.start = { task: event.item.task, number: event.number ?? -1 };
      return;
    }
    if (event.number !== this.last + 1) this.faults.push(`${String(event.number)} came after ${this.last}`);
    this.events.push(event);
    this.#options.onEvent?.();
  }

  /** 1.0 refuses to begin with a task that has ended; it can still be read by numbers. */
  #noteSilentEnd({ body, headers }: StreamReader, isFirst: boolean): void {
    const isRefusal = isFirst && headers['content-type'] !== 'text/event-stream';
    if (!isRefusal) this.faults.push(`the stream ended after ${this.last} without a word: ${body}`);
  }
}
