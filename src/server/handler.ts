/// <reference lib="esnext.disposable" preserve="true" />
import type { DeadLetter, DeadLetterRange, Redelivered } from '../engine/outbox/dead-letters.ts';
import type { Engine, EngineCloseOptions } from '../engine/engine.ts';
import { A2AError } from '../errors.ts';
import { AuditTrail } from '../observe/audit.ts';
import { consoleLog } from '../observe/console-log.ts';
import type { Log } from '../observe/log.ts';
import { safeLog } from '../observe/safe-log.ts';
import type { PushConfigName, Store } from '../store/store.ts';
import { withTimeout } from '../support/time/with-timeout.ts';
import type { Agent } from '../agent/agent.ts';
import type { EdgeOptions } from './http/base-url.ts';
import { NEEDS_URL } from './options/card-signing-options.ts';
import { auditFacts } from '../host/failed-request.ts';
import { FetchRequest, toResponse } from './http/fetch-edge.ts';
import { type HandlerOptions, type HandlerSettings, readHandlerOptions } from './options/handler-options.ts';
import { Heartbeats } from './http/heartbeats.ts';
import type { HttpRequest, HttpResponse } from '../host/http.ts';
import { createInFlight } from '../host/limits/in-flight.ts';
import { HandlerPaths } from './http/own-paths.ts';
import { CARD_PATH, OLD_CARD_PATH, READINESS_PATH, READY_MS } from './http/page-paths.ts';
import { type AnonymousAccess, anonymousAccessAtMount } from '../host/options/anonymous-access.ts';
import { overTlsOnly } from './http/transport-security.ts';
import type { Endpoints } from './agent-endpoints.ts';
import type { Host } from '../host/host.ts';
import type { OpenHost } from './open-host.ts';

/**
 * Creates a handler for an agent, to mount in any HTTP server or framework. It serves every protocol version over JSON-RPC and REST.
 * The engine starts with the first request, or with `start()`. Call `close()` when you no longer need it. Several agents share a store
 * and all options; each has its endpoints and its card at `/a/<id>`.
 *
 * @example
 * const handler = createHandler(translator, { store, publicUrl: 'https://example.com/agent' });
 * export default { fetch: handler.fetch };
 *
 * @throws TypeError that lists every invalid option.
 */
export function createHandler(agent: Agent | readonly Agent[], options: HandlerOptions = {}): AgentHandler {
  const settings = readHandlerOptions('createHandler()', agent, options);
  if (settings.cardSigning !== undefined && settings.publicUrl === undefined) {
    throw new TypeError(`Invalid options for createHandler():\n  - cardSigning: ${NEEDS_URL}`);
  }
  return new AgentHandler(agent, settings, anonymousAccessAtMount(settings));
}

/** @internal The handler behind `connect(agent)`. Its only caller is the code that holds the agent. */
export function createLocalHandler(agent: object, store: Store): AgentHandler {
  const options = { store, heartbeatMs: 2 ** 31 - 1, auth: false } as const;
  const settings = readHandlerOptions('connect()', agent, options);
  return new AgentHandler(agent as Agent, settings, 'local');
}

/** The caller whose data `purge()` deletes. */
export interface PurgedCaller {
  /** The `id` of the caller, as `auth` returns it. */
  readonly callerId: string;
  /** Deletes the data of this tenant only. Default: the data without a tenant. */
  readonly tenant?: string;
}

/** A task that waits for an authorization, and its owner. */
export interface AuthorizedTask {
  /** `ctx.taskId` of the handler. */
  readonly taskId: string;
  /** `ctx.caller.id` of the handler. */
  readonly callerId: string;
  /** `ctx.tenant` of the handler. Default: no tenant. */
  readonly tenant?: string;
  /** The id of the question, if the task asks for several credentials. Default: the oldest one. */
  readonly questionId?: string;
}

/** Longer paths are not logged. */
const MAX_HINTED_PATH = 200;

/** The path endings that clients of an agent try first. */
const ENDINGS = [CARD_PATH, OLD_CARD_PATH, '/a2a', '/message:send', '/message:stream'];

/** Serves an agent over HTTP. `fetch`, `handle` and `authorize` are bound, so they can be passed around as functions. */
export class AgentHandler {
  readonly #agents: readonly Agent[];
  readonly #settings: HandlerSettings;
  readonly #log: Log;
  readonly #audit: AuditTrail;
  readonly #anonymousAccess: AnonymousAccess;
  readonly #paths: HandlerPaths;
  /** @internal The open streams, for the edge that writes them. */
  readonly heartbeats: Heartbeats;
  /** @internal Settings for the edges that create `HttpRequest`s. */
  readonly edge: Required<EdgeOptions>;
  #hasHinted = false;
  #opened: Promise<OpenHost> | undefined;
  /** Set once the engine has started. */
  #host: Host | undefined;
  #started: Endpoints | undefined;
  #starting: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  /** @internal `anonymousAccess`: how anonymous callers are treated without `auth`. */
  constructor(agent: Agent | readonly Agent[], settings: HandlerSettings, anonymousAccess: AnonymousAccess) {
    this.#agents = [agent].flat();
    this.#settings = settings;
    this.#log = safeLog(settings.log ?? consoleLog);
    this.#audit = new AuditTrail(settings.audit, this.#log);
    this.#anonymousAccess = anonymousAccess;
    this.heartbeats = new Heartbeats(settings.heartbeatMs);
    this.#paths = new HandlerPaths(
      this.#agents.map(({ id }) => id),
      settings,
    );
    const { basePath, trustProxy } = settings;
    this.edge = { basePath, trustProxy, inFlight: createInFlight(settings.limits) };
  }

  /** @internal Records in the audit trail that an edge has rejected a request. */
  noteRejection(request: HttpRequest, error: A2AError): void {
    this.#audit.rejected(error.code, auditFacts({ request }, error));
  }

  /** @internal The ids of the tasks that are running in this process. */
  runningTasks(): readonly string[] {
    return this.#host?.engine.runningTasks() ?? [];
  }

  /** @internal Whether `close()` was called. */
  get isClosing(): boolean {
    return this.#closing !== undefined;
  }

  /**
   * Handles a web-standard request, for Hono, Next, Deno, Bun and Workers. A `Request` does not contain the address of the client:
   * pass `{ remoteAddress }` as the second argument, so that limits can count by address. With `serverless`, `waitUntil` of the
   * second or third argument is used. Other members of these arguments are ignored.
   *
   * @example
   * export default { fetch: handler.fetch };
   * @example
   * Deno.serve((request, info) => handler.fetch(request, { remoteAddress: info.remoteAddr.hostname }));
   */
  readonly fetch = async (request: Request, from?: object, context?: object): Promise<Response> => {
    const own = new FetchRequest(request, this.edge, from, context);
    return toResponse(await this.handle(own), own, this);
  };

  /** @internal Handles a request below the prefix of a framework's route. */
  async fetchBelow(prefix: string, request: Request, from?: object): Promise<Response> {
    const own = new FetchRequest(request, { ...this.edge, basePath: prefix }, from);
    return toResponse(await this.handle(own), own, this);
  }

  /** @internal Logs once which `basePath` is probably missing, if an unmatched path ends like a path of the agent. */
  hintBasePath(path: string): void {
    if (this.#hasHinted || this.edge.basePath !== '' || path.length > MAX_HINTED_PATH) return;
    const own = ENDINGS.find((ending) => path.endsWith(ending));
    if (own === undefined || path === own) return;
    this.#hasHinted = true;
    this.#log.warn('Request does not match the agent; basePath may be missing', {
      path,
      basePath: path.slice(0, -own.length),
    });
  }

  /** Handles a request in the library's own format. `fetch` and the Node listener build on it. Never rejects. */
  readonly handle = (request: HttpRequest): Promise<HttpResponse> | HttpResponse => {
    const { cors } = this.#settings;
    const response = cors?.preflight(request) ?? this.#respond(request);
    if (cors === undefined) return response;
    return 'then' in response ? response.then((late) => cors.applied(request, late)) : cors.applied(request, response);
  };

  /**
   * Whether the agent serves a path, relative to its mount point. Frameworks use it to pass other requests on. At the mount point
   * itself the agent serves only JSON-RPC, so that the application can have a page there.
   */
  owns(path: string, method = 'POST'): boolean {
    return this.#paths.has(path, method);
  }

  /** @internal Like `owns`, for a path that still includes `basePath`. */
  ownsWhole(path: string, method = 'POST'): boolean {
    return this.#paths.hasWhole(path, method);
  }

  /**
   * Starts the engine and resumes the tasks that an earlier process left unfinished. Otherwise the first request does. After a
   * failure the next call or request tries again, because the database may not be up yet.
   *
   * @throws A2AError `UNAVAILABLE` once the handler is closed.
   */
  async start(): Promise<void> {
    if (this.isClosing) throw new A2AError('UNAVAILABLE', 'The agent is closed', { retryAfterMs: RETRY_MS });
    const starting = (this.#starting ??= this.#start());
    try {
      await starting;
    } catch (error) {
      // Another attempt may be in progress by now.
      if (this.#starting === starting) this.#starting = undefined;
      throw error;
    }
  }

  /**
   * Passes a credential to a task that waits for an authorization. Call it from the callback route of a login. The owner of the task
   * must match, so that a credential never reaches the task of another caller.
   *
   * @example
   * app.get('/callback', async (req, res) => {
   *   const { taskId, callerId } = readState(req.query.state);
   *   await handler.authorize({ taskId, callerId }, await exchangeCode(req.query.code));
   *   res.send('You can close this window.');
   * });
   *
   * @throws A2AError `TASK_NOT_FOUND`, and `UNSUPPORTED_OPERATION` if the task does not wait for an authorization.
   */
  readonly authorize = async (task: AuthorizedTask, credential = ''): Promise<void> => {
    const engine = await this.#engine();
    const { taskId, callerId, tenant = '', questionId } = task;
    const [first, ...others] = this.#agents;
    // With several agents the id of the task decides which of them it is for.
    const agent = first !== undefined && others.length === 0 ? { agent: first.id } : {};
    await engine.authorize({ tenant, owner: callerId, ...agent }, taskId, credential, questionId);
    await this.#host?.continuation.continueTask(taskId);
    this.#audit.done('authorization', { taskId, caller: callerId });
  };

  /**
   * Lets a task continue that is held because the code of its handler was changed (`onMismatch: 'hold'`). For operators: it is not
   * checked whom the task belongs to. In this turn the task is not held again.
   *
   * @throws A2AError `UNSUPPORTED_OPERATION` if the task is not held.
   */
  async release(taskId: string): Promise<void> {
    await (await this.#engine()).release(taskId);
    await this.#host?.continuation.continueTask(taskId);
    this.#audit.done('release', { taskId });
  }

  /**
   * Returns the push notifications that could not be delivered, the oldest first. They belong to all callers, so show them only to
   * operators.
   */
  async deadLetters(range: DeadLetterRange = {}): Promise<readonly DeadLetter[]> {
    return (await this.#engine()).deadLetters(range);
  }

  /**
   * Delivers a dead letter again, or all dead letters of a push configuration in order, with one attempt each. It stops at the first
   * failure. If all succeed, a disabled push configuration is enabled and receives the events since.
   *
   * @throws A2AError `INVALID_PARAMS` if the dead letter or push configuration does not exist.
   */
  async redeliver(which: string | PushConfigName): Promise<Redelivered> {
    const redelivered = await (await this.#engine()).redeliver(which);
    const { taskId, configId } = typeof which === 'string' ? { configId: which } : which;
    this.#audit.done('redelivery', { ...(taskId !== undefined && { taskId }), detail: configId });
    return redelivered;
  }

  /**
   * Deletes all data of one caller: the tasks of all agents that share the store with their events, history and files, push
   * configurations, dead letters and idempotency keys. Unfinished tasks are canceled first. Revoke the caller's access before you
   * call it. Returns the number of deleted tasks.
   *
   * @throws TypeError if `callerId` is missing or empty.
   * @throws A2AError `UNAVAILABLE` if the caller has started new tasks that still run. Call it again.
   */
  async purge({ callerId, tenant = '' }: PurgedCaller): Promise<number> {
    if (typeof callerId !== 'string' || callerId === '' || typeof tenant !== 'string')
      throw new TypeError('purge() needs a caller id: purge({ callerId })');
    const engine = await this.#engine();
    let deleted = 0;
    let isComplete = false;
    try {
      await engine.purge({ tenant, owner: callerId }, (tasks) => (deleted += tasks));
      isComplete = true;
      return deleted;
    } finally {
      const detail = `${deleted} ${deleted === 1 ? 'task' : 'tasks'}${isComplete ? '' : ', incomplete'}`;
      this.#audit.done('purge', { caller: callerId, ...(tenant !== '' && { tenant }), detail });
    }
  }

  /**
   * Stops accepting work, gives runs `finishMs` to finish (default: 0), and ends all streams with a hint to reconnect. Unfinished runs
   * resume at the next start. The store stays open.
   */
  close(options: EngineCloseOptions = {}): Promise<void> {
    return (this.#closing ??= this.#close(options));
  }

  /** Calls `close()`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #respond(request: HttpRequest): Promise<HttpResponse> | HttpResponse {
    const response = this.#started === undefined ? this.#handleLater(request) : this.#started.handle(request);
    if (!this.#isOverTls(request)) return response;
    return 'then' in response ? response.then(overTlsOnly) : overTlsOnly(response);
  }

  async #start(): Promise<void> {
    const opened = await this.#load();
    await opened.endpoints.start();
    await opened.host.start();
    this.#started = opened.endpoints;
    this.#host = opened.host;
  }

  /** Loaded late, because a program may only describe an agent, or serve it later, and most of the code is only needed then. */
  async #load(): Promise<OpenHost> {
    const opened = (this.#opened ??= this.#open());
    try {
      return await opened;
    } catch (error) {
      // Another attempt may be in progress by now.
      if (this.#opened === opened) this.#opened = undefined;
      throw error;
    }
  }

  async #open(): Promise<OpenHost> {
    const { openHost } = await import('./open-host.ts');
    return openHost({
      agents: this.#agents,
      settings: this.#settings,
      anonymousAccess: this.#anonymousAccess,
      log: this.#log,
      audit: this.#audit,
      heartbeats: this.heartbeats,
      paths: this.#paths,
      isClosing: () => this.isClosing,
      inFlight: this.edge.inFlight,
    });
  }

  async #engine(): Promise<Engine> {
    if (this.#host === undefined) await this.start();
    if (this.#host === undefined) throw new A2AError('UNAVAILABLE', 'The agent is closed');
    return this.#host.engine;
  }

  async #close(options: EngineCloseOptions): Promise<void> {
    await this.#starting?.catch(() => {});
    const opened = await this.#opened?.catch(() => undefined);
    await opened?.host.close(options);
    // Streams whose clients never read the end.
    this.heartbeats.close();
    this.#audit.close();
    this.edge.inFlight.pace.close();
  }

  async #handleLater(request: HttpRequest): Promise<HttpResponse> {
    try {
      await this.#startFor(request);
    } catch (error) {
      const opened = await this.#load().catch(() => undefined);
      if (opened === undefined) return this.#unavailable(error);
      if (this.isClosing && A2AError.is(error)) return opened.endpoints.reject(request, error);
      this.#log.error('Could not start agent', { error });
      const late = new A2AError('UNAVAILABLE', 'The agent could not start; see its log for the cause', {
        retryAfterMs: RETRY_MS,
      });
      return opened.endpoints.reject(request, late);
    }
    return this.#started === undefined ? this.#handleLater(request) : this.#started.handle(request);
  }

  /** Like `start`, but a readiness probe waits only `READY_MS`. */
  #startFor({ path }: HttpRequest): Promise<void> {
    if (path !== READINESS_PATH) return this.start();
    return withTimeout(this.start(), READY_MS, () => {
      throw new A2AError('UNAVAILABLE', 'The agent has not started yet', { retryAfterMs: RETRY_MS });
    });
  }

  /** The response if not even the code that handles requests can be loaded. */
  #unavailable(error: unknown): HttpResponse {
    if (!this.isClosing) this.#log.error('Could not start agent', { error });
    return { status: 503, headers: { 'retry-after': `${RETRY_MS / 1000}` } };
  }

  /** Whether callers connect over TLS, which a proxy may terminate. */
  #isOverTls(request: HttpRequest): boolean {
    return (this.#settings.publicUrl ?? request.base).startsWith('https:');
  }
}

/** `Retry-After` of rejected requests. */
const RETRY_MS = 1000;
