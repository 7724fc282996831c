import {
  guardedLookup,
  type Lookup,
  networkResolver,
  pinnedLookup,
  PrivateAddressError,
  type Resolve,
  systemResolver,
} from '../support/net/guarded-lookup.ts';
import { isPrivateAddress } from '../support/net/private-address.ts';
import type { AddressGuard } from './address-guard.ts';
import { gatherBytes, type OutboundResponse, type OutboundRequest, type OutboundTransport } from './transport.ts';

type Http = ReturnType<typeof httpOf>;
type ClientRequest = ReturnType<Http['request']>;
type IncomingMessage = InstanceType<Http['IncomingMessage']>;
type Agent = InstanceType<Http['Agent']>;

/** How long a discarded body may take to end before its connection is closed. */
const DISCARD_MS = 1000;

/** Below the 5 s after which most servers close an idle connection. */
const IDLE_MS = 4000;

/** The maximum number of concurrent connections to one receiver, regardless of the number of tasks. */
const MAX_SOCKETS_PER_HOST = 8;

/**
 * The transport for Node. It resolves a name once and connects to the address it has checked, which `fetch` cannot do. As in
 * the client, the Node modules come from `process.getBuiltinModule`, so that other runtimes can load this file.
 */
export class NodeOutboundTransport implements OutboundTransport {
  readonly #node: NodeJS.Process;
  readonly #mayCall: (address: string) => boolean;
  readonly #guarded: Lookup;
  readonly #unguarded: Lookup;
  readonly #agents = new Map<string, Agent>();
  /** Functions that stop reading discarded bodies. */
  readonly #discarding = new Set<() => void>();

  constructor(node: NodeJS.Process, guard: AddressGuard, resolve?: Resolve) {
    this.#node = node;
    this.#mayCall = (address) => guard.allowsAddress(address);
    this.#guarded = guardedLookup(resolve ?? networkResolver(node), this.#mayCall);
    this.#unguarded = pinnedLookup(resolve ?? systemResolver(node));
  }

  call({ method, url, isTrusted, headers, body, signal }: OutboundRequest): Promise<OutboundResponse> {
    const isSecure = url.protocol === 'https:';
    const http = isSecure ? this.#node.getBuiltinModule('node:https') : httpOf(this.#node);
    const bytes = body === undefined ? undefined : new TextEncoder().encode(body);
    return new Promise((resolve, reject) => {
      const outgoing = http.request({
        method,
        agent: this.#agentFor(http, `${url.protocol}${String(isTrusted)}`),
        hostname: url.hostname.replace(/^\[|\]$/g, ''),
        port: Number(url.port) || (isSecure ? 443 : 80),
        path: url.pathname + url.search,
        lookup: isTrusted ? this.#unguarded : this.#guarded,
        headers: {
          ...headers,
          host: url.host,
          ...(bytes !== undefined && { 'content-length': bytes.length }),
        },
      });
      const leave = (): void => {
        const reason = reasonOf(signal);
        outgoing.destroy(reason);
        // A request that still waits for a socket emits no event when it is destroyed.
        reject(reason);
      };
      if (!isTrusted) rejectPrivatePeers(outgoing, this.#mayCall);
      outgoing.on('response', (incoming) => {
        incoming.once('close', () => signal.removeEventListener('abort', leave));
        resolve(new NodeResponse(incoming, this.#discarding));
      });
      outgoing.on('error', (error) => {
        signal.removeEventListener('abort', leave);
        reject(error);
      });
      // Without an 'error' event, for example after an unexpected upgrade.
      outgoing.on('close', () => reject(new Error('The connection was closed without a response')));
      if (signal.aborted) leave();
      else signal.addEventListener('abort', leave, { once: true });
      outgoing.end(bytes);
    });
  }

  close(): void {
    for (const end of this.#discarding) end();
    for (const agent of this.#agents.values()) agent.destroy();
    this.#agents.clear();
  }

  /** Trusted and untrusted URLs never share a connection. */
  #agentFor({ Agent }: Pick<Http, 'Agent'>, kind: string): Agent {
    let agent = this.#agents.get(kind);
    if (agent === undefined) {
      agent = new Agent({ keepAlive: true, timeout: IDLE_MS, maxSockets: MAX_SOCKETS_PER_HOST, scheduling: 'lifo' });
      this.#agents.set(kind, agent);
    }
    return agent;
  }
}

function httpOf(node: NodeJS.Process) {
  return node.getBuiltinModule('node:http');
}

/** The last check: the address that the socket is actually connected to. */
function rejectPrivatePeers(outgoing: ClientRequest, mayCall: (address: string) => boolean): void {
  outgoing.on('socket', (socket) => {
    const look = (): void => {
      const { remoteAddress } = socket;
      if (remoteAddress === undefined || !isPrivateAddress(remoteAddress) || mayCall(remoteAddress)) return;
      outgoing.destroy(new PrivateAddressError(`The connection reached the private address ${remoteAddress}`));
    };
    if (socket.connecting) socket.prependOnceListener('connect', look);
    else look();
  });
}

function reasonOf({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new Error('The request was aborted');
}

class NodeResponse implements OutboundResponse {
  readonly status: number;
  readonly #incoming: IncomingMessage;
  readonly #discarding: Set<() => void>;

  constructor(incoming: IncomingMessage, discarding: Set<() => void>) {
    this.status = incoming.statusCode ?? 0;
    this.#incoming = incoming;
    this.#discarding = discarding;
    // Reading the body reports the error.
    incoming.on('error', () => {});
  }

  header(name: string): string | undefined {
    const value = this.#incoming.headers[name];
    return typeof value === 'object' ? value.join(', ') : value;
  }

  bytes(maxBytes: number): Promise<Uint8Array> {
    return gatherBytes(this.#incoming as AsyncIterable<Uint8Array>, maxBytes);
  }

  discard(maxBytes: number): void {
    const incoming = this.#incoming;
    if (incoming.destroyed) return;
    let length = 0;
    const end = (): void => {
      clearTimeout(timer);
      this.#discarding.delete(end);
      if (!incoming.readableEnded) incoming.destroy();
    };
    const timer = setTimeout(end, DISCARD_MS);
    this.#discarding.add(end);
    incoming.once('close', end);
    incoming.on('data', (chunk: Uint8Array) => {
      length += chunk.length;
      if (length > maxBytes) end();
    });
  }
}
