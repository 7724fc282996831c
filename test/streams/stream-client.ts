import { type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http';
import type { StreamResponse } from '../../src/model/event.ts';
import { isTerminal, type TaskState } from '../../src/model/state.ts';
import { SseDecoder } from '../../src/wire/sse/sse-decoder.ts';
import { decodeEvent, type WireFormat, type WireRequest } from './wire-formats.ts';

/** One event of a stream, with the number from which a subscriber can resume. */
export interface ReceivedEvent {
  readonly number: number | undefined;
  readonly item: StreamResponse;
  /** Whether the event is marked as the last one. 1.0 has no such mark. */
  readonly isFinal: boolean;
}

/** How a connection ended. */
export type Ending =
  /** The HTTP response was complete: its last chunk has arrived. */
  | 'complete'
  /** The connection broke before that, or the client closed it. */
  | 'cut';

export interface StreamHandlers {
  onHeaders?(): void;
  /** Returns whether to continue reading. If not, the client closes the connection at once and drops further events. */
  onEvent?(event: ReceivedEvent): boolean;
}

/** Sends a request on its own connection and reads the event stream, as a client of the protocol does. */
export class StreamClient {
  readonly events: ReceivedEvent[] = [];
  readonly comments: string[] = [];
  readonly ended: Promise<Ending>;
  /** The error that the stream reported. */
  error: Error | undefined;
  status = 0;
  headers: IncomingMessage['headers'] = {};
  /** The whole response body if it is not a stream. */
  body = '';
  readonly #request: ClientRequest;
  readonly #format: WireFormat;
  readonly #handlers: StreamHandlers;
  readonly #sse = new SseDecoder({ onComment: (text) => this.comments.push(text) });
  #isDisconnected = false;
  #wake: (() => void)[] = [];

  constructor(
    port: number,
    format: WireFormat,
    { method, path, headers, body }: WireRequest,
    handlers: StreamHandlers = {},
  ) {
    this.#format = format;
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

  /** The delay that the server requests before the next connection. */
  get retryMs(): number | undefined {
    return this.#sse.retryMs;
  }

  /** The number of the last event received. */
  get last(): number {
    return this.events.at(-1)?.number ?? 0;
  }

  get state(): TaskState | undefined {
    const item = this.events.at(-1)?.item;
    return item === undefined ? undefined : stateOf(item);
  }

  /** Closes the connection. */
  disconnect(): void {
    this.#isDisconnected = true;
    this.#request.destroy();
  }

  /** Waits until the events received so far meet a condition. @throws Error if the stream ends first. */
  async until(condition: (client: this) => boolean): Promise<this> {
    let isOver = false;
    void this.ended.then(() => (isOver = true));
    while (!condition(this)) {
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
    response.on('close', () => resolve(response.complete && !this.#isDisconnected ? 'complete' : 'cut'));
  }

  #take(chunk: Buffer): void {
    for (const { id, data, event } of this.#sse.push(chunk)) {
      if (this.#isDisconnected) return;
      const received = this.#decode(id, data, event);
      if (received === undefined) return;
      this.events.push(received);
      if (this.#handlers.onEvent?.(received) === false) this.disconnect();
    }
  }

  #decode(id: string | undefined, data: string, event: string | undefined): ReceivedEvent | undefined {
    try {
      return { number: id === undefined ? undefined : Number(id), ...decodeEvent(this.#format, data, event) };
    } catch (error) {
      this.error = error as Error;
      return undefined;
    }
  }

  #changed(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }
}

/** The task state in an event. */
function stateOf(item: StreamResponse): TaskState | undefined {
  if ('task' in item) return item.task.status.state;
  return 'statusUpdate' in item ? item.statusUpdate.status.state : undefined;
}

/** Whether an event is the last one of its task. */
export function isLast(item: StreamResponse): boolean {
  const state = stateOf(item);
  return 'message' in item || (state !== undefined && isTerminal(state));
}
