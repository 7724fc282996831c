import type { Agent } from '../agent/agent.ts';
import type { A2AError } from '../errors.ts';
import type { Host } from '../host/host.ts';
import type { HttpRequest, HttpResponse } from '../host/http.ts';
import { MountedAgent } from '../host/mounted-agent.ts';
import { noSuchPath, pageFailure, rpcFailure, wrongVerb } from './bindings/error-response.ts';
import { versionOf } from './bindings/http-context.ts';
import { handleRest } from './bindings/rest-binding.ts';
import { assumedDialect, handleRpc } from './bindings/rpc-binding.ts';
import { type AgentCards, createCards } from './cards/agent-cards.ts';
import type { OwnPaths } from './http/own-paths.ts';
import { HEALTH_PATH, METRICS_PATH, READINESS_PATH } from './http/page-paths.ts';
import { agentPages, handlePage, hostPages, pageAt, type Pages } from './http/pages.ts';
import type { HandlerSettings } from './options/handler-options.ts';

const WORKER_PATHS: ReadonlySet<string> = new Set([HEALTH_PATH, READINESS_PATH, METRICS_PATH]);

/** Handles the requests for a handler. */
export interface Endpoints {
  /** Imports the keys that sign cards. @throws TypeError that names the invalid key. */
  start(): Promise<void>;
  /** Handles a request. Requires that the host has started. */
  handle(request: HttpRequest): Promise<HttpResponse> | HttpResponse;
  /** Rejects a request without reading its body, so a JSON-RPC error has no id. */
  reject(request: HttpRequest, error: A2AError): HttpResponse;
}

/** The endpoints of one agent on a host: bindings and cards; at the root also the pages of the host. */
export class AgentEndpoints implements Endpoints {
  readonly #mounted: MountedAgent;
  readonly #paths: OwnPaths;
  readonly #cards: AgentCards;
  readonly #pages: Pages;
  readonly #isWorker: boolean;

  /** @param mount The path of the agent on the host; empty at the root. */
  constructor(host: Host, agent: Agent, settings: HandlerSettings, paths: OwnPaths, mount: string) {
    const publicUrl = settings.publicUrl && settings.publicUrl + mount;
    this.#cards = createCards(agent, { ...settings, publicUrl });
    this.#mounted = new MountedAgent(host, agent, settings, this.#cards.extended);
    this.#paths = paths;
    const own = agentPages(this.#mounted, this.#cards, settings.rpcPaths[0]);
    this.#pages = mount === '' ? new Map([...own, ...hostPages(host, settings.selfPaths)]) : own;
    this.#isWorker = settings.role === 'worker';
  }

  async start(): Promise<void> {
    await this.#cards.signer?.start();
  }

  handle(request: HttpRequest): Promise<HttpResponse> | HttpResponse {
    const mounted = this.#mounted;
    const { method, path } = request;
    if (path === undefined || (this.#isWorker && !WORKER_PATHS.has(path))) {
      return pageFailure(noSuchPath(request), request);
    }
    const offer = this.#paths.rpcOffer(path);
    if (offer !== undefined) {
      return method === 'POST' ? handleRpc(mounted, request, offer) : pageFailure(wrongVerb(['POST']), request);
    }
    const page = pageAt(this.#pages, path);
    if (page !== undefined) return handlePage(page, mounted.host, request);
    return handleRest(mounted, request, path, this.#paths.reserved);
  }

  reject(request: HttpRequest, error: A2AError): HttpResponse {
    const { method, path } = request;
    const offer = method === 'POST' && path !== undefined ? this.#paths.rpcOffer(path) : undefined;
    return offer === undefined
      ? pageFailure(error, request)
      : rpcFailure(assumedDialect(versionOf(request), offer), null, error);
  }
}
