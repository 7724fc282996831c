import type { Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Agent } from '../server/agent.ts';
import { Check, kindOf } from '../server/check.ts';
import { NEEDS_URL } from '../server/card-signing-options.ts';
import { A2AError } from '../errors.ts';
import { consoleLog } from '../observe/console-log.ts';
import type { Log } from '../observe/log.ts';
import { safeLog } from '../observe/safe-log.ts';
import { AgentHandler } from '../server/handler.ts';
import { type HandlerOptions, type HandlerSettings, readHandlerOptions } from '../server/handler-options.ts';
import { several } from '../server/push-options.ts';
import { strangersFor } from '../server/strangers.ts';
import type { Store } from '../store/store.ts';
import { defined } from '../support/defined.ts';
import { isLoopback } from '../support/loopback.ts';
import { isListenHost, LISTEN_HOST, listenAddress } from './listen-address.ts';
import { loopbackOnly } from './loopback.ts';
import type { Middleware } from './express.ts';
import { type NodeListener, toNodeListener } from './listener.ts';
import { requireAuth, tellOfStrangers } from './openness.ts';
import { withMiddleware } from './serve-middleware.ts';

export interface ServeOptions extends HandlerOptions {
  /** `PORT` from the environment if not set, else 4100; 0 for any that is free. */
  readonly port?: number;
  /** The address to listen at; `BIND_HOST` from the environment if not set, else `127.0.0.1`. Any that others can reach needs `auth`. */
  readonly host?: string;
  /** Connections at a time, 10,000 if not set; what comes above that is hung up on. */
  readonly maxConnections?: number;
  /** The first line and the headers of a request, 16 KiB if not set. */
  readonly maxHeaderBytes?: number;
  /**
   * Runs before the agent for every request, also before `auth`: `(request, response, next) => …`, one or several in order. Each
   * calls `next()` to pass the request on, or responds itself.
   */
  readonly middleware?: Middleware | readonly Middleware[];
}

export interface CloseOptions {
  /** How long what runs may take to finish, 10 s if not set. */
  readonly finishMs?: number;
  /** @internal How long connections may take after that. */
  readonly cutMs?: number;
  /** @internal The process is in an unknown state: the attempts of unfinished runs count, as they do when it dies. */
  readonly afterCrash?: boolean;
}

/** An agent that listens. */
export interface AgentServer {
  /** Where the agent is, with its `basePath`; without a slash at the end. */
  readonly url: string;
  readonly port: number;
  readonly handler: AgentHandler;
  /**
   * Takes no more work and gives what runs `finishMs` (10 s) to finish; what is unfinished then resumes at the next start.
   * The port stays open until then: new work gets 503 with `Retry-After`, and reads get their response. Streams end so that
   * their readers come back for the rest. Connections that are still open 5 s later are cut.
   */
  close(options?: CloseOptions): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const DEFAULT_FILE = 'tandem.db';
/** Addresses that mean all of a machine's, and the one of them that is always there. */
const ALL_ADDRESSES: ReadonlyMap<string, string> = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
]);
/** A request must be there within a minute. An idle connection is kept for as long as most clients keep it. */
const TIMES = {
  headersTimeout: 20_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5000,
} as const;
/** For a process that may have so many files open, and for addresses and tokens as they are. */
export const DEFAULT_SOCKET_LIMITS = Object.freeze({ maxConnections: 10_000, maxHeaderBytes: 16 * 2 ** 10 });
const FINISH_MS = 10_000;
const CUT_MS = 5000;
const SWEEP_MS = 20;
const START_AGAIN_MS = 1000;

/**
 * Serves an agent over HTTP: every version of the protocol, on one port. Its tasks are kept in `tandem.db` unless a store
 * is given, and what an earlier process left unfinished goes on.
 *
 * @example
 * const server = await serve(translator);
 * console.log(`${server.url}/.well-known/agent-card.json`);
 */
export async function serve(agent: Agent, options: ServeOptions = {}): Promise<AgentServer> {
  const settings = readHandlerOptions('serve()', agent, options, {
    port: checkPort,
    host: checkHost,
    maxConnections: (check, value) => checkCount(check, 'maxConnections', value),
    maxHeaderBytes: (check, value) => checkCount(check, 'maxHeaderBytes', value),
    middleware: checkMiddleware,
  });
  const { port, host, hostSetting } = listenAddress(options);
  const { maxConnections, maxHeaderBytes } = { ...DEFAULT_SOCKET_LIMITS, ...defined(options) };
  requireAuth(settings, host, hostSetting);
  requireAddress(settings, host);
  const own = settings.store === undefined ? await openDefaultStore(settings.log ?? consoleLog) : undefined;
  const store = settings.store ?? own;
  try {
    // Loaded late: who mounts the agent in a framework has it, or needs none.
    const { createServer } = await import('node:http');
    const http = createServer({ ...TIMES, maxHeaderSize: maxHeaderBytes });
    http.maxConnections = maxConnections;
    await listen(http, port, host);
    const { port: bound } = http.address() as AddressInfo;
    const url = `http://${reachable(host)}:${bound}${settings.basePath}`;
    // Who listens at every address of a machine does not know by which one he is called.
    const isAtOne = !ALL_ADDRESSES.has(host);
    const publicUrl = settings.publicUrl ?? (settings.trustProxy || !isAtOne ? undefined : url);
    const strangers = strangersFor(settings);
    const log = settings.log ?? consoleLog;
    const rejectCrossSite = isLoopback(host);
    const handler = new AgentHandler(agent, { ...settings, store, publicUrl, rejectCrossSite }, strangers);
    // Strangers may be here under any name, and a page in a browser has no credentials of theirs.
    const open = withMiddleware(several(options.middleware), toNodeListener(handler), safeLog(log));
    const listener = isLoopback(host) ? loopbackOnly(handler, open, publicUrl, settings.trustProxy) : open;
    http.on('request', listener);
    http.on('checkContinue', invitingBody(listener));
    try {
      await startSoon(handler, http, log);
    } catch (error) {
      http.close();
      throw error;
    }
    tellOfStrangers(settings, host, strangers);
    let closing: Promise<void> | undefined;
    const close: AgentServer['close'] = (given = {}) => (closing ??= shutDown(http, handler, own, given));
    return { url, port: bound, handler, close, [Symbol.asyncDispose]: () => close() };
  } catch (error) {
    await own?.close();
    throw error;
  }
}

function checkPort(check: Check, port: unknown): void {
  if (Number.isSafeInteger(port) && Number(port) >= 0 && Number(port) <= 65_535) return;
  check.fault('port', `must be a number from 0 to 65535, not ${kindOf(port)}`);
}

function checkMiddleware(check: Check, value: unknown): void {
  const isOne = typeof value === 'function';
  const isList = Array.isArray(value) && value.every((each) => typeof each === 'function');
  if (!isOne && !isList) check.fault('middleware', `must be a function, or a list of functions, not ${kindOf(value)}`);
}

function checkHost(check: Check, host: unknown): void {
  if (!isListenHost(host)) check.fault('host', LISTEN_HOST);
}

/** No card is signed with an address that a request may have made up: who listens everywhere has to be told his own. */
function requireAddress({ cardSigning, publicUrl }: HandlerSettings, host: string): void {
  if (cardSigning === undefined || publicUrl !== undefined || !ALL_ADDRESSES.has(host)) return;
  const check = new Check();
  check.fault('cardSigning', NEEDS_URL);
  check.finish('serve() cannot use these options:');
}

/**
 * Starts what is to be served. A store that is away may come back: until then callers are told to come again, and it is
 * tried now and then, for nobody may call at all. Whatever else goes wrong is thrown.
 */
async function startSoon(handler: AgentHandler, http: HttpServer, log: Log): Promise<void> {
  try {
    await handler.start();
  } catch (error) {
    if (!A2AError.is(error, 'UNAVAILABLE') || handler.isClosing) throw error;
    log.warn('The agent cannot start yet', { error });
    const again = setInterval(() => {
      handler.start().then(
        () => clearInterval(again),
        () => {},
      );
    }, START_AGAIN_MS);
    http.once('close', () => clearInterval(again));
  }
}

/** How this machine itself reaches what listens there. */
function reachable(host: string): string {
  const name = ALL_ADDRESSES.get(host) ?? host;
  return name.includes(':') ? `[${name}]` : name;
}

function checkCount(check: Check, key: string, value: unknown): void {
  if (Number.isSafeInteger(value) && Number(value) > 0) return;
  check.fault(key, `must be a whole number, 1 or more, not ${kindOf(value)}`);
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
async function openDefaultStore(log: Log): Promise<Store> {
  const { sqlite } = await import('../store/sqlite/store.ts');
  return sqlite(DEFAULT_FILE, { log });
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
  { finishMs = FINISH_MS, cutMs = CUT_MS, afterCrash = false }: CloseOptions,
): Promise<void> {
  // The port stays open meanwhile: a caller that gets 503 with Retry-After knows more than one whose connection is refused.
  await handler.close({ finishMs, afterCrash });
  // Every caller has its response now, or the hint to come back.
  const closed = new Promise<void>((resolve) => http.close(() => resolve()));
  // A stream that ends leaves its connection open for the next request: there is no event for that, so it is looked for.
  const sweep = setInterval(() => http.closeIdleConnections(), SWEEP_MS);
  const cut = setTimeout(() => http.closeAllConnections(), cutMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(cut);
  await own?.close();
}
