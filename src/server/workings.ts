import type { Engine, EngineCloseOptions } from '../engine/engine.ts';
import { A2AError } from '../errors.ts';
import type { AuditTrail } from '../observe/audit.ts';
import type { Log } from '../observe/log.ts';
import { Metrics } from '../observe/metrics.ts';
import { dialectOf } from '../wire/select.ts';
import type { Agent } from './agent.ts';
import { type AgentCards, createCards } from './agent-cards.ts';
import { Access } from './auth/access.ts';
import { noSuchPath, restFailure, rpcFailure, wrongVerb } from './error-response.ts';
import type { HandlerSettings } from './handler-options.ts';
import type { Heartbeats } from './heartbeats.ts';
import type { HttpRequest, HttpResponse } from './http.ts';
import { versionOf } from './http-call.ts';
import { FailedLogins } from './limits/failed-logins.ts';
import type { InFlight } from './limits/in-flight.ts';
import { Outbound } from './outbound.ts';
import type { OwnPaths } from './own-paths.ts';
import { HEALTH_PATH, METRICS_PATH, READINESS_PATH } from './page-paths.ts';
import { answerPage, createPages, type Pages } from './pages.ts';
import { answerRest } from './rest-binding.ts';
import { answerRpc, assumedDialect } from './rpc-binding.ts';
import type { Service } from './service.ts';
import { startService } from './start-service.ts';
import type { Strangers } from './strangers.ts';

/** What a worker answers: those who look after it. */
const CARE: ReadonlySet<string> = new Set([HEALTH_PATH, READINESS_PATH, METRICS_PATH]);

/** What a handler knows before it starts. */
export interface Mount {
  readonly agent: Agent;
  readonly settings: HandlerSettings;
  /** What becomes of callers whom nobody knows, without `auth`. */
  readonly strangers: Strangers;
  readonly log: Log;
  readonly audit: AuditTrail;
  readonly heartbeats: Heartbeats;
  readonly paths: OwnPaths;
  readonly isClosing: () => boolean;
  readonly inFlight: InFlight;
}

/** All that a handler needs to answer requests. Imported by nobody at start: `handler.ts` loads it when there is work. */
export class Workings {
  readonly #mount: Mount;
  readonly #access: Access;
  readonly #cards: AgentCards;
  readonly #outbound: Outbound;
  readonly #metrics: Metrics | undefined;
  readonly #pages: Pages;
  #service: Service | undefined;

  constructor(mount: Mount) {
    const { agent, settings, strangers, log, heartbeats } = mount;
    this.#mount = mount;
    this.#access = new Access({ ...settings, strangers, logins: new FailedLogins(settings.limits) });
    this.#cards = createCards(agent, settings);
    this.#outbound = new Outbound({ ...settings, log });
    const metrics = settings.metrics ? new Metrics() : undefined;
    metrics?.gauge('tandem_open_streams', 'Streams that are open', [], () => [[[], heartbeats.size]]);
    this.#metrics = metrics;
    const { tokens } = this.#outbound;
    this.#pages = createPages({
      cards: this.#cards,
      rpcPath: settings.rpcPaths[0],
      tokens,
      metrics,
      offer: settings.offer,
      serverless: settings.serverless,
    });
  }

  /** Starts the engine: what an earlier process left unfinished goes on. May be tried again if it fails. */
  async start(): Promise<void> {
    this.#service = await startService({
      ...this.#mount,
      access: this.#access,
      cards: this.#cards,
      outbound: this.#outbound,
      metrics: this.#metrics,
    });
  }

  get engine(): Engine {
    return this.#atWork.engine;
  }

  /** A task has something to do, and nobody waits for it. */
  async goOn(taskId: string): Promise<void> {
    await this.#atWork.serverless?.goOn(taskId);
  }

  /** Answers a request. Only once it has started. */
  answer(request: HttpRequest): Promise<HttpResponse> | HttpResponse {
    const service = this.#atWork;
    const { paths, settings } = this.#mount;
    const { method, path } = request;
    if (path === undefined || (settings.role === 'worker' && !CARE.has(path))) {
      return restFailure(dialectOf('1.0'), noSuchPath(request), request);
    }
    const offer = paths.rpcOffer(path);
    if (offer !== undefined) {
      return method === 'POST'
        ? answerRpc(service, request, offer)
        : restFailure(dialectOf('1.0'), wrongVerb(['POST']), request);
    }
    const page = this.#pages.get(path);
    return page === undefined ? answerRest(service, request, path, paths.reserved) : answerPage(page, service, request);
  }

  /** Without reading the body, so that an answer over JSON-RPC has no id. */
  turnAway(request: HttpRequest, error: A2AError): HttpResponse {
    const { method, path } = request;
    const offer = method === 'POST' && path !== undefined ? this.#mount.paths.rpcOffer(path) : undefined;
    return offer === undefined
      ? restFailure(dialectOf('1.0'), error, request)
      : rpcFailure(assumedDialect(versionOf(request), offer), null, error);
  }

  async close(options: EngineCloseOptions): Promise<void> {
    await this.#service?.engine.close(options);
    this.#outbound.close();
    this.#service?.serverless?.close();
    this.#access.close();
  }

  get #atWork(): Service {
    if (this.#service === undefined) throw new A2AError('UNAVAILABLE', 'The agent has not started');
    return this.#service;
  }
}
