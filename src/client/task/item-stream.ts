import { A2AError } from '../../errors.ts';
import type { StreamResponse } from '../../model/event.ts';
import type { StreamingOperation } from '../../model/operation.ts';
import type { Decoded } from '../../wire/dialect.ts';
import { type SseEvent, SseDecoder } from '../../wire/sse/sse-decoder.ts';
import { parseJson } from '../request/binding.ts';
import { bindingOf, type Endpoint } from '../request/endpoint.ts';
import type { Received } from '../event.ts';
import type { ClientContext } from '../request/exchange.ts';
import type { DrainingConnections } from './draining-connections.ts';
import { streamError } from '../request/response-error.ts';
import type { Settings } from '../settings.ts';
import type { OutboundResponse } from '../../support/http-client/http-client.ts';

/** How a stream over one connection ended, as far as the agent indicates it. */
interface Ending {
  /** The agent marked the last item as final. */
  hasLastItem: boolean;
  /** The agent asked its subscribers to reconnect for the remaining events. */
  isToBeContinued: boolean;
}

/** The source of the items of a stream. */
interface ItemSource {
  readonly ending: Readonly<Ending>;
  /** The next item if it is here already, else a promise of it; undefined at the end. */
  next(): Received | undefined | Promise<Received | undefined>;
  close(): void;
}

/** One stream over one connection. Its creator must call `leave` or `release`. */
export class ItemStream implements Readonly<Ending> {
  readonly #source: ItemSource;
  readonly #draining: DrainingConnections | undefined;
  #ahead: { readonly item: Received | undefined } | undefined;

  private constructor(source: ItemSource, draining?: DrainingConnections) {
    this.#source = source;
    this.#draining = draining;
  }

  static of(
    response: OutboundResponse,
    endpoint: Endpoint,
    operation: StreamingOperation,
    { settings, draining }: ClientContext,
  ): ItemStream {
    return new ItemStream(new ResponseItems(response, endpoint, operation, settings), draining);
  }

  /** A single response as a stream. Later changes have to be polled. */
  static single({ value, raw }: Decoded<StreamResponse>): ItemStream {
    const items: Received[] = [{ event: value, number: undefined, raw }];
    const ending: Ending = { hasLastItem: false, isToBeContinued: false };
    return new ItemStream({ ending, next: () => items.pop(), close: () => {} });
  }

  get hasLastItem(): boolean {
    return this.#source.ending.hasLastItem;
  }

  get isToBeContinued(): boolean {
    return this.#source.ending.isToBeContinued;
  }

  /** Waits for the first item, because some agents open every stream successfully and report errors only in it. */
  async begin(): Promise<this> {
    try {
      this.#ahead = { item: await this.#source.next() };
      return this;
    } catch (error) {
      this.leave();
      throw streamError(error);
    }
  }

  /**
   * The next item, undefined at the end. An item that has already arrived is returned without a promise.
   *
   * @throws A2AError for an invalid event, TransportFailure if the connection breaks.
   */
  next(): Received | undefined | Promise<Received | undefined> {
    if (this.#ahead === undefined) return this.#source.next();
    const { item } = this.#ahead;
    this.#ahead = undefined;
    return item;
  }

  /** Closes the connection at once. */
  leave(): void {
    this.#source.close();
  }

  /** Releases a stream that is no longer needed. If it ends by itself within 250 ms, its connection can be reused. */
  release(): void {
    const done = this.#draining?.add(() => this.leave());
    const drain = async (): Promise<void> => {
      while ((await this.next()) !== undefined);
    };
    void drain()
      .catch(() => this.leave())
      .finally(done);
  }
}

/** The items in the body of a response, decoded on demand. */
class ResponseItems implements ItemSource {
  readonly ending: Ending = { hasLastItem: false, isToBeContinued: false };
  readonly #response: OutboundResponse;
  readonly #chunks: AsyncIterator<Uint8Array, unknown>;
  readonly #reader: SseDecoder;
  readonly #decode: (json: unknown) => Decoded<StreamResponse>;
  readonly #endsStream: (raw: unknown) => boolean;
  #events: readonly SseEvent[] = [];
  #at = 0;

  constructor(response: OutboundResponse, endpoint: Endpoint, operation: StreamingOperation, settings: Settings) {
    const { limits, read, warn } = settings;
    const binding = bindingOf(endpoint);
    this.#response = response;
    this.#chunks = response.chunks()[Symbol.asyncIterator]();
    this.#reader = new SseDecoder({ maxEventBytes: limits.maxEventBytes });
    this.#endsStream = (raw) => endpoint.dialect.endsStream(raw);
    this.#decode = (json) => {
      const decoded = binding.item(endpoint, operation, json, read);
      warn(decoded.warnings);
      return decoded;
    };
  }

  next(): Received | undefined | Promise<Received | undefined> {
    return this.#take() ?? this.#wait();
  }

  close(): void {
    this.#response.close();
    void this.#chunks.return?.().catch(() => {});
  }

  /** The next item that has already arrived. */
  #take(): Received | undefined {
    while (this.#at < this.#events.length) {
      const { data, id } = this.#events[this.#at++] as SseEvent;
      if (data === '') continue;
      const json = parseJson(data);
      if (json === undefined)
        throw new A2AError('INVALID_AGENT_RESPONSE', 'The stream contains an event that is not JSON');
      const { value, raw } = this.#decode(json);
      this.ending.hasLastItem = this.#endsStream(raw);
      return { event: value, number: numberOf(id), raw };
    }
    return undefined;
  }

  async #wait(): Promise<Received | undefined> {
    for (;;) {
      if (this.#reader.failure !== undefined) throw this.#reader.failure;
      const chunk = await this.#chunks.next();
      if (chunk.done === true) break;
      this.#events = this.#reader.push(chunk.value);
      this.#at = 0;
      const item = this.#take();
      if (item !== undefined) return item;
    }
    // Many servers send `retry` at the start. After the last event it is a request to reconnect.
    this.ending.isToBeContinued = this.#reader.pending || this.#reader.hasTrailingRetry;
    return undefined;
  }
}

/** A stream can only be resumed after a numeric id. */
function numberOf(id: string | undefined): number | undefined {
  return id !== undefined && /^\d{1,15}$/.test(id) ? Number(id) : undefined;
}
