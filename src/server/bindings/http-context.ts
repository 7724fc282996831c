import { QUESTIONS } from '../../model/question.ts';
import type { Caller } from '../../engine/handler.ts';
import { A2AError } from '../../errors.ts';
import type { LeaveSignal } from '../../support/leave-signal.ts';
import { isName } from '../../support/name.ts';
import type { Dialect } from '../../wire/dialect.ts';
import { type RequestedVersion, requestedVersion } from '../../wire/version.ts';
import { childOf, parseTrace, type TraceContext } from '../../observe/trace-context.ts';
import type { Span } from '../../observe/tracer.ts';
import type { Binding } from '../../wire/offer.ts';
import type { RequestContext } from '../../host/request-context.ts';
import { networkName } from '../../host/limits/address.ts';
import type { HttpRequest, HttpResponse, WaitUntil } from '../../host/http.ts';
import type { MountedAgent } from '../../host/mounted-agent.ts';

const NONE: readonly string[] = Object.freeze([]);

/** The facts about an HTTP request that an operation needs, besides its params. */
export class HttpContext implements RequestContext {
  readonly caller: Caller;
  readonly dialect: Dialect;
  extensions: readonly string[];
  readonly binding: Binding;
  readonly request: HttpRequest;
  readonly idempotencyKey: string | undefined;
  readonly timeoutMs: number | undefined;
  readonly #keepsTraces: boolean;
  readonly #maxExtensions: number;
  #trace: TraceContext | undefined;

  /** @throws A2AError `INVALID_REQUEST` */
  constructor(
    mounted: MountedAgent,
    request: HttpRequest,
    caller: Caller,
    dialect: Dialect,
    binding: Binding,
    params?: unknown,
  ) {
    this.caller = caller;
    this.dialect = dialect;
    this.binding = binding;
    this.request = request;
    this.#keepsTraces = mounted.host.keepsTraces;
    this.#maxExtensions = mounted.host.limits.settings.extensionsPerRequest;
    this.extensions = activated(mounted, request);
    this.timeoutMs = dialect.timeoutMsOf?.(params);
    const header = request.header('idempotency-key');
    const key = header ?? dialect.idempotencyKeyOf?.(params);
    this.idempotencyKey = key;
    if (key === undefined) return;
    const source = header === undefined ? 'params.idempotencyKey' : 'the header Idempotency-Key';
    if (key === '' || key.length > 255) {
      throw new A2AError('INVALID_REQUEST', `Expected ${source} to have 1 to 255 characters`);
    }
    // HTTP parsers reject NUL, but not every request comes from one.
    if (!isName(key)) throw new A2AError('INVALID_REQUEST', `Expected ${source} to have no NUL`);
  }

  /** @throws A2AError `INVALID_REQUEST` */
  activate(uri: string): boolean {
    if (this.extensions.includes(uri)) return true;
    if (requestedExtensions(this.request, this.#maxExtensions)?.has(uri) !== true) return false;
    this.extensions = [...this.extensions, uri];
    return true;
  }

  get base(): string {
    return this.request.base;
  }

  get parent(): TraceContext | undefined {
    return this.#keepsTraces
      ? parseTrace(this.request.header('traceparent'), this.request.header('tracestate'))
      : undefined;
  }

  /** Our own trace context, a child of the caller's. */
  get trace(): TraceContext | undefined {
    if (this.#trace !== undefined) return this.#trace;
    const { parent } = this;
    return parent === undefined ? undefined : (this.#trace = childOf(parent));
  }

  becomes(span: Span): void {
    this.#trace = span.context;
  }

  get lastEventId(): string | undefined {
    return this.request.header('last-event-id');
  }

  get signal(): LeaveSignal {
    return this.request.signal;
  }

  get remoteAddress(): string | undefined {
    return this.request.remoteAddress;
  }

  /** All anonymous callers are one owner, so their tasks count by network; those of this machine or an unknown address, together. */
  get fairnessKey(): string | undefined {
    if (this.caller.isVerified || this.isLocal) return undefined;
    const { remoteAddress } = this.request;
    return remoteAddress === undefined ? undefined : networkName(remoteAddress);
  }

  get waitUntil(): WaitUntil | undefined {
    return this.request.waitUntil;
  }

  get releasesHold(): boolean {
    return this.request.releasesHold === true;
  }

  get isLocal(): boolean {
    return this.request.isLocal ?? false;
  }
}

export function versionOf(request: HttpRequest): RequestedVersion {
  const { query } = request;
  const inQuery = query.includes('A2A-Version') ? new URLSearchParams(query).get('A2A-Version') : undefined;
  return requestedVersion(request.header('a2a-version'), inQuery);
}

/** The extensions that are requested and that the agent declares; others are ignored (1.0 §4.6.3). */
function activated({ agent, host }: MountedAgent, request: HttpRequest): readonly string[] {
  const { extensions = [] } = agent.card;
  const requested = requestedExtensions(request, host.limits.settings.extensionsPerRequest);
  if (requested === undefined) return NONE;
  return [QUESTIONS, ...extensions].map(({ uri }) => uri).filter((uri) => requested.has(uri));
}

/**
 * The extensions in the headers. The header had another name before 1.0.
 *
 * @throws A2AError `INVALID_REQUEST` for more than `most`.
 */
function requestedExtensions(request: HttpRequest, most: number): ReadonlySet<string> | undefined {
  const current = request.header('a2a-extensions');
  const older = request.header('x-a2a-extensions');
  if (current === undefined && older === undefined) return undefined;
  const uris = new Set([current ?? '', older ?? ''].flatMap((list) => list.split(',').map((uri) => uri.trim())));
  uris.delete('');
  if (uris.size > most) {
    throw new A2AError('INVALID_REQUEST', `Expected the header A2A-Extensions to name at most ${most} extensions`, {
      details: { limit: 'extensionsPerRequest' },
    });
  }
  return uris;
}

/** Headers with the activated extensions, under the header name of the dialect. */
export function withExtensions(headers: HttpResponse['headers'], context: RequestContext): HttpResponse['headers'] {
  const { dialect, extensions } = context;
  if (extensions.length === 0) return headers;
  return { ...headers, [dialect.isModel === true ? 'a2a-extensions' : 'x-a2a-extensions']: extensions.join(', ') };
}
