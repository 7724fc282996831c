import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Agent } from '../server/agent.ts';
import { AgentHandler } from '../server/handler.ts';
import { type HandlerOptions, readHandlerOptions } from '../server/handler-options.ts';
import type { Store } from '../store/store.ts';
import { isLoopback, loopbackOnly } from './loopback.ts';
import { type NodeListener, toNodeListener } from './listener.ts';
import { stderrLog } from './stderr-log.ts';

export interface ServeOptions extends HandlerOptions {
  /** 4100 if not set; 0 for any that is free. */
  readonly port?: number;
  /** The address to listen at, `127.0.0.1` if not set. For now this must be of this machine alone. */
  readonly host?: string;
}

/** An agent that listens. */
export interface AgentServer {
  /** Where it is, without a slash at the end. */
  readonly url: string;
  readonly port: number;
  readonly handler: AgentHandler;
  /**
   * Stops listening and gives what runs `finishMs` (10 s) to finish; what is unfinished then goes on at the next start.
   * Streams end so that their readers come back for the rest. Connections that are still open 5 s later are cut.
   */
  close(options?: { readonly finishMs?: number }): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const DEFAULT_PORT = 4100;
const DEFAULT_FILE = 'tandem.db';
const FINISH_MS = 10_000;
const CUT_MS = 5000;

/**
 * Serves an agent over HTTP: every version of the protocol, on one port. Its tasks are kept in `tandem.db` unless a store
 * is given, and what an earlier process left unfinished goes on.
 *
 * @example
 * const server = await serve(translator);
 * console.log(`${server.url}/.well-known/agent-card.json`);
 */
export async function serve(agent: Agent, options: ServeOptions = {}): Promise<AgentServer> {
  const { port = DEFAULT_PORT, host = '127.0.0.1' } = options;
  const settings = readHandlerOptions('serve()', agent, options, ['port', 'host']);
  if (!isLoopback(host)) {
    throw new TypeError(`serve() listens on this machine only, at 127.0.0.1, ::1 or localhost, not at ${host}`);
  }
  const own = settings.store === undefined ? await openDefaultStore() : undefined;
  const store = settings.store ?? own;
  try {
    const http = createServer({ requestTimeout: 60_000, headersTimeout: 20_000, connectionsCheckingInterval: 5000 });
    await listen(http, port, host);
    const { port: bound } = http.address() as AddressInfo;
    const url = `http://${host.includes(':') ? `[${host}]` : host}:${bound}`;
    const publicUrl = settings.publicUrl ?? (settings.trustProxy ? undefined : url);
    const handler = new AgentHandler(agent, { ...settings, store, publicUrl, log: settings.log ?? stderrLog });
    const listener = loopbackOnly(toNodeListener(handler), publicUrl, settings.trustProxy);
    http.on('request', listener);
    http.on('checkContinue', invitingBody(listener));
    try {
      await handler.start();
    } catch (error) {
      http.close();
      throw error;
    }
    let closing: Promise<void> | undefined;
    const close: AgentServer['close'] = (given = {}) => (closing ??= shutDown(http, handler, own, given));
    return { url, port: bound, handler, close, [Symbol.asyncDispose]: () => close() };
  } catch (error) {
    await own?.close();
    throw error;
  }
}

/** For who asks before he sends his body: he is told to when somebody begins to read it, which may be never. */
function invitingBody(listener: NodeListener): NodeListener {
  return (incoming, outgoing) => {
    incoming.once('resume', () => {
      if (!outgoing.headersSent) outgoing.writeContinue();
    });
    listener(incoming, outgoing);
  };
}

/** Loaded late: who brings a store of his own needs no driver for this one. */
async function openDefaultStore(): Promise<Store> {
  const { sqlite } = await import('../store/sqlite/store.ts');
  return sqlite(DEFAULT_FILE);
}

function listen(http: HttpServer, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    http.once('error', (error: NodeJS.ErrnoException) => reject(explained(error, port)));
    http.listen(port, host, () => resolve());
  });
}

function explained(error: NodeJS.ErrnoException, port: number): Error {
  if (error.code !== 'EADDRINUSE') return error;
  return new Error(`Port ${port} is in use: set another as port, or 0 for any that is free`, { cause: error });
}

async function shutDown(
  http: HttpServer,
  handler: AgentHandler,
  own: Store | undefined,
  { finishMs = FINISH_MS }: { readonly finishMs?: number },
): Promise<void> {
  const closed = new Promise<void>((resolve) => http.close(() => resolve()));
  await handler.close({ finishMs });
  // Everybody has his answer now, or the hint to come back.
  http.closeIdleConnections();
  const cut = setTimeout(() => http.closeAllConnections(), CUT_MS);
  await closed;
  clearTimeout(cut);
  await own?.close();
}
