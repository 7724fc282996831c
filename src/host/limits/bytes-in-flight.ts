import type { Caller } from '../../engine/handler.ts';
import { A2AError } from '../../errors.ts';
import type { HttpRequest } from '../http.ts';
import type { LimitSettings } from './limit-settings.ts';
import { addressKey, isExempt } from './rate-limit.ts';

/**
 * Bodies and responses up to this size are not counted, because most are that small, and counting takes time.
 * `maxConnections` bounds them: 10,000 connections hold up to 625 MiB of them in each direction.
 */
export const UNCOUNTED_BYTES = 64 * 2 ** 10;

/** The same for pieces of a stream: they end at about 64 KiB, so only one with a large event in it has more. */
export const UNCOUNTED_PIECE_BYTES = 2 * UNCOUNTED_BYTES;

/** When to try again. Short, because the time at which bytes are released is unknown. */
const RETRY_MS = 2000;

/** The owner of the bytes: the caller if it is known, else its address. */
export type Holder = Pick<HttpRequest, 'caller' | 'remoteAddress' | 'isLocal'>;

const ANONYMOUS: Pick<Caller, 'isVerified'> = { isVerified: false };

const KINDS = {
  request: {
    perCaller: 'requestBytesPerCaller',
    perProcess: 'requestBytesPerProcess',
    tooMuch: 'Your incomplete request bodies exceed',
    advice: 'send fewer at a time',
    full: 'The server cannot buffer more request bodies at the moment',
  },
  response: {
    perCaller: 'responseBytesPerCaller',
    perProcess: 'responseBytesPerProcess',
    tooMuch: 'Your unread responses exceed',
    advice: 'read them, or close their connections, before you send more requests',
    full: 'The server cannot buffer more responses at the moment',
  },
} as const;

/** Bytes of all handlers in this process, because they share its memory. */
const inProcess: Record<keyof typeof KINDS, number> = { request: 0, response: 0 };

/**
 * Counts bytes that wait in memory: of request bodies that are not complete, or of responses that are not sent. They are
 * bounded for each caller and for the process. A caller with nothing else in flight may exceed its bound with one body or
 * response, because no waiting would ever make room for that one; the same holds for the process.
 */
export class BytesInFlight {
  readonly #kind: keyof typeof KINDS;
  readonly #settings: LimitSettings;
  readonly #byCaller = new Map<string, number>();

  constructor(kind: keyof typeof KINDS, settings: LimitSettings) {
    this.#kind = kind;
    this.#settings = settings;
  }

  /** All bytes of this kind in the process. */
  get total(): number {
    return inProcess[this.#kind];
  }

  /** Whether anything is held for the caller. Very cheap while nothing is held for any caller. */
  isHolding(holder: Holder): boolean {
    return this.#byCaller.size > 0 && this.#byCaller.has(keyOf(holder));
  }

  /** Checks at the start of a request. @throws A2AError `RATE_LIMIT_EXCEEDED` or `UNAVAILABLE` */
  assertRoom(holder: Holder): void {
    const rejection = this.rejection(holder);
    if (rejection !== undefined) throw rejection;
  }

  /**
   * Why a caller may not hold anything more; undefined if it may. Callers that hold nothing pass even if the process is
   * full, because most responses are small.
   */
  rejection(holder: Holder): A2AError | undefined {
    if (this.#byCaller.size === 0) return undefined;
    const held = this.#byCaller.get(keyOf(holder));
    if (held === undefined) return undefined;
    const max = this.#maxFor(holder);
    if (held >= max) return this.#tooMuch(max);
    return this.total >= this.#settings[KINDS[this.#kind].perProcess] ? this.#full() : undefined;
  }

  open(holder: Holder): BytesHold {
    return new BytesHold(this, keyOf(holder), this.#maxFor(holder));
  }

  /** @internal Counts more bytes for a hold of size `own`; returns the error if that exceeds a bound. */
  take(key: string, max: number, own: number, bytes: number): A2AError | undefined {
    const held = this.#byCaller.get(key) ?? 0;
    if (held > own && held + bytes > max) return this.#tooMuch(max);
    if (this.total > own && this.total + bytes > this.#settings[KINDS[this.#kind].perProcess]) return this.#full();
    this.add(key, bytes);
    return undefined;
  }

  /** @internal */
  add(key: string, bytes: number): void {
    if (bytes === 0) return;
    inProcess[this.#kind] += bytes;
    const held = (this.#byCaller.get(key) ?? 0) + bytes;
    if (held > 0) this.#byCaller.set(key, held);
    else this.#byCaller.delete(key);
  }

  #maxFor(holder: Holder): number {
    const { perCaller } = KINDS[this.#kind];
    const isFree = isExempt(this.#settings, perCaller, holder, holder.caller ?? ANONYMOUS);
    return isFree ? Infinity : this.#settings[perCaller];
  }

  #tooMuch(max: number): A2AError {
    const { perCaller, tooMuch, advice } = KINDS[this.#kind];
    const message = `${tooMuch} ${max} bytes in total: ${advice}`;
    return new A2AError('RATE_LIMIT_EXCEEDED', message, { details: { limit: perCaller }, retryAfterMs: RETRY_MS });
  }

  #full(): A2AError {
    const { perProcess, full } = KINDS[this.#kind];
    const message = `${full}: retry later`;
    return new A2AError('UNAVAILABLE', message, { details: { limit: perProcess }, retryAfterMs: RETRY_MS });
  }
}

export class BytesHold {
  readonly #all: BytesInFlight;
  readonly #key: string;
  readonly #max: number;
  #bytes = 0;

  /** @internal */
  constructor(all: BytesInFlight, key: string, max: number) {
    this.#all = all;
    this.#key = key;
    this.#max = max;
  }

  get size(): number {
    return this.#bytes;
  }

  /** Adds bytes, unless that exceeds a bound: then the hold does not change, and the error for the caller is returned. */
  take(bytes: number): A2AError | undefined {
    const rejection = this.#all.take(this.#key, this.#max, this.#bytes, bytes);
    if (rejection === undefined) this.#bytes += bytes;
    return rejection;
  }

  /** Like `take`, with the total number of bytes. */
  reach(bytes: number): A2AError | undefined {
    return this.take(bytes - this.#bytes);
  }

  /** Corrects an estimate, even beyond the bounds. */
  resize(bytes: number): void {
    this.#all.add(this.#key, bytes - this.#bytes);
    this.#bytes = bytes;
  }

  /** Releases all bytes. Can be called more than once. */
  release(): void {
    this.resize(0);
  }
}

/** Callers and addresses have different prefixes, so that their keys cannot collide. */
function keyOf(holder: Holder): string {
  const { caller } = holder;
  return caller?.isVerified === true ? `c${caller.id}` : `a${addressKey(holder)}`;
}
