import { BodyTooLarge, joinBytes } from '../bytes.ts';
import {
  guardedLookup,
  type Lookup,
  networkResolver,
  pinnedLookup,
  PrivateAddressError,
  type Resolve,
  systemResolver,
} from '../net/guarded-lookup.ts';
import { isPrivateAddress } from '../net/private-address.ts';
import {
  DISCARD,
  type HttpClient,
  type OutboundRequest,
  type OutboundResponse,
  TransportFailure,
} from './http-client.ts';

type NodeProcess = NodeJS.Process;
type Http = ReturnType<typeof httpOf>;
type IncomingMessage = InstanceType<Http['IncomingMessage']>;
type Agent = InstanceType<Http['Agent']>;
type AgentOptions = NonNullable<ConstructorParameters<Http['Agent']>[0]>;

/** How host names are resolved, and which addresses guarded requests may connect to. Node only. */
export interface NodeClientOptions {
  /** Resolves the host names of all requests. Default: like the system. */
  readonly resolve?: Resolve | undefined;
  /** Whether the names of guarded requests are resolved without the system, unless `resolve` is set. See `networkResolver`. */
  readonly queriesNameServers?: boolean;
  /** Whether a guarded request may connect to this private address. Default: to none. */
  readonly mayCall?: ((address: string) => boolean) | undefined;
  /** The maximum number of concurrent connections to one host. Default: unlimited. */
  readonly maxSockets?: number | undefined;
}

/** The interval of TCP keep-alive probes, which detect a dead peer. */
const KEEP_ALIVE_MS = 15_000;

/** Closes idle connections before servers do, most of them after 5 s. A message sent at that moment may or may not arrive. */
const IDLE_MS = 4000;

/**
 * The client for Node: `node:http` with keep-alive, at a fraction of the CPU of `fetch`. It resolves a name once and connects to the
 * address it has checked, which `fetch` cannot do. The modules are taken from the process instead of imported, so that bundlers for
 * browsers do not see them.
 */
export class NodeClient implements HttpClient {
  readonly #node: NodeProcess;
  readonly #mayCall: ((address: string) => boolean) | undefined;
  /** Guarded requests never share a connection with others. */
  readonly #guarded: Pool;
  readonly #open: Pool;
  /** Functions that stop reading discarded bodies. */
  readonly #discarding = new Set<() => void>();

  constructor(node: NodeProcess, options: NodeClientOptions = {}) {
    const { resolve, queriesNameServers = false, mayCall, maxSockets } = options;
    this.#node = node;
    this.#mayCall = mayCall;
    const resolveGuarded = resolve ?? (queriesNameServers ? networkResolver(node) : systemResolver(node));
    const lookup = guardedLookup(resolveGuarded, mayCall);
    this.#guarded = new Pool(node, lookup, maxSockets);
    this.#open = new Pool(node, resolve && pinnedLookup(resolve), maxSockets);
  }

  call(request: OutboundRequest): Promise<OutboundResponse> {
    const { method, url, body, signal, guarded } = request;
    const pool = guarded ? this.#guarded : this.#open;
    const { http, agent, hostname, port, path, host } = pool.targetOf(url);
    return new Promise((resolve, reject) => {
      const outgoing = http.request({ method, headers: this.#headersOf(request, host), agent, hostname, port, path });
      /** Not before the connection is established. */
      let sent: 'no' | 'maybe' = 'no';
      let isAnswered = false;
      const leave = (): void => {
        outgoing.destroy(new Error('stopped'));
        // A request that waits for a socket emits no event when it is destroyed.
        if (!isAnswered) reject(new TransportFailure('The request was stopped', sent));
      };
      outgoing.on('socket', (socket) => {
        if (!socket.connecting) {
          sent = 'maybe';
          return;
        }
        socket.once('encrypted' in socket ? 'secureConnect' : 'connect', () => {
          if (!outgoing.destroyed) sent = 'maybe';
        });
        if (guarded) socket.prependOnceListener('connect', () => this.#checkPeer(socket.remoteAddress, outgoing));
      });
      outgoing.on('response', (incoming) => {
        isAnswered = true;
        resolve(new NodeResponse(incoming, this.#discarding, () => signal.removeEventListener('abort', leave)));
      });
      outgoing.on('error', (error) => {
        signal.removeEventListener('abort', leave);
        reject(new TransportFailure(error.message || String(codeOf(error)), sent, error));
      });
      // Covers all other ends without a response, such as an unrequested upgrade.
      outgoing.on('close', () => {
        // Every request is closed, and creating an error takes a tenth of the time of a request.
        if (!isAnswered) reject(new TransportFailure('the connection was closed without a response', sent));
      });
      if (signal.aborted) leave();
      else signal.addEventListener('abort', leave, { once: true });
      outgoing.end(body);
    });
  }

  close(): void {
    for (const end of this.#discarding) end();
    this.#guarded.close();
    this.#open.close();
  }

  /** The last check: the address that the socket is actually connected to. Names are not resolved if they are IP addresses. */
  #checkPeer(address: string | undefined, outgoing: { destroy(error: Error): unknown }): void {
    if (address === undefined || !isPrivateAddress(address) || this.#mayCall?.(address) === true) return;
    outgoing.destroy(new PrivateAddressError(`The connection reached the private address ${address}`));
  }

  /** Returns a flat list, as Node writes headers. An object costs a tenth of a request more. */
  #headersOf({ method, headers, body }: OutboundRequest, host: string): string[] {
    const list = headers['host'] === undefined ? ['host', host] : [];
    for (const name in headers) list.push(name, headers[name] as string);
    if (body !== undefined) list.push('content-length', String(this.#byteLength(body)));
    else if (method === 'POST') list.push('content-length', '0');
    return list;
  }

  #byteLength(text: string): number {
    return this.#node.getBuiltinModule('node:buffer').Buffer.byteLength(text);
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

/** Connections that are resolved and checked alike. */
class Pool {
  readonly #node: NodeProcess;
  readonly #options: AgentOptions;
  readonly #agents = new Map<string, Agent>();
  /** Cached by URL object, because most requests use the same one. */
  #targets = new WeakMap<URL, RequestTarget>();

  constructor(node: NodeProcess, lookup: Lookup | undefined, maxSockets: number | undefined) {
    this.#node = node;
    const idle = { keepAlive: true, keepAliveMsecs: KEEP_ALIVE_MS, timeout: IDLE_MS, scheduling: 'lifo' } as const;
    this.#options = { ...idle, ...(lookup && { lookup }), ...(maxSockets !== undefined && { maxSockets }) };
  }

  targetOf(url: URL): RequestTarget {
    let target = this.#targets.get(url);
    if (target === undefined) {
      const { protocol, hostname, port, host, pathname, search } = url;
      const isSecure = protocol === 'https:';
      const http = isSecure ? this.#node.getBuiltinModule('node:https') : httpOf(this.#node);
      let agent = this.#agents.get(protocol);
      if (agent === undefined) this.#agents.set(protocol, (agent = new http.Agent(this.#options)));
      target = {
        http,
        agent,
        hostname: hostname.replace(/^\[|\]$/g, ''),
        port: Number(port) || (isSecure ? 443 : 80),
        path: pathname + search,
        host,
      };
      this.#targets.set(url, target);
    }
    return target;
  }

  close(): void {
    for (const agent of this.#agents.values()) agent.destroy();
    this.#agents.clear();
    this.#targets = new WeakMap();
  }
}

function httpOf(node: NodeProcess) {
  return node.getBuiltinModule('node:http');
}

class NodeResponse implements OutboundResponse {
  readonly status: number;
  readonly #incoming: IncomingMessage;
  readonly #discarding: Set<() => void>;
  readonly #stop: () => void;
  #lost: (error: unknown) => void = () => {};

  constructor(incoming: IncomingMessage, discarding: Set<() => void>, stop: () => void) {
    this.status = incoming.statusCode ?? 0;
    this.#incoming = incoming;
    this.#discarding = discarding;
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

  text(maxBytes: number, option?: string): Promise<string> {
    return this.#gather(maxBytes, option, decode);
  }

  bytes(maxBytes: number, option?: string): Promise<Uint8Array> {
    return this.#gather(maxBytes, option, joinBytes);
  }

  /** Uses listeners, because the iterator of a stream costs more than parsing its content. */
  #gather<T>(
    maxBytes: number,
    option: string | undefined,
    finish: (chunks: readonly Uint8Array[], length: number) => T,
  ): Promise<T> {
    const incoming = this.#incoming;
    const chunks: Uint8Array[] = [];
    let length = 0;
    return new Promise((resolve, reject) => {
      incoming.on('data', (chunk: Uint8Array) => {
        length += chunk.length;
        chunks.push(chunk);
        if (length <= maxBytes) return;
        reject(new BodyTooLarge(maxBytes, option));
        incoming.destroy();
      });
      incoming.on('end', () => {
        this.#stop();
        resolve(finish(chunks, length));
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
    const end = (): void => {
      clearTimeout(timer);
      this.#discarding.delete(end);
      if (!incoming.readableEnded) incoming.destroy();
    };
    const timer = setTimeout(end, DISCARD.maxMs);
    this.#discarding.add(end);
    incoming.once('close', end);
    let length = 0;
    incoming.on('data', (chunk: Uint8Array) => {
      length += chunk.length;
      if (length > DISCARD.maxBytes) end();
    });
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
