import { A2AError } from '../errors.ts';
import type { StreamResponse } from '../model/event.ts';
import type { StreamingOperation } from '../model/operation.ts';
import type { Decoded } from '../wire/dialect.ts';
import { SseReader } from '../wire/sse-reader.ts';
import { bindingOf, parseJson } from './binding.ts';
import type { Endpoint } from './endpoint.ts';
import type { Received } from './event.ts';
import type { Wiring } from './exchange.ts';
import type { Lingering } from './lingering.ts';
import type { Settings } from './settings.ts';
import type { TransportResponse } from './transport/transport.ts';

/** How a stream over one connection ended, as far as it says so itself. */
interface Ending {
  /** The last item said that none follows. */
  saidItsLast: boolean;
  /** The agent asked its readers to come back for the rest. */
  isToBeContinued: boolean;
}

/** One stream over one connection, until that ends. Whoever opens one leaves it. */
export class ItemStream implements Readonly<Ending> {
  readonly #ending: Ending;
  readonly #items: AsyncGenerator<Received, void, void>;
  readonly #close: () => void;
  readonly #lingering: Lingering | undefined;
  #ahead: IteratorResult<Received, void> | undefined;

  private constructor(
    ending: Ending,
    items: AsyncGenerator<Received, void, void>,
    close: () => void,
    lingering?: Lingering,
  ) {
    this.#ending = ending;
    this.#items = items;
    this.#close = close;
    this.#lingering = lingering;
  }

  static of(
    response: TransportResponse,
    endpoint: Endpoint,
    operation: StreamingOperation,
    { settings, lingering }: Wiring,
  ): ItemStream {
    const ending: Ending = { saidItsLast: false, isToBeContinued: false };
    const items = readItems(ending, response, endpoint, operation, settings);
    return new ItemStream(ending, items, () => response.close(), lingering);
  }

  /** An answer that is no stream, as one: what comes after it has to be asked for. */
  static single({ value, raw }: Decoded<StreamResponse>): ItemStream {
    const ending: Ending = { saidItsLast: false, isToBeContinued: false };
    return new ItemStream(ending, one({ event: value, number: undefined, raw }), () => {});
  }

  get saidItsLast(): boolean {
    return this.#ending.saidItsLast;
  }

  get isToBeContinued(): boolean {
    return this.#ending.isToBeContinued;
  }

  /** Waits for the first item. Some agents begin every stream well, and say only there that there is none. */
  async begin(): Promise<this> {
    try {
      this.#ahead = await this.#items.next();
      return this;
    } catch (error) {
      this.leave();
      throw error;
    }
  }

  /** @throws A2AError for what is no event, TransportFailure if the connection breaks. */
  async next(): Promise<Received | undefined> {
    const { done, value } = this.#ahead ?? (await this.#items.next());
    this.#ahead = undefined;
    return done === true ? undefined : value;
  }

  /** Closes the connection at once. */
  leave(): void {
    this.#close();
    void this.#items.return().catch(() => {});
  }

  /** All is known that matters. If the stream now ends by itself, as it should, its connection can serve again. */
  release(): void {
    const done = this.#lingering?.add(this.#close);
    const drain = async (): Promise<void> => {
      while ((await this.next()) !== undefined);
    };
    void drain()
      .catch(() => this.leave())
      .finally(done);
  }
}

async function* one(item: Received): AsyncGenerator<Received, void, void> {
  yield item;
}

async function* readItems(
  ending: Ending,
  response: TransportResponse,
  endpoint: Endpoint,
  operation: StreamingOperation,
  { limits, read, warn }: Settings,
): AsyncGenerator<Received, void, void> {
  const reader = new SseReader({ maxEventBytes: limits.maxEventBytes });
  const binding = bindingOf(endpoint);
  let retryMs: number | undefined;
  for await (const chunk of response.chunks()) {
    for (const { data, id } of reader.push(chunk)) {
      if (data === '') continue;
      const json = parseJson(data);
      if (json === undefined) throw new A2AError('INVALID_AGENT_RESPONSE', 'The stream has an event that is not JSON');
      const { value, warnings, raw } = binding.item(endpoint, operation, json, read);
      warn(warnings);
      ending.saidItsLast = endpoint.dialect.endsStream(raw);
      retryMs = reader.retryMs;
      yield { event: value, number: numberOf(id), raw };
    }
    if (reader.failure !== undefined) throw reader.failure;
  }
  // Many servers say at the start how long to wait; to say it behind the last event is to ask for coming back.
  ending.isToBeContinued = reader.pending || reader.retryMs !== retryMs;
}

/** Only a number can be resumed after. */
function numberOf(id: string | undefined): number | undefined {
  return id !== undefined && /^\d{1,15}$/.test(id) ? Number(id) : undefined;
}
