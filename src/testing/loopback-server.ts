import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type HttpResponse, jsonResponse } from '../host/http.ts';
import { type LeaveSignal, Leaving } from '../support/leave-signal.ts';
import { ConnectionDropped, failedFetch, toResponse } from './in-process.ts';

/** A request with its whole body. */
export interface LoopbackRequest {
  readonly method: string;
  /** Percent-encoded, without the query. */
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Aborted when the caller disconnects or the server closes. */
  readonly signal: LeaveSignal;
}

/** Responds to a request. Throws `ConnectionDropped`, at once or within the body, to break the connection. */
export type RequestHandler = (request: LoopbackRequest, url: string) => Promise<HttpResponse>;

type SingleHandler = (request: LoopbackRequest) => Promise<HttpResponse>;

/** A server on a free loopback port of this machine. */
export interface LoopbackServer {
  /** Without a trailing slash. */
  readonly url: string;
  /** Sends a request without a socket. Fails with the errors of the global `fetch`. */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /** Closes the server and every connection, also those in use. */
  close(): Promise<void>;
}

/** Starts a server. `answer` responds to every request and gets the address of the server. */
export async function listenOnLoopback(answer: RequestHandler): Promise<LoopbackServer> {
  const http = createServer();
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject);
    http.listen(0, '127.0.0.1', () => resolve());
  });
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const underWay = new Set<Leaving>();
  http.on('request', (incoming, outgoing) => void serveOne(incoming, outgoing, (request) => answer(request, url)));
  let closing: Promise<void> | undefined;
  return {
    url,
    fetch: (input, init) => fetchOne(new Request(input, init), (request) => answer(request, url), underWay),
    close: () => (closing ??= shutDown(http, underWay)),
  };
}

function shutDown(http: Server, underWay: ReadonlySet<Leaving>): Promise<void> {
  for (const leaving of underWay) leaving.leave();
  return new Promise((resolve) => {
    http.close(() => resolve());
    http.closeAllConnections();
  });
}

async function serveOne(incoming: IncomingMessage, outgoing: ServerResponse, answer: SingleHandler): Promise<void> {
  const leaving = new Leaving();
  outgoing.once('close', () => leaving.leave());
  try {
    const request = await readWhole(incoming, leaving);
    const response = await answer(request).catch(mishap);
    await write(response, outgoing);
  } catch {
    // Dropped on purpose, or by the caller: there is nobody to respond to.
    outgoing.destroy();
  }
}

async function readWhole(incoming: IncomingMessage, signal: LeaveSignal): Promise<LoopbackRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const [path = '/', ...query] = (incoming.url ?? '/').split('?');
  const headers = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)] as const);
  return {
    method: incoming.method ?? 'GET',
    path,
    query: query.join('?'),
    headers: Object.fromEntries(headers),
    body: Buffer.concat(chunks).toString('utf8'),
    signal,
  };
}

/** Shows unexpected errors to the author of the test. */
function mishap(error: unknown): HttpResponse {
  if (error instanceof ConnectionDropped) throw error;
  return jsonResponse(500, { error: error instanceof Error ? error.message : String(error) });
}

async function write({ status, headers, body }: HttpResponse, outgoing: ServerResponse): Promise<void> {
  if (body === undefined || typeof body === 'string') {
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
    outgoing.writeHead(status, { ...headers, ...length });
    outgoing.end(body);
    return;
  }
  outgoing.writeHead(status, headers);
  outgoing.flushHeaders();
  for await (const piece of body) {
    // Wait until the system has the data, so that dropping the connection next loses none of it.
    await new Promise<void>((resolve, reject) => {
      outgoing.write(piece, (error) => (error ? reject(error) : resolve()));
    });
  }
  outgoing.end();
}

async function fetchOne(request: Request, answer: SingleHandler, underWay: Set<Leaving>): Promise<Response> {
  const { signal } = request;
  signal.throwIfAborted();
  const leaving = new Leaving();
  underWay.add(leaving);
  const leave = (): void => leaving.leave();
  signal.addEventListener('abort', leave, { once: true });
  const release = (): void => {
    underWay.delete(leaving);
    signal.removeEventListener('abort', leave);
  };
  try {
    const url = new URL(request.url);
    const response = await answer({
      method: request.method,
      path: url.pathname,
      query: url.search.slice(1),
      headers: Object.fromEntries(request.headers),
      body: await request.text(),
      signal: leaving,
    }).catch(mishap);
    signal.throwIfAborted();
    return toResponse(response, leaving, release);
  } catch (error) {
    release();
    if (signal.aborted) throw signal.reason;
    throw error instanceof ConnectionDropped ? failedFetch('fetch failed') : error;
  }
}
