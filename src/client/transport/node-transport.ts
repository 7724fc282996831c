import { isPrivateAddress } from '../../support/private-address.ts';
import { tooLarge } from './body-text.ts';
import { type Transport, TransportFailure, type TransportRequest, type TransportResponse } from './transport.ts';

type NodeProcess = NodeJS.Process;
type Http = ReturnType<typeof httpOf>;
type ClientRequest = ReturnType<Http['request']>;
type IncomingMessage = InstanceType<Http['IncomingMessage']>;
type Agent = InstanceType<Http['Agent']>;
type RequestOptions = Parameters<Http['request']>[1];

/** How long an answer that nobody wants may take to end by itself before its connection is closed. */
const DISCARD_MS = 250;

/** Finds out about a peer that is gone without a word. */
const KEEP_ALIVE_MS = 15_000;

/** Most servers close what is idle for 5 s. Whoever sends a message just then cannot know whether it has arrived. */
const IDLE_MS = 4000;

/**
 * The transport for Node: `node:http` with connections that are kept, at a fraction of what `fetch` costs there. The
 * modules are taken from the process and not imported, so that no bundler for browsers ever meets them.
 */
export class NodeTransport implements Transport {
  readonly #node: NodeProcess;
  readonly #agents = new Map<string, Agent>();

  constructor(node: NodeProcess) {
    this.#node = node;
  }

  call(request: TransportRequest): Promise<TransportResponse> {
    const { method, url, headers, body, signal, guarded } = request;
    const http = url.protocol === 'https:' ? this.#node.getBuiltinModule('node:https') : httpOf(this.#node);
    const options: RequestOptions = {
      method,
      headers,
      agent: this.#agentFor(url.protocol, http),
      hostname: url.hostname.replace(/^\[|\]$/g, ''),
      port: Number(url.port) || (url.protocol === 'https:' ? 443 : 80),
      path: url.pathname + url.search,
    };
    if (guarded) options.lookup = this.#guardedLookup;
    return new Promise((resolve, reject) => {
      const outgoing = http.request(options);
      const leave = (): void => void outgoing.destroy(new Error('stopped'));
      const connection = new ConnectionState(outgoing);
      outgoing.once('response', (incoming) =>
        resolve(new NodeResponse(incoming, () => signal.removeEventListener('abort', leave))),
      );
      outgoing.on('error', (error) => {
        signal.removeEventListener('abort', leave);
        reject(new TransportFailure(error.message || String(codeOf(error)), connection.sent, error));
      });
      if (signal.aborted) leave();
      else signal.addEventListener('abort', leave, { once: true });
      outgoing.end(body);
    });
  }

  close(): void {
    for (const agent of this.#agents.values()) agent.destroy();
    this.#agents.clear();
  }

  #agentFor(protocol: string, http: Pick<Http, 'Agent'>): Agent {
    let agent = this.#agents.get(protocol);
    if (agent === undefined) {
      agent = new http.Agent({ keepAlive: true, keepAliveMsecs: KEEP_ALIVE_MS, timeout: IDLE_MS, scheduling: 'lifo' });
      this.#agents.set(protocol, agent);
    }
    return agent;
  }

  /** The addresses that are checked are the ones that are connected to: a name cannot change its mind in between. */
  readonly #guardedLookup: NonNullable<RequestOptions['lookup']> = (hostname, options, callback) => {
    this.#node.getBuiltinModule('node:dns').lookup(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      const refused = addresses?.find(({ address }) => isPrivateAddress(address));
      if (error !== null || first === undefined) callback(error ?? new Error(`${hostname} has no address`), '', 0);
      else if (refused !== undefined)
        callback(new Error(`${hostname} leads to the private address ${refused.address}`), '', 0);
      else if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

function httpOf(node: NodeProcess) {
  return node.getBuiltinModule('node:http');
}

/** Until the connection stands, nothing of the request can have arrived. */
class ConnectionState {
  sent: 'no' | 'maybe' = 'no';

  constructor(request: ClientRequest) {
    request.once('socket', (socket) => {
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

  constructor(incoming: IncomingMessage, stop: () => void) {
    this.status = incoming.statusCode ?? 0;
    this.#incoming = incoming;
    this.#stop = stop;
    // Also of a body that nobody reads; whoever reads it hears of it by reading.
    incoming.on('error', () => {});
    incoming.once('close', stop);
  }

  header(name: string): string | undefined {
    const value = this.#incoming.headers[name];
    return typeof value === 'object' ? value.join(', ') : value;
  }

  /** By listeners: the iterator of a stream costs more than parsing what it gives. */
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
      incoming.once('end', () => {
        this.#stop();
        resolve(decode(chunks));
      });
      incoming.once('error', (error) => reject(cutOff(error)));
      incoming.once('close', () => {
        if (!incoming.readableEnded) reject(cutOff(undefined));
      });
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
  const why = error instanceof Error ? error.message : 'it was closed';
  return new TransportFailure(`The connection was lost: ${why}`, 'maybe', error);
}

function decode(chunks: readonly Uint8Array[]): string {
  const decoder = new TextDecoder();
  const [only] = chunks;
  if (chunks.length === 1 && only !== undefined) return decoder.decode(only);
  return chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join('') + decoder.decode();
}

function codeOf(error: Error): unknown {
  return 'code' in error ? error.code : error.name;
}
