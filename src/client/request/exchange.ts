import { A2AError } from '../../errors.ts';
import type { AgentCard } from '../../model/card.ts';
import type { TraceContext } from '../../observe/trace-context.ts';
import type { Span, Tracer } from '../../observe/tracer.ts';
import type { AuthContext, HeadersRecord } from '../auth/strategy.ts';
import type { AuthAttempt, Credentials } from '../auth/credentials.ts';
import { ClientClosed } from './failures.ts';
import type { Interceptor, OutgoingRequest } from './interceptor.ts';
import type { DrainingConnections } from '../task/draining-connections.ts';
import type { Leaving } from '../../support/leave-signal.ts';
import { unsentError } from './response-error.ts';
import type { Settings } from '../settings.ts';
import type { CallScope } from './call-scope.ts';
import type { Trace } from './trace.ts';
import { type HttpClient, type OutboundResponse, redirectOf } from '../../support/http-client/http-client.ts';
import { parseUrl, readUrl, type Trust } from './trust.ts';

/** The parts of a client that every request uses. */
export interface ClientContext {
  readonly settings: Settings;
  readonly http: HttpClient;
  readonly trust: Trust;
  readonly credentials: Credentials | undefined;
  readonly interceptors: readonly Interceptor[];
  readonly draining: DrainingConnections;
  readonly urls: UrlCache;
  /** Aborted when the client is closed. No requests are sent after that. */
  readonly closing: Leaving;
}

/** Caches the last parsed URL, because nearly all requests of a client go to the same one. */
export class UrlCache {
  #text = '';
  #url: URL | undefined;

  parse(text: string): URL {
    if (this.#url !== undefined && text === this.#text) return this.#url;
    this.#url = readUrl(text);
    this.#text = text;
    return this.#url;
  }
}

/** The parts of a call that its requests use. */
type Scope = Pick<CallScope, 'deadline' | 'trace'>;

/**
 * Sends one request of a call: runs the interceptors, adds credentials for trusted origins, and follows redirects.
 *
 * @param auth Undefined for requests without credentials.
 */
export function exchange(
  context: ClientContext,
  scope: Scope,
  request: OutgoingRequest,
  auth: AuthAttempt | undefined,
): Promise<OutboundResponse> {
  const { tracer } = context.settings;
  if (tracer === undefined) return exchanged({ context, scope, auth, span: undefined }, request);
  return inSpan(tracer, scope.trace, request, (span) =>
    exchanged({ context, scope, auth, span: span.context }, request),
  );
}

/** A request with what it needs from its client and its call. */
interface Sending {
  readonly context: ClientContext;
  readonly scope: Scope;
  readonly auth: AuthAttempt | undefined;
  /** The span of the request, if tracing is on. */
  readonly span: TraceContext | undefined;
}

/** Creates a span for one request, until its response headers arrive. Without a given trace, it is a child of the active span. */
async function inSpan<Answer extends { readonly status: number }>(
  tracer: Tracer,
  trace: Trace,
  { operation, url, headers }: OutgoingRequest,
  send: (span: Span) => Promise<Answer>,
): Promise<Answer> {
  const span = tracer.start(`a2a.client.${operation}`, 'client', (trace.parent ??= tracer.active()), {
    'a2a.operation': operation,
    'a2a.version': headers['a2a-version'],
    'server.address': new URL(url).host,
  });
  // Further requests of the call belong to the same trace, also if this span started it.
  trace.parent ??= span.context;
  try {
    const answer = await span.within(() => send(span));
    span.set('http.response.status_code', answer.status);
    span.end(answer.status < 400 ? undefined : new Error(`The agent responded with ${answer.status}`));
    return answer;
  } catch (error) {
    span.end(error);
    throw error;
  }
}

function exchanged(sending: Sending, request: OutgoingRequest): Promise<OutboundResponse> {
  const send = (outgoing: OutgoingRequest): Promise<OutboundResponse> => followed(sending, outgoing, request);
  const { interceptors } = sending.context;
  if (interceptors.length === 0) return send(request);
  const intercepted = interceptors.reduceRight<typeof send>(
    (next, intercept) => (outgoing) => intercept(outgoing, next),
    send,
  )(request);
  return sending.scope.deadline.within(intercepted);
}

/** @param plain The request before the interceptors, which saw only its first URL. */
async function followed(sending: Sending, request: OutgoingRequest, plain: OutgoingRequest): Promise<OutboundResponse> {
  const { context } = sending;
  const { maxRedirects } = context.settings.limits;
  const first = context.urls.parse(request.url);
  let url = first;
  for (let redirects = 0; ; redirects++) {
    // Headers added by interceptors may be secrets, so other origins do not get them.
    const isRecipient = url.origin === first.origin || context.trust.isRecipient(url);
    const response = await sent(sending, isRecipient ? request : { ...request, headers: plain.headers }, url);
    const location = redirectOf(response, request.method);
    if (location === undefined) return response;
    response.discard();
    if (redirects === maxRedirects)
      throw lost(`More than ${maxRedirects} redirects (limits.maxRedirects), the last from ${url.href}`);
    const next = redirected(location, url);
    // Clients may turn a POST into a GET after 301 and 302. Within one origin they only correct the URL.
    const mayBecomeGet = response.status === 301 || response.status === 302;
    if (request.method !== 'GET' && mayBecomeGet && next.origin !== url.origin) {
      throw lost(`${url.href} redirects to another origin: ${next.href}. Connect to that URL instead`);
    }
    url = next;
  }
}

function redirected(location: string, from: URL): URL {
  try {
    return parseUrl(new URL(location, from));
  } catch (error) {
    throw lost(
      `${from.href} redirects to an invalid URL: ${A2AError.is(error) ? error.message : 'it cannot be parsed'}`,
    );
  }
}

function lost(message: string): A2AError {
  return new A2AError('TRANSPORT_FAILED', message, { details: { sent: 'no' } });
}

async function sent(
  { context: { settings, http, trust, closing }, scope, auth, span }: Sending,
  request: OutgoingRequest,
  url: URL,
): Promise<OutboundResponse> {
  const { deadline, trace } = scope;
  if (closing.aborted) throw new ClientClosed();
  const { isTrusted, isRecipient } = trust.judge(url);
  // Copied one by one, because each object from a spread gets its own hidden class when members are added.
  const headers: Record<string, string> = {};
  for (const name of Object.keys(request.headers)) headers[name] = request.headers[name] as string;
  headers['traceparent'] = trace.next(span);
  const state = span === undefined ? trace.state : span.tracestate;
  if (state !== undefined) headers['tracestate'] = state;
  if (settings.userAgent !== undefined) headers['user-agent'] ??= settings.userAgent;
  let address = url;
  if (isRecipient) {
    Object.assign(headers, settings.headers);
    if (auth !== undefined) {
      try {
        const context = { origin: url.origin, card: auth.card };
        const given = auth.credentials.headers(context, auth, deadline);
        addHeaders(headers, given instanceof Promise ? await deadline.within(given) : given);
        address = withQuery(url, auth.credentials.query(context, auth));
      } catch (error) {
        throw unsentError(error);
      }
    }
  }
  deadline.check();
  return http.call({
    method: request.method,
    url: address,
    headers,
    body: request.body,
    signal: deadline,
    guarded: !isTrusted,
  });
}

/** Adds the credential headers. Cookies of the user are kept next to a credential cookie. */
function addHeaders(headers: Record<string, string>, given: HeadersRecord): void {
  const { cookie } = headers;
  Object.assign(headers, given);
  if (cookie !== undefined && given['cookie'] !== undefined) headers['cookie'] = `${cookie}; ${given['cookie']}`;
}

function withQuery(url: URL, query: Readonly<Record<string, string>> = {}): URL {
  const entries = Object.entries(query);
  if (entries.length === 0) return url;
  const address = new URL(url);
  for (const [name, value] of entries) address.searchParams.set(name, value);
  return address;
}

/** The context for renewing credentials after a 401. */
export function refusedContext(url: string, card: AgentCard | undefined, challenge: string | undefined): AuthContext {
  return { origin: new URL(url).origin, card, challenge };
}
