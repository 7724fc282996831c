import { A2AError } from '../errors.ts';
import type { StreamResponse } from '../model/event.ts';
import type { StreamingOperation } from '../model/operation.ts';
import type { Decoded } from '../wire/dialect.ts';
import { type SseEvent, SseReader } from '../wire/sse-reader.ts';
import { bindingOf, parseJson } from './binding.ts';
import type { Endpoint } from './endpoint.ts';
import type { Received } from './event.ts';
import type { Wiring } from './exchange.ts';
import type { Lingering } from './lingering.ts';
import { streamError } from './response-error.ts';
import type { Settings } from './settings.ts';
import type { TransportResponse } from './transport/transport.ts';

/** How a stream over one connection ended, as far as it says so itself. */
interface Ending {
  /** The last item said that none follows. */
  saidItsLast: boolean;
  /** The agent asked its readers to come back for the rest. */
  isToBeContinued: boolean;
}

/** Where items come from. */
interface ItemSource {
  readonly ending: Readonly<Ending>;
  /** The next item if it is here already, else a promise of it; undefined at the end. */
  next(): Received | undefined | Promise<Received | undefined>;
  close(): void;
}

/** One stream over one connection, until that ends. Whoever opens one leaves it. */
export class ItemStream implements Readonly<Ending> {
  readonly #source: ItemSource;
  readonly #lingering: Lingering | undefined;
  #ahead: { readonly item: Received | undefined } | undefined;

  private constructor(source: ItemSource, lingering?: Lingering) {
    this.#source = source;
    this.#lingering = lingering;
  }

  static of(
    response: TransportResponse,
    endpoint: Endpoint,
    operation: StreamingOperation,
    { settings, lingering }: Wiring,
  ): ItemStream {
    return new ItemStream(new ResponseItems(response, endpoint, operation, settings), lingering);
  }

  /** An answer that is no stream, as one: what comes after it has to be asked for. */
  static single({ value, raw }: Decoded<StreamResponse>): ItemStream {
    const items: Received[] = [{ event: value, number: undefined, raw }];
    const ending: Ending = { saidItsLast: false, isToBeContinued: false };
    return new ItemStream({ ending, next: () => items.pop(), close: () => {} });
  }

  get saidItsLast(): boolean {
    return this.#source.ending.saidItsLast;
  }

  get isToBeContinued(): boolean {
    return this.#source.ending.isToBeContinued;
  }

  /** Waits for the first item. Some agents begin every stream well, and say only there that there is none. */
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
   * The next item, undefined at the end. Many come at once: those that are here need not be waited for.
   *
   * @throws A2AError for what is no event, TransportFailure if the connection breaks.
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

  /** All is known that matters. If the stream now ends by itself, as it should, its connection can serve again. */
  release(): void {
    const done = this.#lingering?.add(() => this.leave());
    const drain = async (): Promise<void> => {
      while ((await this.next()) !== undefined);
    };
    void drain()
      .catch(() => this.leave())
      .finally(done);
  }
}

/** The items in the body of an answer, decoded one by one as they are asked for. */
class ResponseItems implements ItemSource {
  readonly ending: Ending = { saidItsLast: false, isToBeContinued: false };
  readonly #response: TransportResponse;
  readonly #chunks: AsyncIterator<Uint8Array, unknown>;
  readonly #reader: SseReader;
  readonly #decode: (json: unknown) => Decoded<StreamResponse>;
  readonly #endsStream: (raw: unknown) => boolean;
  #events: readonly SseEvent[] = [];
  #at = 0;

  constructor(response: TransportResponse, endpoint: Endpoint, operation: StreamingOperation, settings: Settings) {
    const { limits, read, warn } = settings;
    const binding = bindingOf(endpoint);
    this.#response = response;
    this.#chunks = response.chunks()[Symbol.asyncIterator]();
    this.#reader = new SseReader({ maxEventBytes: limits.maxEventBytes });
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

  /** The next one of those that have come. */
  #take(): Received | undefined {
    while (this.#at < this.#events.length) {
      const { data, id } = this.#events[this.#at++] as SseEvent;
      if (data === '') continue;
      const json = parseJson(data);
      if (json === undefined) throw new A2AError('INVALID_AGENT_RESPONSE', 'The stream has an event that is not JSON');
      const { value, raw } = this.#decode(json);
      this.ending.saidItsLast = this.#endsStream(raw);
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
    // Many servers say at the start how long to wait; to say it behind the last event is to ask for coming back.
    this.ending.isToBeContinued = this.#reader.pending || this.#reader.hasRetryBehind;
    return undefined;
  }
}

/** Only a number can be resumed after. */
function numberOf(id: string | undefined): number | undefined {
  return id !== undefined && /^\d{1,15}$/.test(id) ? Number(id) : undefined;
}
