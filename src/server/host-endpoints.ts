import type { Agent } from '../agent/agent.ts';
import type { Caller } from '../engine/handler.ts';
import { A2AError } from '../errors.ts';
import type { Host } from '../host/host.ts';
import type { HttpBody, HttpRequest, HttpResponse, WaitUntil } from '../host/http.ts';
import type { LeaveSignal } from '../support/leave-signal.ts';
import { AgentEndpoints, type Endpoints } from './agent-endpoints.ts';
import { pageFailure } from './bindings/error-response.ts';
import { mountedPath, mountOf, type OwnPaths } from './http/own-paths.ts';
import { handlePage, hostPages, pageAt, type Pages } from './http/pages.ts';
import type { HandlerSettings } from './options/handler-options.ts';

/** Longer paths are not quoted. */
const MAX_SHOWN = 100;

/** The endpoints of several agents, each with all its endpoints at its own path, and the pages of their host at the root. */
export class HostEndpoints implements Endpoints {
  readonly #host: Host;
  readonly #agents: ReadonlyMap<string, AgentEndpoints>;
  readonly #pages: Pages;

  constructor(host: Host, agents: readonly Agent[], settings: HandlerSettings, paths: OwnPaths) {
    this.#host = host;
    this.#agents = new Map(
      agents.map((agent) => [agent.id, new AgentEndpoints(host, agent, settings, paths, mountOf(agent.id))]),
    );
    this.#pages = hostPages(host, settings.selfPaths);
  }

  async start(): Promise<void> {
    await Promise.all(Array.from(this.#agents.values(), (agent) => agent.start()));
  }

  handle(request: HttpRequest): Promise<HttpResponse> | HttpResponse {
    const page = request.path === undefined ? undefined : pageAt(this.#pages, request.path);
    if (page !== undefined) return handlePage(page, this.#host, request);
    const found = this.#find(request);
    return found === undefined ? this.#notFound(request) : found.endpoints.handle(found.below);
  }

  reject(request: HttpRequest, error: A2AError): HttpResponse {
    const found = this.#find(request);
    return found?.endpoints.reject(found.below, error) ?? pageFailure(error, request);
  }

  #find(request: HttpRequest): { readonly endpoints: AgentEndpoints; readonly below: HttpRequest } | undefined {
    const mounted = request.path === undefined ? undefined : mountedPath(request.path);
    const endpoints = mounted && this.#agents.get(mounted.id);
    return endpoints && { endpoints, below: new RequestBelow(request, mountOf(mounted.id), mounted.below) };
  }

  #notFound(request: HttpRequest): HttpResponse {
    const { method, path = 'this path' } = request;
    const mounts = Array.from(this.#agents.keys(), mountOf).join(', ');
    const message = `No endpoint at ${method} ${path.slice(0, MAX_SHOWN)}. This host serves its agents at ${mounts}`;
    return pageFailure(new A2AError('METHOD_NOT_FOUND', message), request);
  }
}

/** A request for one of several agents, relative to the path of that agent. */
class RequestBelow implements HttpRequest {
  readonly path: string;
  readonly #whole: HttpRequest;
  readonly #mount: string;

  constructor(whole: HttpRequest, mount: string, path: string) {
    this.path = path;
    this.#whole = whole;
    this.#mount = mount;
  }

  get base(): string {
    return this.#whole.base + this.#mount;
  }

  get method(): string {
    return this.#whole.method;
  }

  get query(): string {
    return this.#whole.query;
  }

  get signal(): LeaveSignal {
    return this.#whole.signal;
  }

  get remoteAddress(): string | undefined {
    return this.#whole.remoteAddress;
  }

  get isLocal(): boolean {
    return this.#whole.isLocal ?? false;
  }

  /** The edge counts bytes for the caller of its own request. */
  get caller(): Caller | undefined {
    return this.#whole.caller;
  }

  set caller(caller: Caller | undefined) {
    this.#whole.caller = caller;
  }

  get releasesHold(): boolean {
    return this.#whole.releasesHold ?? false;
  }

  get waitUntil(): WaitUntil | undefined {
    return this.#whole.waitUntil;
  }

  get headers(): never {
    return (this.#whole as HttpRequest & { readonly headers: never }).headers;
  }

  header(name: string): string | undefined {
    return this.#whole.header(name);
  }

  body(maxBytes: number): Promise<HttpBody> {
    return this.#whole.body(maxBytes);
  }
}
