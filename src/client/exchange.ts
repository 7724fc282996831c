import { A2AError } from '../errors.ts';
import type { AgentCard } from '../model/card.ts';
import type { TraceContext } from '../observe/trace-context.ts';
import type { AuthContext, HeadersRecord } from './auth.ts';
import type { AuthAttempt, Credentials } from './credentials.ts';
import type { Deadline } from './deadline.ts';
import type { Interceptor, OutgoingRequest } from './interceptor.ts';
import type { Lingering } from './lingering.ts';
import type { Leaving } from '../support/leave-signal.ts';
import { unsentError } from './response-error.ts';
import type { Settings } from './settings.ts';
import { inSpan } from './request-span.ts';
import type { Trace } from './trace.ts';
import type { Transport, TransportResponse } from './transport/transport.ts';
import { parseUrl, readUrl, type Trust } from './trust.ts';

/** What every request of a client goes through, from its operation down to the transport. */
export interface Wiring {
  readonly settings: Settings;
  readonly transport: Transport;
  readonly trust: Trust;
  readonly credentials: Credentials | undefined;
  readonly interceptors: readonly Interceptor[];
  readonly lingering: Lingering;
  readonly urls: UrlMemory;
  /** Set off when the client is closed: nothing more is asked then. */
  readonly closing: Leaving;
}

/** The address that was parsed last: nearly all requests of a client go to the same one. */
export class UrlMemory {
  #text = '';
  #url: URL | undefined;

  parse(text: string): URL {
    if (this.#url !== undefined && text === this.#text) return this.#url;
    this.#url = readUrl(text);
    this.#text = text;
    return this.#url;
  }
}

/** What belongs to one call, however many requests it takes. */
export interface Passage {
  readonly deadline: Deadline;
  readonly trace: Trace;
  /** Of the request that is under way, if spans are made. */
  readonly span?: TraceContext;
  /** Absent as long as a request is made without credentials. */
  readonly auth: AuthAttempt | undefined;
  readonly card: AgentCard | undefined;
}

/** Makes one request: through the interceptors, with credentials where they belong, over redirects to its answer. */
export function exchange(wiring: Wiring, passage: Passage, request: OutgoingRequest): Promise<TransportResponse> {
  const { tracer } = wiring.settings;
  if (tracer === undefined) return exchanged(wiring, passage, request);
  return inSpan(tracer, passage.trace, request, (span) =>
    exchanged(wiring, { ...passage, span: span.context }, request),
  );
}

function exchanged(wiring: Wiring, passage: Passage, request: OutgoingRequest): Promise<TransportResponse> {
  const send = (outgoing: OutgoingRequest): Promise<TransportResponse> => followed(wiring, passage, outgoing, request);
  const { interceptors } = wiring;
  if (interceptors.length === 0) return send(request);
  const intercepted = interceptors.reduceRight<typeof send>(
    (next, intercept) => (outgoing) => intercept(outgoing, next),
    send,
  )(request);
  return passage.deadline.within(intercepted);
}

/** @param plain The request as it was before the interceptors, which saw only its first address. */
async function followed(
  wiring: Wiring,
  passage: Passage,
  request: OutgoingRequest,
  plain: OutgoingRequest,
): Promise<TransportResponse> {
  const { maxRedirects } = wiring.settings.limits;
  const first = wiring.urls.parse(request.url);
  let url = first;
  for (let redirects = 0; ; redirects++) {
    // What they have added may be a secret, and is not for strangers.
    const isForThem = url.origin === first.origin || wiring.trust.isRecipient(url);
    const response = await sent(wiring, passage, isForThem ? request : { ...request, headers: plain.headers }, url);
    const location = redirectOf(response, request.method);
    if (location === undefined) return response;
    response.discard();
    if (redirects === maxRedirects) throw lost(`More than ${maxRedirects} redirects, the last from ${url.href}`);
    const next = redirected(location, url);
    // These two may turn a POST into a GET; within one origin they are only ever meant to mend an address.
    const isVague = response.status === 301 || response.status === 302;
    if (request.method !== 'GET' && isVague && next.origin !== url.origin) {
      throw lost(`${url.href} is now at ${next.href}; connect to that`);
    }
    url = next;
  }
}

function redirected(location: string, from: URL): URL {
  try {
    return parseUrl(new URL(location, from));
  } catch (error) {
    throw lost(
      `${from.href} redirects to what is no address: ${A2AError.is(error) ? error.message : 'it cannot be read'}`,
    );
  }
}

function lost(message: string): A2AError {
  return new A2AError('TRANSPORT_FAILED', message, { details: { sent: 'no' } });
}

async function sent(
  { settings, transport, trust, credentials, closing }: Wiring,
  { deadline, trace, span, auth, card }: Passage,
  request: OutgoingRequest,
  url: URL,
): Promise<TransportResponse> {
  if (closing.aborted) throw new DOMException('The client is closed', 'AbortError');
  const { isTrusted, isRecipient } = trust.judge(url);
  // One by one: what a spread makes, and is added to then, has a hidden class of its own each time.
  const headers: Record<string, string> = {};
  for (const name of Object.keys(request.headers)) headers[name] = request.headers[name] as string;
  headers['traceparent'] = trace.next(span);
  const state = span === undefined ? trace.state : span.tracestate;
  if (state !== undefined) headers['tracestate'] = state;
  if (settings.userAgent !== undefined) headers['user-agent'] ??= settings.userAgent;
  let address = url;
  if (isRecipient) {
    Object.assign(headers, settings.headers);
    if (credentials !== undefined && auth !== undefined) {
      try {
        const context = { origin: url.origin, card };
        const given = credentials.headers(context, auth, deadline);
        addHeaders(headers, given instanceof Promise ? await deadline.within(given) : given);
        address = withQuery(url, credentials.query(context, auth));
      } catch (error) {
        throw unsentError(error);
      }
    }
  }
  deadline.check();
  return transport.call({
    method: request.method,
    url: address,
    headers,
    body: request.body,
    signal: deadline,
    guarded: !isTrusted,
  });
}

/** Cookies of the user's own go along with one that is a credential. */
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

const REDIRECTS = new Set([301, 302, 307, 308]);

function redirectOf(response: TransportResponse, method: string): string | undefined {
  const isRedirect = REDIRECTS.has(response.status) || (response.status === 303 && method === 'GET');
  return isRedirect ? response.header('location') : undefined;
}

/** What a strategy is told about an answer that refused its credential. */
export function refusedContext(url: string, card: AgentCard | undefined, challenge: string | undefined): AuthContext {
  return { origin: new URL(url).origin, card, challenge };
}
