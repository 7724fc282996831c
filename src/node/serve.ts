import type { Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Agent } from '../agent/agent.ts';
import { Check, kindOf } from '../support/check.ts';
import { NEEDS_URL } from '../server/options/card-signing-options.ts';
import { A2AError } from '../errors.ts';
import { consoleLog } from '../observe/console-log.ts';
import type { Log } from '../observe/log.ts';
import { safeLog } from '../observe/safe-log.ts';
import { AgentHandler } from '../server/handler.ts';
import { type HandlerOptions, type HandlerSettings, readHandlerOptions } from '../server/options/handler-options.ts';
import { several } from '../host/options/push-options.ts';
import { anonymousAccessFor } from '../host/options/anonymous-access.ts';
import type { Store } from '../store/store.ts';
import { count, option, type OptionTable } from '../support/options.ts';
import { isLoopback } from '../support/net/loopback.ts';
import { isListenHost, LISTEN_HOST, listenAddress } from './listen-address.ts';
import { loopbackOnly } from './loopback.ts';
import type { Middleware } from './express.ts';
import { type NodeListener, toNodeListener } from './listener.ts';
import { requireAuth, logAnonymousAccess } from './exposure.ts';
import { withMiddleware } from './serve-middleware.ts';

/** Options of `serve()`: those of `createHandler()`, and those of the HTTP server. */
export interface ServeOptions extends HandlerOptions {
  /** The port, or 0 for any free port. Default: the environment variable `PORT`, otherwise 4100. */
  readonly port?: number;
  /**
   * The address to listen on. An address that other machines can reach requires `auth` or `insecurePublic`. Default: the environment
   * variable `BIND_HOST`, otherwise `127.0.0.1`.
   */
  readonly host?: string;
  /** Open connections. The server closes connections over the limit immediately. Default: 10,000. */
  readonly maxConnections?: number;
  /** The size of the request line and headers in bytes. Default: 16 KiB. */
  readonly maxHeaderBytes?: number;
  /**
   * Connect-style middleware, one or several in order. It runs before the agent for every request, also before authentication. Each
   * calls `next()` to pass the request on, or responds itself.
   *
   * @example
   * middleware: (request, response, next) => {
   *   console.log(request.method, request.url);
   *   next();
   * }
   */
  readonly middleware?: Middleware | readonly Middleware[];
}

/** Options of `server.close()`. */
export interface CloseOptions {
  /** How long runs may take to finish, in milliseconds. Default: 10 s. */
  readonly finishMs?: number;
  /** @internal How long connections may stay open after that. */
  readonly cutMs?: number;
  /** @internal The process is in an unknown state: unfinished runs count as failed attempts, as after a crash. */
  readonly afterCrash?: boolean;
}

/** A running server, as `serve()` returns it. */
export interface AgentServer {
  /** The URL of the server on this machine, including `basePath`, without a trailing slash. A single agent is served there. */
  readonly url: string;
  /** The port on which the server listens. */
  readonly port: number;
  /** The handler behind the server, for `purge()`, `deadLetters()` and `authorize()`. */
  readonly handler: AgentHandler;
  /**
   * Stops accepting work and gives runs `finishMs` (default: 10 s) to finish. Unfinished runs resume at the next start. The port stays
   * open meanwhile: new work gets 503 with `Retry-After`, and reads get their response. Streams end with a hint to reconnect.
   * Connections that are still open 5 s later are closed. Calling it again returns the same promise.
   */
  close(options?: CloseOptions): Promise<void>;
  /** Calls `close()`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Addresses that stand for all interfaces, each with a loopback address that it includes. */
const ALL_ADDRESSES: ReadonlyMap<string, string> = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
]);
/** A request must arrive within a minute. Idle connections stay open slightly longer than most clients keep them. */
const TIMES = {
  headersTimeout: 20_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5000,
} as const;
/** The options that only `serve()` has. */
export const SERVE = {
  port: option((check, port, path) => {
    const isPort = Number.isSafeInteger(port) && Number(port) >= 0 && Number(port) <= 65_535;
    if (!isPort) check.fault(path, `expected a number from 0 to 65535, got ${kindOf(port)}`);
    return Number(port);
  }),
  host: option((check, host, path) => {
    if (!isListenHost(host)) check.fault(path, LISTEN_HOST);
    return String(host);
  }),
  // Connections count as open files, so the process must be allowed to open as many.
  maxConnections: count({ byDefault: 10_000 }),
  maxHeaderBytes: count({ byDefault: 16 * 2 ** 10 }),
  middleware: option((check, value, path) => {
    const areFunctions = several(value).every((each) => typeof each === 'function');
    if (!areFunctions) check.fault(path, `expected a function, or an array of functions, got ${kindOf(value)}`);
    return value as NonNullable<ServeOptions['middleware']>;
  }),
} as const satisfies OptionTable<Omit<ServeOptions, keyof HandlerOptions>>;
const FINISH_MS = 10_000;
const CUT_MS = 5000;
const SWEEP_MS = 20;
const START_AGAIN_MS = 1000;

/**
 * Serves an agent over HTTP, with every protocol version on one port. Tasks are stored in the SQLite file `.tandem/<agent id>.db` unless
 * you pass a store. Tasks that an earlier process left unfinished resume. If the store is unreachable, the server starts anyway,
 * responds with 503, and retries every second. Several agents share the port, the store and all options; each has its endpoints and
 * its card at `/a/<id>`.
 *
 * @example
 * const server = await serve(translator);
 * console.log(`${server.url}/.well-known/agent-card.json`);
 *
 * @throws TypeError that lists every invalid option.
 * @throws Error if the port is already in use.
 */
export async function serve(agent: Agent | readonly Agent[], options: ServeOptions = {}): Promise<AgentServer> {
  const settings = readHandlerOptions('serve()', agent, options, SERVE);
  const { maxConnections, maxHeaderBytes } = settings;
  const { port, host, hostSetting } = listenAddress(settings);
  requireAuth(settings, host, hostSetting);
  requireAddress(settings, host);
  const own = settings.store === undefined ? await ownStore([agent].flat(), settings) : undefined;
  const store = settings.store ?? own;
  try {
    // Loaded late, because agents that are mounted in a framework do not need it.
    const { createServer } = await import('node:http');
    const http = createServer({ ...TIMES, maxHeaderSize: maxHeaderBytes });
    http.maxConnections = maxConnections;
    await listen(http, port, host);
    const { port: bound } = http.address() as AddressInfo;
    const url = `http://${reachable(host)}:${bound}${settings.basePath}`;
    // A server that listens on all interfaces does not know its public address.
    const isAtOne = !ALL_ADDRESSES.has(host);
    const publicUrl = settings.publicUrl ?? (settings.trustProxy || !isAtOne ? undefined : url);
    const anonymousAccess = anonymousAccessFor(settings);
    const log = settings.log ?? consoleLog;
    const rejectCrossSite = isLoopback(host);
    const handler = new AgentHandler(agent, { ...settings, store, publicUrl, rejectCrossSite }, anonymousAccess);
    // The host check protects local agents from DNS rebinding, because a page in a browser could reach them.
    const open = withMiddleware(several(settings.middleware), toNodeListener(handler), safeLog(log));
    const listener = isLoopback(host) ? loopbackOnly(handler, open, publicUrl, settings.trustProxy) : open;
    http.on('request', listener);
    http.on('checkContinue', invitingBody(listener));
    try {
      await startSoon(handler, http, log);
    } catch (error) {
      http.close();
      throw error;
    }
    logAnonymousAccess(settings, host, anonymousAccess);
    let closing: Promise<void> | undefined;
    const close: AgentServer['close'] = (given = {}) => (closing ??= shutDown(http, handler, own, given));
    return { url, port: bound, handler, close, [Symbol.asyncDispose]: () => close() };
  } catch (error) {
    await own?.close();
    throw error;
  }
}

/** On all interfaces the URL of the card comes from the request, and such a URL must not be signed. */
function requireAddress({ cardSigning, publicUrl }: HandlerSettings, host: string): void {
  if (cardSigning === undefined || publicUrl !== undefined || !ALL_ADDRESSES.has(host)) return;
  const check = new Check();
  check.fault('cardSigning', NEEDS_URL);
  check.finish('Invalid options for serve():');
}

/**
 * Starts the handler. If the store is unavailable, callers get 503 and the start is retried every second, even if no request arrives.
 * Other errors are thrown.
 */
async function startSoon(handler: AgentHandler, http: HttpServer, log: Log): Promise<void> {
  try {
    await handler.start();
  } catch (error) {
    if (!A2AError.is(error, 'UNAVAILABLE') || handler.isClosing) throw error;
    log.warn('Could not start agent yet; retrying', { error });
    const again = setInterval(() => {
      handler.start().then(
        () => clearInterval(again),
        () => {},
      );
    }, START_AGAIN_MS);
    http.once('close', () => clearInterval(again));
  }
}

/** The host by which this machine reaches the server. */
function reachable(host: string): string {
  const name = ALL_ADDRESSES.get(host) ?? host;
  return name.includes(':') ? `[${name}]` : name;
}

/** For requests with `Expect: 100-continue`: asks for the body when it is first read, which may be never. */
function invitingBody(listener: NodeListener): NodeListener {
  return (incoming, outgoing) => {
    incoming.once('resume', () => {
      if (!outgoing.headersSent) outgoing.writeContinue();
    });
    listener(incoming, outgoing);
  };
}

/** Loaded late, because other stores do not need it. */
async function ownStore(agents: readonly Agent[], { log, clock }: HandlerSettings): Promise<Store> {
  const { openDefaultStore } = await import('./default-store.ts');
  const ids = agents.map(({ id }) => id);
  const { store } = await openDefaultStore(ids, { log: safeLog(log ?? consoleLog), clock });
  return store;
}

function listen(http: HttpServer, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    http.once('error', (error: NodeJS.ErrnoException) => reject(explained(error, port)));
    http.listen(port, host, () => resolve());
  });
}

function explained(error: NodeJS.ErrnoException, port: number): Error {
  if (error.code !== 'EADDRINUSE') return error;
  return new Error(`Port ${port} is already in use: choose another port, or 0 for any free port`, { cause: error });
}

async function shutDown(
  http: HttpServer,
  handler: AgentHandler,
  own: Store | undefined,
  { finishMs = FINISH_MS, cutMs = CUT_MS, afterCrash = false }: CloseOptions,
): Promise<void> {
  // The port stays open meanwhile: a caller that gets 503 with Retry-After knows more than one whose connection is refused.
  await handler.close({ finishMs, afterCrash });
  // Every caller has its response now, or the hint to reconnect.
  const closed = new Promise<void>((resolve) => http.close(() => resolve()));
  // A stream that ends leaves its connection idle without an event, so idle connections are polled.
  const sweep = setInterval(() => http.closeIdleConnections(), SWEEP_MS);
  const cut = setTimeout(() => http.closeAllConnections(), cutMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(cut);
  await own?.close();
}
