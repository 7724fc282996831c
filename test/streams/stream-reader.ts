import { type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http';
import type { StreamResponse } from '../../src/model/event.ts';
import { isTerminal, type TaskState } from '../../src/model/state.ts';
import { SseDecoder } from '../../src/wire/sse/sse-decoder.ts';
import { itemOf, type Way, type WireRequest } from './ways.ts';

/** One event of a stream, with the number that its reader can go on from. */
export interface Received {
  readonly number: number | undefined;
  readonly item: StreamResponse;
  /** It says of itself that it is the last one, which 1.0 has no word for. */
  readonly isFinal: boolean;
}

/** How a connection came to its end. */
export type Ending =
  /** The answer was complete as HTTP: its last chunk has come. */
  | 'complete'
  /** The connection broke before that, or the reader has left. */
  | 'cut';

export interface ReaderEvents {
  onHeaders?(): void;
  /** Says whether to read on; if not, the connection is cut at once, whatever else has come. */
  onEvent?(event: Received): boolean;
}

/** Reads an event stream over a connection of its own, as a client of the protocol does. */
export class StreamReader {
  readonly events: Received[] = [];
  readonly comments: string[] = [];
  readonly ended: Promise<Ending>;
  /** What the stream said went wrong. */
  error: Error | undefined;
  status = 0;
  headers: IncomingMessage['headers'] = {};
  /** The whole answer if it is no stream. */
  body = '';
  readonly #request: ClientRequest;
  readonly #way: Way;
  readonly #handlers: ReaderEvents;
  readonly #sse = new SseDecoder({ onComment: (text) => this.comments.push(text) });
  #hasLeft = false;
  #wake: (() => void)[] = [];

  constructor(port: number, way: Way, { method, path, headers, body }: WireRequest, handlers: ReaderEvents = {}) {
    this.#way = way;
    this.#handlers = handlers;
    this.#request = httpRequest({ host: '127.0.0.1', port, method, path, headers, agent: false });
    this.ended = new Promise((resolve) => {
      this.#request.on('response', (response) => this.#read(response, resolve));
      this.#request.on('error', () => resolve('cut'));
      this.#request.on('close', () => resolve('cut'));
    });
    void this.ended.then(() => this.#changed());
    this.#request.end(body);
  }

  /** The wait that the server asks for before a reader comes back. */
  get retryMs(): number | undefined {
    return this.#sse.retryMs;
  }

  /** The last number that it has. */
  get last(): number {
    return this.events.at(-1)?.number ?? 0;
  }

  get state(): TaskState | undefined {
    const item = this.events.at(-1)?.item;
    return item === undefined ? undefined : stateOf(item);
  }

  /** Cuts the connection. */
  leave(): void {
    this.#hasLeft = true;
    this.#request.destroy();
  }

  /** Waits until something holds of what has come so far. @throws Error if the stream ends before. */
  async until(holds: (reader: this) => boolean): Promise<this> {
    let isOver = false;
    void this.ended.then(() => (isOver = true));
    while (!holds(this)) {
      if (isOver) throw new Error(`The stream ended after ${this.events.length} events: ${this.status} ${this.body}`);
      await new Promise<void>((resolve) => this.#wake.push(resolve));
    }
    return this;
  }

  #read(response: IncomingMessage, resolve: (ending: Ending) => void): void {
    this.status = response.statusCode ?? 0;
    this.headers = response.headers;
    const isStream = response.headers['content-type'] === 'text/event-stream';
    this.#handlers.onHeaders?.();
    this.#changed();
    response.on('data', (chunk: Buffer) => {
      if (isStream) this.#take(chunk);
      else this.body += chunk.toString();
      this.#changed();
    });
    response.on('error', () => resolve('cut'));
    response.on('close', () => resolve(response.complete && !this.#hasLeft ? 'complete' : 'cut'));
  }

  #take(chunk: Buffer): void {
    for (const { id, data, event } of this.#sse.push(chunk)) {
      if (this.#hasLeft) return;
      const received = this.#decode(id, data, event);
      if (received === undefined) return;
      this.events.push(received);
      if (this.#handlers.onEvent?.(received) === false) this.leave();
    }
  }

  #decode(id: string | undefined, data: string, event: string | undefined): Received | undefined {
    try {
      return { number: id === undefined ? undefined : Number(id), ...itemOf(this.#way, data, event) };
    } catch (error) {
      this.error = error as Error;
      return undefined;
    }
  }

  #changed(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }
}

/** The state that an event tells of. */
function stateOf(item: StreamResponse): TaskState | undefined {
  if ('task' in item) return item.task.status.state;
  return 'statusUpdate' in item ? item.statusUpdate.status.state : undefined;
}

/** Whether nothing follows an event. */
export function isLast(item: StreamResponse): boolean {
  const state = stateOf(item);
  return 'message' in item || (state !== undefined && isTerminal(state));
}
