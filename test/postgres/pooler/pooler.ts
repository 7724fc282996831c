import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server as Listener, type Socket } from 'node:net';
import { fatal, type Frame, frame, FrameParser, parametersOf, startFrame } from './frames.ts';

const SSL_REQUEST = 80_877_103;
const AUTHENTICATED = Buffer.concat([
  frame('R', Buffer.from([0, 0, 0, 0])),
  frame('S', Buffer.from('server_version\x0016.0\0')),
  frame('K', Buffer.alloc(8)),
  frame('Z', Buffer.from('I')),
]);
/** The parameters that PgBouncer accepts. It does not support others for a connection. */
const PARAMETERS: ReadonlySet<string> = new Set([
  'user',
  'database',
  'application_name',
  'client_encoding',
  'datestyle',
  'timezone',
  'standard_conforming_strings',
]);
/** The database responds to these with ReadyForQuery. */
const ENDS_WITH_READY: ReadonlySet<string> = new Set(['Q', 'S']);

/** A connection to the database. */
interface Server {
  readonly socket: Socket;
  client: Client | undefined;
}

interface Client {
  readonly socket: Socket;
  /** Frames that arrived while it had no connection. */
  readonly waiting: Buffer[];
  server: Server | undefined;
  last: Server | undefined;
  /** The number of pending responses: a client may pipeline. */
  outstanding: number;
}

/**
 * Shares a few connections to a database between many clients, as PgBouncer does in transaction mode: a client has one from
 * its first message until the database reports that no transaction is open, and then the client that has waited longest gets
 * it. The state of a session stays with the connection: prepared statements, settings, channels.
 */
export class TransactionPooler {
  readonly #target: URL;
  readonly #listener: Listener;
  readonly #clients = new Set<Client>();
  readonly #servers = new Set<Server>();
  readonly #idle: Server[] = [];
  readonly #queue: Client[] = [];
  #isClosed = false;
  /** How often a client got another connection than the one before. */
  moves = 0;

  private constructor(target: URL) {
    this.#target = target;
    this.#listener = createServer({ noDelay: true }, (socket) => this.#accept(socket));
  }

  static async start(url: string, size: number): Promise<TransactionPooler> {
    const pooler = new TransactionPooler(new URL(url));
    pooler.#listener.listen(0, '127.0.0.1');
    await once(pooler.#listener, 'listening');
    for (let i = 0; i < size; i++) pooler.#open();
    return pooler;
  }

  get url(): string {
    const own = new URL(this.#target);
    own.port = String((this.#listener.address() as AddressInfo).port);
    return own.href;
  }

  /** The number of clients. */
  get clients(): number {
    return this.#clients.size;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { socket } of [...this.#clients, ...this.#servers]) socket.destroy();
    this.#listener.close();
    await once(this.#listener, 'close');
  }

  #accept(socket: Socket): void {
    const client: Client = { socket, waiting: [], server: undefined, last: undefined, outstanding: 0 };
    const parser = new FrameParser('client');
    this.#clients.add(client);
    socket.on('error', () => {});
    socket.on('data', (data: Buffer) => {
      for (const message of parser.parse(data)) {
        if (message.type !== '') this.#forwardToServer(client, message);
        else if (message.body.readInt32BE(0) === SSL_REQUEST) {
          parser.expectStart();
          socket.write('N');
        } else {
          const unsupported = parametersOf(message.body).find((name) => !PARAMETERS.has(name.toLowerCase()));
          if (unsupported === undefined) socket.write(AUTHENTICATED);
          else socket.end(fatal('08P01', `unsupported startup parameter: ${unsupported}`));
        }
      }
    });
    socket.once('close', () => {
      this.#clients.delete(client);
      remove(this.#queue, client);
      // It may have left a transaction open.
      client.server?.socket.destroy();
    });
  }

  #forwardToServer(client: Client, { type, bytes }: Frame): void {
    if (type === 'X') {
      client.socket.end();
      return;
    }
    if (ENDS_WITH_READY.has(type)) client.outstanding++;
    if (client.server !== undefined) {
      client.server.socket.write(bytes);
      return;
    }
    client.waiting.push(bytes);
    if (this.#queue.includes(client)) return;
    this.#queue.push(client);
    this.#serveNext();
  }

  #serveNext(): void {
    if (this.#queue.length === 0) return;
    // The longest idle first, so that clients rarely get the same one again.
    const server = this.#idle.shift();
    if (server === undefined) return;
    const client = this.#queue.shift();
    if (client === undefined) return;
    if (client.last !== undefined && client.last !== server) this.moves++;
    client.server = client.last = server;
    server.client = client;
    for (const piece of client.waiting.splice(0)) server.socket.write(piece);
    this.#serveNext();
  }

  #open(): void {
    const { port, hostname, username, pathname } = this.#target;
    const socket = connect({ port: Number(port), host: hostname, noDelay: true });
    const server: Server = { socket, client: undefined };
    const parser = new FrameParser('server');
    this.#servers.add(server);
    socket.on('error', () => {});
    socket.write(startFrame({ user: decodeURIComponent(username), database: pathname.slice(1) }));
    let isReady = false;
    socket.on('data', (data: Buffer) => {
      for (const message of parser.parse(data)) {
        if (isReady) this.#forwardToClient(server, message);
        else if (message.type === 'Z') {
          isReady = true;
          this.#release(server);
        }
      }
    });
    socket.once('close', () => {
      this.#servers.delete(server);
      remove(this.#idle, server);
      server.client?.socket.destroy();
      if (!this.#isClosed) this.#open();
    });
  }

  #forwardToClient(server: Server, { type, body, bytes }: Frame): void {
    const { client } = server;
    // A notification for a session that has ended has no client.
    if (client === undefined) return;
    client.socket.write(bytes);
    if (type !== 'Z' || --client.outstanding > 0 || body.toString() !== 'I') return;
    client.server = server.client = undefined;
    this.#release(server);
  }

  #release(server: Server): void {
    this.#idle.push(server);
    this.#serveNext();
  }
}

function remove<T>(list: T[], item: T): void {
  const index = list.indexOf(item);
  if (index >= 0) list.splice(index, 1);
}
