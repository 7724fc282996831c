import { guardedLookup, type Lookup, systemResolver } from '../../support/net/guarded-lookup.ts';
import { tooLarge } from './body-text.ts';
import { type Transport, TransportFailure, type TransportRequest, type TransportResponse } from './transport.ts';

type NodeProcess = NodeJS.Process;
type Http = ReturnType<typeof httpOf>;
type ClientRequest = ReturnType<Http['request']>;
type IncomingMessage = InstanceType<Http['IncomingMessage']>;
type Agent = InstanceType<Http['Agent']>;
type RequestOptions = Parameters<Http['request']>[1];

/** How long a discarded response may take to end by itself before its connection is closed. */
const DISCARD_MS = 250;

/** The interval of TCP keep-alive probes, which detect a dead peer. */
const KEEP_ALIVE_MS = 15_000;

/** Closes idle connections before servers do, most of them after 5 s. A message sent at that moment may or may not arrive. */
const IDLE_MS = 4000;

/**
 * The transport for Node: `node:http` with keep-alive, at a fraction of the CPU of `fetch`. The modules are taken from the process
 * instead of imported, so that bundlers for browsers do not see them.
 */
export class NodeTransport implements Transport {
  readonly #node: NodeProcess;
  readonly #agents = new Map<string, Agent>();
  #guardedLookup: Lookup | undefined;
  /** Cached by URL object, because most requests use the same one. */
  #targets = new WeakMap<URL, RequestTarget>();

  constructor(node: NodeProcess) {
    this.#node = node;
  }

  call(request: TransportRequest): Promise<TransportResponse> {
    const { method, url, body, signal, guarded } = request;
    const { http, agent, hostname, port, path, host } = this.#targetOf(url);
    return new Promise((resolve, reject) => {
      const options: RequestOptions = { method, headers: this.#headersOf(request, host), agent, hostname, port, path };
      if (guarded) options.lookup = this.#guardedLookup ??= guardedLookup(systemResolver(this.#node));
      const outgoing = http.request(options);
      const leave = (): void => void outgoing.destroy(new Error('stopped'));
      const connection = new ConnectionState(outgoing);
      let isAnswered = false;
      outgoing.on('response', (incoming) => {
        isAnswered = true;
        resolve(new NodeResponse(incoming, () => signal.removeEventListener('abort', leave)));
      });
      outgoing.on('error', (error) => {
        signal.removeEventListener('abort', leave);
        reject(new TransportFailure(error.message || String(codeOf(error)), connection.sent, error));
      });
      // Covers all other ends without a response, such as an unrequested upgrade.
      outgoing.on('close', () => {
        // Every request is closed, and creating an error takes a tenth of the time of a request.
        if (!isAnswered) reject(new TransportFailure('the connection was closed without a response', connection.sent));
      });
      if (signal.aborted) leave();
      else signal.addEventListener('abort', leave, { once: true });
      outgoing.end(body);
    });
  }

  close(): void {
    for (const agent of this.#agents.values()) agent.destroy();
    this.#agents.clear();
    this.#targets = new WeakMap();
  }

  #targetOf(url: URL): RequestTarget {
    let target = this.#targets.get(url);
    if (target === undefined) {
      const { protocol, hostname, port, host, pathname, search } = url;
      const isSecure = protocol === 'https:';
      const http = isSecure ? this.#node.getBuiltinModule('node:https') : httpOf(this.#node);
      target = {
        http,
        agent: this.#agentFor(protocol, http),
        hostname: hostname.replace(/^\[|\]$/g, ''),
        port: Number(port) || (isSecure ? 443 : 80),
        path: pathname + search,
        host,
      };
      this.#targets.set(url, target);
    }
    return target;
  }

  /** Returns a flat list, as Node writes headers. An object costs a tenth of a request more. */
  #headersOf({ method, headers, body }: TransportRequest, host: string): string[] {
    const list = headers['host'] === undefined ? ['host', host] : [];
    for (const name in headers) list.push(name, headers[name] as string);
    if (body !== undefined) list.push('content-length', String(this.#byteLength(body)));
    else if (method === 'POST') list.push('content-length', '0');
    return list;
  }

  #byteLength(text: string): number {
    return this.#node.getBuiltinModule('node:buffer').Buffer.byteLength(text);
  }

  #agentFor(protocol: string, http: Pick<Http, 'Agent'>): Agent {
    let agent = this.#agents.get(protocol);
    if (agent === undefined) {
      agent = new http.Agent({ keepAlive: true, keepAliveMsecs: KEEP_ALIVE_MS, timeout: IDLE_MS, scheduling: 'lifo' });
      this.#agents.set(protocol, agent);
    }
    return agent;
  }
}

/** The connection parameters of a URL. */
interface RequestTarget {
  readonly http: Pick<Http, 'request'>;
  readonly agent: Agent;
  readonly hostname: string;
  readonly port: number;
  readonly path: string;
  readonly host: string;
}

function httpOf(node: NodeProcess) {
  return node.getBuiltinModule('node:http');
}

/** Whether the peer may have received the request: not before the connection is established. */
class ConnectionState {
  sent: 'no' | 'maybe' = 'no';

  constructor(request: ClientRequest) {
    request.on('socket', (socket) => {
      const isNew = socket.connecting;
      if (!isNew) this.sent = 'maybe';
      else socket.once('encrypted' in socket ? 'secureConnect' : 'connect', () => (this.sent = 'maybe'));
    });
  }
}

class NodeResponse implements TransportResponse {
  readonly status: number;
  readonly #incoming: IncomingMessage;
  readonly #stop: () => void;
  #lost: (error: unknown) => void = () => {};

  constructor(incoming: IncomingMessage, stop: () => void) {
    this.status = incoming.statusCode ?? 0;
    this.#incoming = incoming;
    this.#stop = stop;
    // Handles errors of bodies that nobody reads. Code that iterates over the body gets them itself.
    incoming.on('error', (error) => this.#lost(error));
    incoming.on('close', () => {
      stop();
      if (!incoming.readableEnded) this.#lost(undefined);
    });
  }

  header(name: string): string | undefined {
    const value = this.#incoming.headers[name];
    return typeof value === 'object' ? value.join(', ') : value;
  }

  /** Uses listeners, because the iterator of a stream costs more than parsing its content. */
  text(maxBytes: number): Promise<string> {
    const incoming = this.#incoming;
    const chunks: Uint8Array[] = [];
    let length = 0;
    return new Promise((resolve, reject) => {
      incoming.on('data', (chunk: Uint8Array) => {
        length += chunk.length;
        chunks.push(chunk);
        if (length <= maxBytes) return;
        reject(tooLarge(maxBytes));
        incoming.destroy();
      });
      incoming.on('end', () => {
        this.#stop();
        resolve(decode(chunks));
      });
      this.#lost = (error) => reject(cutOff(error));
      if (incoming.destroyed && !incoming.readableEnded) this.#lost(incoming.errored);
    });
  }

  async *chunks(): AsyncGenerator<Uint8Array, void, void> {
    try {
      for await (const chunk of this.#incoming) yield chunk as Uint8Array;
    } catch (error) {
      throw cutOff(error);
    } finally {
      this.#stop();
    }
  }

  discard(): void {
    const incoming = this.#incoming;
    if (incoming.readableEnded || incoming.destroyed) return;
    const timer = setTimeout(() => incoming.destroy(), DISCARD_MS);
    incoming.once('close', () => clearTimeout(timer));
    incoming.resume();
  }

  close(): void {
    this.#incoming.destroy();
  }
}

function cutOff(error: unknown): TransportFailure {
  const why = error instanceof Error ? error.message : 'the peer closed it';
  return new TransportFailure(`the connection was lost: ${why}`, 'maybe', error);
}

const utf8 = new TextDecoder();

function decode(chunks: readonly Uint8Array[]): string {
  const [only] = chunks;
  if (chunks.length === 1 && only !== undefined) return utf8.decode(only);
  const decoder = new TextDecoder();
  return chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join('') + decoder.decode();
}

function codeOf(error: Error): unknown {
  return 'code' in error ? error.code : error.name;
}
