import type { Engine, EngineCloseOptions } from '../engine/engine.ts';
import { A2AError } from '../errors.ts';
import { Metrics } from '../observe/metrics.ts';
import { dialectOf } from '../wire/select.ts';
import { type AgentCards, createCards } from './cards/agent-cards.ts';
import { Access } from '../host/auth/access.ts';
import { noSuchPath, restFailure, rpcFailure, wrongVerb } from './bindings/error-response.ts';
import type { HttpRequest, HttpResponse } from '../host/http.ts';
import { versionOf } from './bindings/http-context.ts';
import { FailedLogins } from '../host/limits/failed-logins.ts';
import { Outbound } from '../host/outbound/outbound.ts';
import { HEALTH_PATH, METRICS_PATH, READINESS_PATH } from './http/page-paths.ts';
import { handlePage, createPages, type Pages } from './http/pages.ts';
import { handleRest } from './bindings/rest-binding.ts';
import { handleRpc, assumedDialect } from './bindings/rpc-binding.ts';
import type { HandlerParts, Service } from './service.ts';
import { startService } from './start-service.ts';

const WORKER_PATHS: ReadonlySet<string> = new Set([HEALTH_PATH, READINESS_PATH, METRICS_PATH]);

/** Handles requests. `handler.ts` imports it late, with the first request. */
export class HandlerCore {
  readonly #parts: HandlerParts;
  readonly #access: Access;
  readonly #cards: AgentCards;
  readonly #outbound: Outbound;
  readonly #metrics: Metrics | undefined;
  readonly #pages: Pages;
  #service: Service | undefined;

  constructor(parts: HandlerParts) {
    const { agent, settings, anonymousAccess, log, heartbeats } = parts;
    this.#parts = parts;
    this.#access = new Access({
      ...settings,
      anonymousAccess,
      allowsOrigin: settings.cors?.choosesOrigin,
      logins: new FailedLogins(settings.limits),
    });
    this.#cards = createCards(agent, settings);
    this.#outbound = new Outbound({ ...settings, log });
    const metrics = settings.metrics ? new Metrics() : undefined;
    metrics?.gauge('tandem_open_streams', 'Open streams', [], () => [[[], heartbeats.size]]);
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

  /** Starts the engine, which resumes unfinished tasks. Can be called again if it fails. */
  async start(): Promise<void> {
    this.#service = await startService({
      ...this.#parts,
      access: this.#access,
      cards: this.#cards,
      outbound: this.#outbound,
      metrics: this.#metrics,
    });
  }

  get engine(): Engine {
    return this.#startedService.engine;
  }

  /** Resumes a task that no request waits for. */
  async continueTask(taskId: string): Promise<void> {
    await this.#startedService.serverless?.continueTask(taskId);
  }

  /** Handles a request. Requires a successful `start()`. */
  handle(request: HttpRequest): Promise<HttpResponse> | HttpResponse {
    const service = this.#startedService;
    const { paths, settings } = this.#parts;
    const { method, path } = request;
    if (path === undefined || (settings.role === 'worker' && !WORKER_PATHS.has(path))) {
      return restFailure(dialectOf('1.0'), noSuchPath(request), request);
    }
    const offer = paths.rpcOffer(path);
    if (offer !== undefined) {
      return method === 'POST'
        ? handleRpc(service, request, offer)
        : restFailure(dialectOf('1.0'), wrongVerb(['POST']), request);
    }
    const page = this.#pages.get(path);
    return page === undefined ? handleRest(service, request, path, paths.reserved) : handlePage(page, service, request);
  }

  /** Rejects a request without reading its body, so a JSON-RPC error has no id. */
  reject(request: HttpRequest, error: A2AError): HttpResponse {
    const { method, path } = request;
    const offer = method === 'POST' && path !== undefined ? this.#parts.paths.rpcOffer(path) : undefined;
    return offer === undefined
      ? restFailure(dialectOf('1.0'), error, request)
      : rpcFailure(assumedDialect(versionOf(request), offer), null, error);
  }

  async close(options: EngineCloseOptions): Promise<void> {
    await this.#service?.engine.close(options);
    this.#outbound.close();
    this.#service?.timers.clear();
  }

  get #startedService(): Service {
    if (this.#service === undefined) throw new A2AError('UNAVAILABLE', 'The agent has not started');
    return this.#service;
  }
}
