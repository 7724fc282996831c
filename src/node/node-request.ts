import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { A2AError } from '../errors.ts';
import { baseUrl, type EdgeOptions, pathBelow } from '../server/base-url.ts';
import { alreadyRead, cutOff, isPacked, notUtf8, packed, tooLarge } from '../server/body-errors.ts';
import type { HttpBody, HttpRequest } from '../server/http.ts';
import { forwardedAddress, isThisMachine } from '../server/limits/address.ts';
import { type LeaveSignal, Leaving } from '../support/leave-signal.ts';
import { trimEndOf } from '../support/trim-end.ts';

/** What frameworks leave on a request: the path before they cut off their mount, and the body if they have read it. */
interface FrameworkMessage extends IncomingMessage {
  readonly originalUrl?: string;
  readonly body?: unknown;
}

/** A request of `node:http`, as the core sees it. */
export class NodeRequest implements HttpRequest {
  readonly method: string;
  readonly path: string | undefined;
  readonly query: string;
  readonly #incoming: FrameworkMessage;
  readonly #outgoing: ServerResponse;
  readonly #edge: EdgeOptions;
  readonly #whole: string;
  #leaving: Leaving | undefined;

  constructor(incoming: IncomingMessage, outgoing: ServerResponse, edge: EdgeOptions) {
    this.#incoming = incoming;
    this.#outgoing = outgoing;
    this.#edge = edge;
    this.method = incoming.method ?? 'GET';
    const url = incoming.url ?? '/';
    const mark = url.indexOf('?');
    const path = mark < 0 ? url : url.slice(0, mark);
    // A proxy may send the whole address; what is no path finds nothing.
    this.#whole = path.startsWith('/') || !URL.canParse(path) ? path || '/' : new URL(path).pathname;
    this.path = pathBelow(edge.basePath, this.#whole);
    this.query = mark < 0 ? '' : url.slice(mark + 1);
  }

  get base(): string {
    const { headers, socket, originalUrl = '' } = this.#incoming;
    const { basePath, trustProxy } = this.#edge;
    const [original = ''] = originalUrl.split('?');
    const mount = original.endsWith(this.#whole) ? original.slice(0, original.length - this.#whole.length) : '';
    const arrival = {
      protocol: (socket as Partial<TLSSocket>).encrypted === true ? 'https' : 'http',
      host: headers.host ?? `${socket.localAddress ?? 'localhost'}:${socket.localPort ?? 80}`,
      mount: trimEndOf(mount, '/') + basePath,
    };
    return baseUrl(arrival, trustProxy ? (name) => this.header(name) : undefined);
  }

  get remoteAddress(): string | undefined {
    return this.#forwarded ?? this.#incoming.socket.remoteAddress;
  }

  get isLocal(): boolean {
    return isThisMachine(this.#incoming.socket.remoteAddress) && this.#forwarded === undefined;
  }

  get #forwarded(): string | undefined {
    return this.#edge.trustProxy ? forwardedAddress(this.header('x-forwarded-for')) : undefined;
  }

  get signal(): LeaveSignal {
    if (this.#leaving === undefined) {
      const leaving = (this.#leaving = new Leaving());
      whenGone(this.#incoming, this.#outgoing, () => leaving.leave());
    }
    return this.#leaving;
  }

  header(name: string): string | undefined {
    const value = this.#incoming.headers[name];
    return typeof value === 'object' ? value.join(', ') : value;
  }

  body(maxBytes: number): Promise<HttpBody> {
    const incoming = this.#incoming;
    // A parser that found nothing for it leaves an empty body and the stream unread.
    if (!incoming.readableDidRead && !incoming.readableEnded) return readBody(incoming, maxBytes);
    return parsedBody(incoming.body, incoming.readableDidRead);
  }
}

/** Calls back once, if the caller goes before it has the whole answer. */
function whenGone(incoming: IncomingMessage, outgoing: ServerResponse, leave: () => void): void {
  const { socket } = incoming;
  // The end of the answer or its socket, and not of the request, which is over when its body is read.
  if (outgoing.destroyed || socket.destroyed) {
    leave();
    return;
  }
  outgoing.on('close', () => {
    // Who has the whole answer is not gone.
    if (!outgoing.writableFinished) leave();
  });
  if (outgoing.socket !== null) return;
  // An answer that waits for its turn on the connection is not told that there is none any more. A client may send any
  // number of requests at once, each with a listener of its own.
  socket.setMaxListeners(0);
  socket.once('close', leave);
  outgoing.once('close', () => socket.off('close', leave));
}

/** A body parser may have left bytes, a text, or JSON; or nothing, where nothing came. */
async function parsedBody(body: unknown, hadBytes: boolean): Promise<HttpBody> {
  if (body === undefined && hadBytes) throw alreadyRead();
  if (body === undefined) return { text: '' };
  if (typeof body === 'string') return { text: body };
  return body instanceof Uint8Array ? { text: textOf(body) } : { json: body };
}

function readBody(incoming: IncomingMessage, maxBytes: number): Promise<HttpBody> {
  return new Promise((resolve, reject) => {
    // Who went before he was asked for it is not heard going.
    if (incoming.destroyed) return reject(cutOff(undefined));
    if (isPacked(incoming.headers['content-encoding'])) return reject(packed());
    if (Number(incoming.headers['content-length']) > maxBytes) return reject(tooLarge(maxBytes));
    let first: Buffer | undefined;
    let more: Buffer[] | undefined;
    let length = 0;
    const take = (chunk: Buffer): void => {
      length += chunk.length;
      if (length > maxBytes) {
        incoming.pause();
        fail(tooLarge(maxBytes));
      } else if (first === undefined) first = chunk;
      else (more ??= [first]).push(chunk);
    };
    const finish = (): void => {
      letGo();
      const whole = more === undefined ? first : Buffer.concat(more, length);
      if (whole !== undefined && !isUtf8(whole)) reject(notUtf8());
      else resolve({ text: whole?.toString('utf8') ?? '' });
    };
    const fail = (error: A2AError): void => {
      letGo();
      reject(error);
    };
    const breakOff = (cause: Error): void => fail(cutOff(cause));
    // Without an error, and without an end: nobody waits for the answer, but somebody for the promise.
    const close = (): void => fail(cutOff(undefined));
    // The answer may be a stream that is open for days, and the request stays as long: what listens to it would keep the
    // whole body.
    const letGo = (): void => {
      incoming.off('data', take).off('end', finish).off('error', breakOff).off('close', close);
    };
    incoming.on('data', take).on('end', finish).on('error', breakOff).on('close', close);
  });
}

function textOf(bytes: Uint8Array): string {
  if (!isUtf8(bytes)) throw notUtf8();
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}
