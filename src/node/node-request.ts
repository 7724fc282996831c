import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { Caller } from '../engine/handler.ts';
import { baseUrl, type EdgeOptions, pathBelow } from '../server/http/base-url.ts';
import { alreadyRead } from '../host/limits/body-errors.ts';
import { type HttpBody, type HttpRequest, noHeaders } from '../host/http.ts';
import { forwardedAddress, isThisMachine } from '../host/limits/address.ts';
import { type LeaveSignal, Leaving } from '../support/leave-signal.ts';
import { trimEndOf } from '../support/trim-end.ts';
import { parsedText, readBody } from './read-body.ts';

/** Members that frameworks add to a request: the path before they stripped the mount point, and the parsed body. */
interface FrameworkMessage extends IncomingMessage {
  readonly originalUrl?: string;
  readonly body?: unknown;
}

/** Adapts a request of `node:http` to `HttpRequest`. */
export class NodeRequest implements HttpRequest {
  readonly method: string;
  readonly path: string | undefined;
  readonly query: string;
  caller: Caller | undefined = undefined;
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
    // A proxy may send an absolute URL. Anything else that is not a path matches nothing.
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

  get releasesHold(): boolean {
    return true;
  }

  get signal(): LeaveSignal {
    if (this.#leaving === undefined) {
      const leaving = (this.#leaving = new Leaving());
      onDisconnect(this.#incoming, this.#outgoing, () => leaving.leave());
    }
    return this.#leaving;
  }

  get headers(): never {
    throw noHeaders();
  }

  header(name: string): string | undefined {
    const value = this.#incoming.headers[name];
    return typeof value === 'object' ? value.join(', ') : value;
  }

  body(maxBytes: number): Promise<HttpBody> {
    const incoming = this.#incoming;
    // A body parser that does not handle the content type leaves an empty body and does not read the stream.
    if (!incoming.readableDidRead && !incoming.readableEnded)
      return readBody(incoming, maxBytes, this, this.#edge.inFlight);
    return parsedBody(incoming.body, incoming.readableDidRead);
  }
}

/** Calls back once if the client disconnects before it has the whole response. */
function onDisconnect(incoming: IncomingMessage, outgoing: ServerResponse, leave: () => void): void {
  const { socket } = incoming;
  // The response and its socket matter, not the request, which ends when its body is read.
  if (outgoing.destroyed || socket.destroyed) {
    leave();
    return;
  }
  outgoing.on('close', () => {
    // A finished response is not a disconnect.
    if (!outgoing.writableFinished) leave();
  });
  if (outgoing.socket !== null) return;
  // A response that waits for its turn on the connection gets no `close` event. A client may send any number of requests at
  // once, each with its own listener.
  socket.setMaxListeners(0);
  socket.once('close', leave);
  outgoing.once('close', () => socket.off('close', leave));
}

/** The body that a body parser has left: bytes, text or JSON; or nothing, if the request had no body. */
async function parsedBody(body: unknown, hadBytes: boolean): Promise<HttpBody> {
  if (body === undefined && hadBytes) throw alreadyRead();
  if (body === undefined) return { text: '' };
  if (typeof body === 'string') return { text: body };
  return body instanceof Uint8Array ? { text: parsedText(body) } : { json: body };
}
