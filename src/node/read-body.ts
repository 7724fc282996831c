import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { A2AError } from '../errors.ts';
import { cutOff, isPacked, notUtf8, packed, tooLarge, tooSlow } from '../server/body-errors.ts';
import type { HttpBody } from '../server/http.ts';
import type { PacedBody } from '../server/limits/body-pace.ts';
import { type BytesHold, type Holder, UNCOUNTED_BYTES } from '../server/limits/bytes-in-flight.ts';
import type { InFlight } from '../server/limits/in-flight.ts';

/**
 * Reads the body of a request: at most `maxBytes`, at a minimum pace, and within what its caller may have in flight. Bytes
 * count when they arrive, so that a caller who announces a large body and does not send it keeps nobody from anything.
 */
export function readBody(
  incoming: IncomingMessage,
  maxBytes: number,
  holder: Holder,
  inFlight: InFlight | undefined,
): Promise<HttpBody> {
  return new Promise((resolve, reject) => {
    // A caller who left before the body was asked for is not heard leaving.
    if (incoming.destroyed) return reject(cutOff(undefined));
    if (isPacked(incoming.headers['content-encoding'])) return reject(packed());
    if (Number(incoming.headers['content-length']) > maxBytes) return reject(tooLarge(maxBytes));
    new BodyReader(incoming, maxBytes, holder, inFlight, resolve, reject).start();
  });
}

/** What a body parser before us has left: bytes, a text, or JSON. */
export function parsedText(body: Uint8Array): string {
  if (!isUtf8(body)) throw notUtf8();
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
}

class BodyReader implements PacedBody {
  length = 0;
  since = 0;
  readonly #incoming: IncomingMessage;
  readonly #maxBytes: number;
  readonly #holder: Holder;
  readonly #inFlight: InFlight | undefined;
  readonly #resolve: (body: HttpBody) => void;
  readonly #reject: (error: A2AError) => void;
  #first: Buffer | undefined;
  #more: Buffer[] | undefined;
  #hold: BytesHold | undefined;

  constructor(
    incoming: IncomingMessage,
    maxBytes: number,
    holder: Holder,
    inFlight: InFlight | undefined,
    resolve: (body: HttpBody) => void,
    reject: (error: A2AError) => void,
  ) {
    this.#incoming = incoming;
    this.#maxBytes = maxBytes;
    this.#holder = holder;
    this.#inFlight = inFlight;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  start(): void {
    this.#inFlight?.pace.watch(this);
    this.#incoming.on('data', this.#take).on('end', this.#finish).on('error', this.#breakOff).on('close', this.#close);
  }

  tooSlow(): void {
    this.#refuse(tooSlow());
  }

  readonly #take = (chunk: Buffer): void => {
    this.length += chunk.length;
    if (this.length > this.#maxBytes) return this.#refuse(tooLarge(this.#maxBytes));
    if (this.length > UNCOUNTED_BYTES) {
      const refusal = (this.#hold ??= this.#inFlight?.requests.open(this.#holder))?.reach(this.length);
      if (refusal !== undefined) return this.#refuse(refusal);
    }
    if (this.#first === undefined) this.#first = chunk;
    else (this.#more ??= [this.#first]).push(chunk);
  };

  readonly #finish = (): void => {
    this.#letGo();
    const whole = this.#more === undefined ? this.#first : Buffer.concat(this.#more, this.length);
    if (whole !== undefined && !isUtf8(whole)) this.#reject(notUtf8());
    else this.#resolve({ text: whole?.toString('utf8') ?? '' });
  };

  readonly #breakOff = (cause: Error): void => this.#fail(cutOff(cause));

  /** Without an error, and without an end: nobody waits for the response, but somebody for the promise. */
  readonly #close = (): void => this.#fail(cutOff(undefined));

  /** Reads nothing more of it. */
  #refuse(error: A2AError): void {
    this.#incoming.pause();
    this.#fail(error);
  }

  #fail(error: A2AError): void {
    this.#letGo();
    this.#reject(error);
  }

  /**
   * The response may be a stream that is open for days, and the request stays as long: a listener on it would keep the whole
   * body.
   */
  #letGo(): void {
    this.#inFlight?.pace.unwatch(this);
    this.#hold?.release();
    this.#incoming.off('data', this.#take).off('end', this.#finish).off('error', this.#breakOff);
    this.#incoming.off('close', this.#close);
  }
}
