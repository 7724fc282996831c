import type { DeadLetter, DeadLetterRange, Redelivered } from '../engine/dead-letters.ts';
import { Engine } from '../engine/engine.ts';
import { A2AError } from '../errors.ts';
import { AuditTrail } from '../observe/audit.ts';
import { consoleLog } from '../observe/console-log.ts';
import type { Log } from '../observe/log.ts';
import { Metrics } from '../observe/metrics.ts';
import { openTelemetryTracer } from '../observe/opentelemetry.ts';
import { safeLog } from '../observe/safe-log.ts';
import { memoryStore } from '../store/memory/store.ts';
import type { PushConfigName } from '../store/store.ts';
import { matchRest } from '../wire/rest-routes.ts';
import { dialectOf, selectFlatTask } from '../wire/select.ts';
import type { Agent } from './agent.ts';
import { Access } from './auth/access.ts';
import { type EdgeOptions, pathBelow } from './base-url.ts';
import { CardEndpoint, CORS } from './card-endpoint.ts';
import { CardSigner } from './card-signer.ts';
import { NEEDS_URL } from './card-signing-options.ts';
import { ExtendedCards } from './extended-card.ts';
import { answerExtendedCard, extendedCardPath } from './extended-card-endpoint.ts';
import { noSuchPath, restFailure, rpcFailure, wrongVerb } from './error-response.ts';
import { auditFacts } from './failed-request.ts';
import { Failures } from './failure.ts';
import { FetchRequest, toResponse } from './fetch-edge.ts';
import { type HandlerOptions, type HandlerSettings, readHandlerOptions } from './handler-options.ts';
import { Heartbeats } from './heartbeats.ts';
import { type HttpRequest, type HttpResponse, jsonResponse } from './http.ts';
import { versionOf } from './http-call.ts';
import { FailedLogins } from './limits/failed-logins.ts';
import { createLimits } from './limits/service-limits.ts';
import { answerMetrics } from './metrics-endpoint.ts';
import { OperationWatch } from './operation-watch.ts';
import { answerRest } from './rest-binding.ts';
import { answerRpc, assumedDialect } from './rpc-binding.ts';
import { Outbound } from './outbound.ts';
import { probe, readiness } from './probe.ts';
import { pushPolicyOf } from './push-options.ts';
import type { Service } from './service.ts';
import { type Strangers, strangersAtMount } from './strangers.ts';
import { overTlsOnly } from './transport-security.ts';

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

/** A task that waits for an authorization, and whose it is: `ctx.taskId`, `ctx.caller.id` and `ctx.tenant` of its handler. */
export interface AuthorizedTask {
  readonly taskId: string;
  readonly callerId: string;
  readonly tenant?: string;
}

/** An agent behind HTTP. Its functions can be taken off and passed on. */
export class AgentHandler {
  readonly #agent: Agent;
  readonly #settings: HandlerSettings;
  readonly #log: Log;
  readonly #audit: AuditTrail;
  readonly #access: Access;
  readonly #rpcPaths: ReadonlySet<string>;
  readonly #reserved: ReadonlySet<string>;
  readonly #cards: CardEndpoint;
  readonly #signer: CardSigner | undefined;
  readonly #extendedCards: ExtendedCards | undefined;
  readonly #extendedCardPath: string;
  readonly #metrics: Metrics | undefined;
  /** @internal The open streams, for the edge that writes them. */
  readonly heartbeats: Heartbeats;
  readonly #outbound: Outbound;
  #service: Service | undefined;
  #starting: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  /** @internal `strangers`: what becomes of callers whom nobody knows, without `auth`. */
  constructor(agent: Agent, settings: HandlerSettings, strangers: Strangers) {
    this.#agent = agent;
    this.#settings = settings;
    this.#log = safeLog(settings.log ?? consoleLog);
    this.#audit = new AuditTrail(settings.audit, this.#log);
    const logins = new FailedLogins(settings.limits);
    this.#access = new Access({ ...settings, strangers, logins });
    this.#rpcPaths = new Set(settings.rpcPaths.flatMap((path) => (path === '/' ? ['/'] : [path, `${path}/`])));
    this.#reserved = new Set([...OWN_NAMES, ...settings.rpcPaths.map((path) => path.split('/')[1] ?? '')]);
    this.heartbeats = new Heartbeats(settings.heartbeatMs);
    this.#outbound = new Outbound({ ...settings, log: this.#log });
    this.#metrics = settings.metrics ? new Metrics() : undefined;
    const { extendedCard, cardSigning, publicUrl } = settings;
    const facts = {
      agent,
      versions: settings.offer.versions,
      rpcPath: settings.rpcPaths[0],
      streaming: settings.streaming,
      pushNotifications: settings.pushNotifications,
      auth: settings.auth,
      requiredScopes: settings.access?.requiredScopes,
      recognisesRepeats: settings.store !== undefined && settings.store.isVolatile !== true,
      // Without credentials there is nobody to show it to.
      extendedAgentCard: settings.auth !== undefined && extendedCard !== undefined,
    };
    const signer = cardSigning && new CardSigner(cardSigning);
    this.#signer = signer;
    this.#cards = new CardEndpoint({
      ...facts,
      byDefault: settings.cardForm,
      publicUrl,
      since: new Date(),
      signer,
      isProtected: this.#access.protectsCard,
    });
    if (facts.extendedAgentCard && extendedCard !== undefined)
      this.#extendedCards = new ExtendedCards({ facts, setting: extendedCard, publicUrl, signer });
    this.#extendedCardPath = extendedCardPath(facts.rpcPath);
  }

  /** @internal For the edges that make requests of ours. */
  get edge(): EdgeOptions {
    return this.#settings;
  }

  /** @internal Writes down that an edge has refused a request by itself, and why. */
  noteRefusal(request: HttpRequest, error: A2AError): void {
    this.#audit.refused(error.code, auditFacts({ request }, error));
  }

  /** @internal Whether it takes no more work. */
  get isClosing(): boolean {
    return this.#closing !== undefined;
  }

  /**
   * Answers a web-standard request: for Hono, Next, Deno, Bun, Workers. Such a request does not know where it came from;
   * who does can say so by `{ remoteAddress }`, for the limits that count by address. What else a host passes along is
   * not looked at.
   */
  readonly fetch = async (request: Request, from?: object): Promise<Response> => {
    const own = new FetchRequest(request, this.edge, from);
    return toResponse(await this.handle(own), own, this.heartbeats);
  };

  /** Answers a request in our own thin form; what `fetch` and the listener for Node are made of. */
  readonly handle = (request: HttpRequest): Promise<HttpResponse> | HttpResponse => {
    const service = this.#service;
    const answer = service === undefined ? this.#handleLater(request) : this.#route(service, request);
    if (!this.#isOverTls(request)) return answer;
    return 'then' in answer ? answer.then(overTlsOnly) : overTlsOnly(answer);
  };

  /**
   * Whether a path, from the mount on, is one that the agent answers at. For frameworks that have others, too: at the
   * mount itself only JSON-RPC is the agent's, and a page may be somebody else's.
   */
  owns(path: string, method = 'POST'): boolean {
    if (path === '/') return method === 'POST' && this.#rpcPaths.has(path);
    if (this.#rpcPaths.has(path) || OWN_PATHS.has(path) || path === this.#extendedCardPath) return true;
    if (path === '/metrics') return this.#metrics !== undefined;
    if (path === KEYS_PATH) return this.#outbound.tokens !== undefined;
    const match = matchRest('GET', path);
    if (match !== undefined) return match.tenant === undefined || !this.#reserved.has(match.tenant);
    return ['POST', 'GET'].some((verb) => selectFlatTask(verb, path, this.#settings.offer) !== undefined);
  }

  /** @internal As `owns`, of a path that still has what `basePath` takes off. */
  ownsWhole(path: string, method = 'POST'): boolean {
    const below = pathBelow(this.#settings.basePath, path);
    return below !== undefined && this.owns(below, method);
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
   * Takes no more work, gives what runs a time to finish, and ends all streams so that their readers come back for the
   * rest. The store stays open.
   */
  close(options: { readonly finishMs?: number } = {}): Promise<void> {
    return (this.#closing ??= this.#close(options));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #start(): Promise<void> {
    const { courier } = this.#outbound;
    const { store, offer, streaming, pushNotifications, maxBodyBytes, retention, limits, tracing, push } =
      this.#settings;
    await Promise.all([this.#signer?.start(), this.#outbound.start()]);
    const metrics = this.#metrics;
    const tracer = tracing === undefined || tracing === false ? undefined : openTelemetryTracer(tracing);
    const observers = { tracer, metrics };
    const audit = this.#audit;
    metrics?.gauge('tandem_open_streams', 'Streams that are open', [], () => [[[], this.heartbeats.size]]);
    if (store === undefined) this.#log.warn('No store is given: tasks are kept in memory, and lost with it');
    const engine = await Engine.start({
      store: store ?? memoryStore(),
      agents: [this.#agent],
      log: this.#log,
      observers,
      fetchFile: this.#outbound.fetchFile,
      ...(courier !== undefined && { courier }),
      push: pushPolicyOf(push),
      ...(retention !== undefined && { retention }),
      maxPushConfigs: limits.pushConfigsPerTask,
      maxMessages: limits.messagesPerTask,
    });
    this.#service = {
      engine,
      agent: this.#agent,
      failures: new Failures(this.#log, Date.now, { audit, metrics }),
      identify: this.#access.identify,
      offer,
      streaming,
      pushNotifications,
      extendedCards: this.#extendedCards,
      pushGuard: this.#outbound.pushGuard,
      maxBodyBytes,
      keepsTraces: tracing !== false,
      audit,
      watch: tracer === undefined && metrics === undefined ? undefined : new OperationWatch(this.#agent.id, observers),
      isClosing: () => this.isClosing,
      limits: createLimits({
        settings: limits,
        agent: this.#agent.id,
        takeTokens: store?.takeTokens?.bind(store),
      }),
      access: this.#access,
    };
  }

  async #engine(): Promise<Engine> {
    if (this.#service === undefined) await this.start();
    if (this.#service === undefined) throw new A2AError('UNAVAILABLE', 'The agent is closed');
    return this.#service.engine;
  }

  async #close(options: { readonly finishMs?: number }): Promise<void> {
    await this.#starting?.catch(() => {});
    await this.#service?.engine.close(options);
    this.#outbound.close();
    // Readers who never came for the end of their stream.
    this.heartbeats.close();
    this.#access.close();
  }

  async #handleLater(request: HttpRequest): Promise<HttpResponse> {
    try {
      await this.start();
    } catch (error) {
      if (this.isClosing && A2AError.is(error)) return this.#turnAway(request, error);
      this.#log.error('The agent cannot start', { error });
      const late = new A2AError('UNAVAILABLE', 'The agent cannot start; its log says why', { retryAfterMs: RETRY_MS });
      return this.#turnAway(request, late);
    }
    return this.#service === undefined ? this.#handleLater(request) : this.#route(this.#service, request);
  }

  /** Without reading the body, so that an answer over JSON-RPC has no id. */
  #turnAway(request: HttpRequest, error: A2AError): HttpResponse {
    const isRpc = request.method === 'POST' && request.path !== undefined && this.#rpcPaths.has(request.path);
    return isRpc ? rpcFailure(assumedDialect(versionOf(request)), null, error) : restFailure(dialectOf('1.0'), error);
  }

  #route(service: Service, request: HttpRequest): Promise<HttpResponse> | HttpResponse {
    const { method, path } = request;
    const { tokens } = this.#outbound;
    if (path === undefined) return restFailure(dialectOf('1.0'), noSuchPath(request));
    if (this.#rpcPaths.has(path)) {
      if (method === 'POST') return answerRpc(service, request);
      return restFailure(dialectOf('1.0'), wrongVerb(['POST']));
    }
    switch (path) {
      case '/.well-known/agent-card.json':
        return this.#card(service, 'agent-card.json', request);
      case '/.well-known/agent.json':
        return this.#card(service, 'agent.json', request);
      case KEYS_PATH:
        if (tokens === undefined) break;
        return probe(method, async () => jsonResponse(200, await tokens.publicKeys(), KEYS_HEADERS));
      case '/healthz':
        return probe(method, () => jsonResponse(200, { status: 'ok' }));
      case '/readyz':
        return probe(method, () => readiness(service));
      case this.#extendedCardPath:
        return answerExtendedCard(service, request);
      case '/metrics':
        if (this.#metrics !== undefined) return answerMetrics(service, this.#metrics, request);
        return answerRest(service, request, path, this.#reserved);
      default:
    }
    return answerRest(service, request, path, this.#reserved);
  }

  #card(
    { failures }: Service,
    file: 'agent-card.json' | 'agent.json',
    request: HttpRequest,
  ): HttpResponse | Promise<HttpResponse> {
    // A browser asks without credentials whether it may ask with them.
    if (!this.#access.protectsCard || request.method === 'OPTIONS') return this.#cards.answer(file, request);
    return this.#protectedCard(failures, file, request);
  }

  async #protectedCard(
    failures: Failures,
    file: 'agent-card.json' | 'agent.json',
    request: HttpRequest,
  ): Promise<HttpResponse> {
    try {
      await this.#access.identify(request);
    } catch (error) {
      const shown = failures.publicError(error, { request });
      return restFailure(dialectOf('1.0'), shown, { ...CORS, ...this.#access.challenge(shown) });
    }
    return this.#cards.answer(file, request);
  }

  /** As the world sees it: a proxy may have taken TLS off. */
  #isOverTls(request: HttpRequest): boolean {
    return (this.#settings.publicUrl ?? request.base).startsWith('https:');
  }
}

/** When whoever was turned away may try again. */
const RETRY_MS = 1000;

/** Where receivers of notifications find the keys to check them by. */
const KEYS_PATH = '/.well-known/jwks.json';

const KEYS_HEADERS = { 'cache-control': 'public, max-age=300', 'access-control-allow-origin': '*' } as const;

const OWN_PATHS = new Set(['/.well-known/agent-card.json', '/.well-known/agent.json', '/healthz', '/readyz']);

/** What stands under these names is ours, now or later, so no tenant can have them. */
const OWN_NAMES = ['agent', 'agents', 'healthz', 'readyz', 'metrics', 'openapi.json', 'console', '_tandem'];
