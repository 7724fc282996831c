import type { DeadLetter, DeadLetterRange, Redelivered } from '../engine/dead-letters.ts';
import type { Engine, EngineCloseOptions } from '../engine/engine.ts';
import { A2AError } from '../errors.ts';
import { AuditTrail } from '../observe/audit.ts';
import { consoleLog } from '../observe/console-log.ts';
import type { Log } from '../observe/log.ts';
import { safeLog } from '../observe/safe-log.ts';
import type { PushConfigName } from '../store/store.ts';
import { inTime } from '../support/in-time.ts';
import type { Agent } from './agent.ts';
import type { EdgeOptions } from './base-url.ts';
import { NEEDS_URL } from './card-signing-options.ts';
import { auditFacts } from './failed-request.ts';
import { FetchRequest, toResponse } from './fetch-edge.ts';
import { type HandlerOptions, type HandlerSettings, readHandlerOptions } from './handler-options.ts';
import { Heartbeats } from './heartbeats.ts';
import type { HttpRequest, HttpResponse } from './http.ts';
import { createInFlight } from './limits/in-flight.ts';
import { OwnPaths } from './own-paths.ts';
import { CARD_PATH, OLD_CARD_PATH, READINESS_PATH, READY_MS } from './page-paths.ts';
import { type Strangers, strangersAtMount } from './strangers.ts';
import { overTlsOnly } from './transport-security.ts';
import type { Workings } from './workings.ts';

/**
 * Makes a handler of an agent, to be mounted in whatever serves HTTP. It answers every version of the protocol over
 * JSON-RPC and REST.
 *
 * @example
 * const handler = createHandler(translator, { store, publicUrl: 'https://example.com/agent' });
 * export default { fetch: handler.fetch };
 *
 * @throws TypeError that names each wrong option.
 */
export function createHandler(agent: Agent, options: HandlerOptions = {}): AgentHandler {
  const settings = readHandlerOptions('createHandler()', agent, options);
  if (settings.cardSigning !== undefined && settings.publicUrl === undefined) {
    throw new TypeError(`createHandler() cannot use these options:\n  - cardSigning: ${NEEDS_URL}`);
  }
  return new AgentHandler(agent, settings, strangersAtMount(settings));
}

/** Whose data are deleted. */
export interface PurgedCaller {
  /** The `id` that `auth` gives the caller. */
  readonly callerId: string;
  /** Of one tenant only; of those without a tenant if not set. */
  readonly tenant?: string;
}

/** A task that waits for an authorization, and whose it is: `ctx.taskId`, `ctx.caller.id` and `ctx.tenant` of its handler. */
export interface AuthorizedTask {
  readonly taskId: string;
  readonly callerId: string;
  readonly tenant?: string;
}

/** A longer path is not quoted in the log. */
const MAX_HINTED_PATH = 200;

/** How the paths end that clients of an agent try first. */
const ENDINGS = [CARD_PATH, OLD_CARD_PATH, '/a2a', '/message:send', '/message:stream'];

/** An agent behind HTTP. Its functions can be taken off and passed on. */
export class AgentHandler {
  readonly #agent: Agent;
  readonly #settings: HandlerSettings;
  readonly #log: Log;
  readonly #audit: AuditTrail;
  readonly #strangers: Strangers;
  readonly #paths: OwnPaths;
  /** @internal The open streams, for the edge that writes them. */
  readonly heartbeats: Heartbeats;
  /** @internal For the edges that make requests of ours. */
  readonly edge: Required<EdgeOptions>;
  #hasHinted = false;
  #workings: Promise<Workings> | undefined;
  /** The workings, once the agent is at work. */
  #started: Workings | undefined;
  #starting: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  /** @internal `strangers`: what becomes of callers whom nobody knows, without `auth`. */
  constructor(agent: Agent, settings: HandlerSettings, strangers: Strangers) {
    this.#agent = agent;
    this.#settings = settings;
    this.#log = safeLog(settings.log ?? consoleLog);
    this.#audit = new AuditTrail(settings.audit, this.#log);
    this.#strangers = strangers;
    this.heartbeats = new Heartbeats(settings.heartbeatMs);
    this.#paths = new OwnPaths(settings);
    const { basePath, trustProxy } = settings;
    this.edge = { basePath, trustProxy, inFlight: createInFlight(settings.limits) };
  }

  /** @internal Writes down that an edge has refused a request by itself, and why. */
  noteRefusal(request: HttpRequest, error: A2AError): void {
    this.#audit.refused(error.code, auditFacts({ request }, error));
  }

  /** @internal The ids of the tasks that run in this process. */
  runningTasks(): readonly string[] {
    return this.#started?.engine.runningTasks() ?? [];
  }

  /** @internal Whether it takes no more work. */
  get isClosing(): boolean {
    return this.#closing !== undefined;
  }

  /**
   * Answers a web-standard request: for Hono, Next, Deno, Bun, Workers. Such a request does not know where it came from;
   * who does can say so by `{ remoteAddress }`, for the limits that count by address. With `serverless`, the `waitUntil`
   * of the host is found in the second or third argument. What else a host passes along is not looked at.
   */
  readonly fetch = async (request: Request, from?: object, context?: object): Promise<Response> => {
    const own = new FetchRequest(request, this.edge, from, context);
    return toResponse(await this.handle(own), own, this);
  };

  /** @internal Answers a request below a prefix that a framework knows and `basePath` does not name. */
  async fetchBelow(prefix: string, request: Request, from?: object): Promise<Response> {
    const own = new FetchRequest(request, { ...this.edge, basePath: prefix }, from);
    return toResponse(await this.handle(own), own, this);
  }

  /** @internal Logs once which `basePath` is missing, if a path that is not the agent's ends like one of its paths. */
  hintBasePath(path: string): void {
    if (this.#hasHinted || this.edge.basePath !== '' || path.length > MAX_HINTED_PATH) return;
    const own = ENDINGS.find((ending) => path.endsWith(ending));
    if (own === undefined || path === own) return;
    this.#hasHinted = true;
    this.#log.warn('The agent was not found. Is basePath missing?', { path, basePath: path.slice(0, -own.length) });
  }

  /** Answers a request in our own thin form; what `fetch` and the listener for Node are made of. */
  readonly handle = (request: HttpRequest): Promise<HttpResponse> | HttpResponse => {
    const { cors } = this.#settings;
    const response = cors?.preflight(request) ?? this.#respond(request);
    if (cors === undefined) return response;
    return 'then' in response ? response.then((late) => cors.applied(request, late)) : cors.applied(request, response);
  };

  /**
   * Whether a path, from the mount on, is one that the agent answers at. For frameworks that have others, too: at the
   * mount itself only JSON-RPC is the agent's, and a page may be somebody else's.
   */
  owns(path: string, method = 'POST'): boolean {
    return this.#paths.has(path, method);
  }

  /** @internal As `owns`, of a path that still has what `basePath` takes off. */
  ownsWhole(path: string, method = 'POST'): boolean {
    return this.#paths.hasWhole(path, method);
  }

  /**
   * Starts the engine: what an earlier process left unfinished goes on. Done by the first request otherwise. An attempt
   * that fails is forgotten, for a database may be late: the next call or request tries again.
   *
   * @throws A2AError `UNAVAILABLE` once the handler is closed.
   */
  async start(): Promise<void> {
    if (this.isClosing) throw new A2AError('UNAVAILABLE', 'The agent is closed', { retryAfterMs: RETRY_MS });
    const starting = (this.#starting ??= this.#start());
    try {
      await starting;
    } catch (error) {
      // Another may try again by now.
      if (this.#starting === starting) this.#starting = undefined;
      throw error;
    }
  }

  /**
   * Gives a task the credential that it waits for, from the route to which a login leads back. Who asked is named with it,
   * so that nobody's credential ends up in the task of somebody else.
   *
   * @throws A2AError `TASK_NOT_FOUND`, and `UNSUPPORTED_OPERATION` if the task waits for no authorization.
   */
  readonly authorize = async (task: AuthorizedTask, credential = ''): Promise<void> => {
    const engine = await this.#engine();
    const { taskId, callerId, tenant = '' } = task;
    await engine.authorize({ tenant, owner: callerId, agent: this.#agent.id }, taskId, credential);
    await this.#started?.goOn(taskId);
    this.#audit.done('authorization', { taskId, caller: callerId });
  };

  /**
   * The events that receivers of push notifications could not be told of, in the order in which they were given up. For
   * those who run the server: they are of all callers.
   */
  async deadLetters(range: DeadLetterRange = {}): Promise<readonly DeadLetter[]> {
    return (await this.#engine()).deadLetters(range);
  }

  /**
   * Sends a dead letter again, or all of a push configuration, once each. One that was disabled is then told of what came
   * since.
   *
   * @throws A2AError `INVALID_PARAMS` if there is no such dead letter or push configuration.
   */
  async redeliver(which: string | PushConfigName): Promise<Redelivered> {
    const redelivered = await (await this.#engine()).redeliver(which);
    const { taskId, configId } = typeof which === 'string' ? { configId: which } : which;
    this.#audit.done('redelivery', { ...(taskId !== undefined && { taskId }), detail: configId });
    return redelivered;
  }

  /**
   * Deletes everything that the store has of one caller: tasks of all agents that share the store, with events, history and
   * files, push configurations, dead letters, and the keys by which repeated requests are recognised. Unfinished tasks are
   * canceled first. Revoke the caller's access first. Returns how many tasks were deleted.
   *
   * @throws A2AError `UNAVAILABLE` if the caller has started tasks in the meantime that still run: purge again.
   */
  async purge({ callerId, tenant = '' }: PurgedCaller): Promise<number> {
    if (typeof callerId !== 'string' || callerId === '' || typeof tenant !== 'string')
      throw new TypeError('purge() needs the id of a caller: purge({ callerId })');
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
   * Takes no more work, gives what runs a time to finish, and ends all streams so that their readers come back for the
   * rest. The store stays open.
   */
  close(options: EngineCloseOptions = {}): Promise<void> {
    return (this.#closing ??= this.#close(options));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #respond(request: HttpRequest): Promise<HttpResponse> | HttpResponse {
    const response = this.#started === undefined ? this.#handleLater(request) : this.#started.answer(request);
    if (!this.#isOverTls(request)) return response;
    return 'then' in response ? response.then(overTlsOnly) : overTlsOnly(response);
  }

  async #start(): Promise<void> {
    const workings = await this.#load();
    await workings.start();
    this.#started = workings;
  }

  /** Loaded late: most of a server is what it does at work, and a program may only describe an agent, or serve it later. */
  async #load(): Promise<Workings> {
    const workings = (this.#workings ??= this.#loaded());
    try {
      return await workings;
    } catch (error) {
      // Another may try again by now.
      if (this.#workings === workings) this.#workings = undefined;
      throw error;
    }
  }

  async #loaded(): Promise<Workings> {
    const { Workings } = await import('./workings.ts');
    return new Workings({
      agent: this.#agent,
      settings: this.#settings,
      strangers: this.#strangers,
      log: this.#log,
      audit: this.#audit,
      heartbeats: this.heartbeats,
      paths: this.#paths,
      isClosing: () => this.isClosing,
      inFlight: this.edge.inFlight,
    });
  }

  async #engine(): Promise<Engine> {
    if (this.#started === undefined) await this.start();
    if (this.#started === undefined) throw new A2AError('UNAVAILABLE', 'The agent is closed');
    return this.#started.engine;
  }

  async #close(options: EngineCloseOptions): Promise<void> {
    await this.#starting?.catch(() => {});
    const workings = await this.#workings?.catch(() => undefined);
    await workings?.close(options);
    // Readers who never came for the end of their stream.
    this.heartbeats.close();
    this.#audit.close();
    this.edge.inFlight.pace.close();
  }

  async #handleLater(request: HttpRequest): Promise<HttpResponse> {
    try {
      await this.#startFor(request);
    } catch (error) {
      const workings = await this.#load().catch(() => undefined);
      if (workings === undefined) return this.#withoutWorkings(error);
      if (this.isClosing && A2AError.is(error)) return workings.turnAway(request, error);
      this.#log.error('The agent cannot start', { error });
      const late = new A2AError('UNAVAILABLE', 'The agent cannot start; its log says why', { retryAfterMs: RETRY_MS });
      return workings.turnAway(request, late);
    }
    return this.#started === undefined ? this.#handleLater(request) : this.#started.answer(request);
  }

  /** As `start`, for who asks: to be told that it is not ready yet is all that somebody wants who asks for that. */
  #startFor({ path }: HttpRequest): Promise<void> {
    if (path !== READINESS_PATH) return this.start();
    return inTime(this.start(), READY_MS, () => {
      throw new A2AError('UNAVAILABLE', 'The agent has not started yet', { retryAfterMs: RETRY_MS });
    });
  }

  /** What answers cannot even be loaded. */
  #withoutWorkings(error: unknown): HttpResponse {
    if (!this.isClosing) this.#log.error('The agent cannot start', { error });
    return { status: 503, headers: { 'retry-after': `${RETRY_MS / 1000}` } };
  }

  /** As the world sees it: a proxy may have taken TLS off. */
  #isOverTls(request: HttpRequest): boolean {
    return (this.#settings.publicUrl ?? request.base).startsWith('https:');
  }
}

/** When whoever was turned away may try again. */
const RETRY_MS = 1000;
