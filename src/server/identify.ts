import type { Caller } from '../engine/handler.ts';
import { A2AError } from '../errors.ts';
import type { Authenticated, Authenticator, ServedAt } from './auth/authenticator.ts';
import { assertCaller, isLater } from './auth/caller-check.ts';
import { missingCredentials } from './auth/credentials.ts';
import { UNSET_RETRY_MS } from './auth/hosted.ts';
import { isLoopback } from '../support/loopback.ts';
import { type HttpRequest, isJsonType } from './http.ts';
import type { FailedLogins } from './limits/failed-logins.ts';

/**
 * Says who calls, by the headers of the request: it is asked before the body is read. What it knows at once it gives at
 * once, so that nobody waits for a promise. What he may do is asked afterwards, by `Access`, when he is counted.
 *
 * @throws A2AError `UNAUTHENTICATED`, `PERMISSION_DENIED` or `UNAVAILABLE` that the caller gets.
 */
export type Identify = (request: HttpRequest) => Caller | Promise<Caller>;

/** The caller of every request as long as no authentication is configured. */
const ANONYMOUS: Caller = Object.freeze({ id: 'anonymous', isVerified: false });

export interface AnonymousOptions {
  /** `neighbours` are trusted because they can reach the agent; `admitted` callers are not trusted at all. */
  readonly strangers: 'neighbours' | 'admitted';
  /** Rejects all cross-site requests, not only those that browsers send without a CORS preflight. */
  readonly rejectCrossSite?: boolean | undefined;
  /** Whether the operator lets pages of this origin call. */
  readonly allowsOrigin?: ((origin: string) => boolean) | undefined;
}

/**
 * Admits every request as the anonymous caller, except cross-site requests: a web page can make the browser of its visitor send a
 * request, for example by a form, to an agent that only the visitor can reach. The browser marks it with `Sec-Fetch-Site` and
 * `Origin`, which the page cannot change. Clients other than browsers send neither header.
 *
 * Pages whose origin the option `cors` lists are accepted. If CORS middleware may stand in front, requests that need its consent
 * are left to it. An agent that admits everybody has nothing to protect unless the request addresses this machine.
 */
export function anonymous({ strangers, rejectCrossSite = false, allowsOrigin }: AnonymousOptions): Identify {
  return (request) => {
    const site = request.header('sec-fetch-site');
    const origin = request.header('origin');
    if (site === undefined && origin === undefined) return ANONYMOUS;
    const own = new URL(request.base);
    const isForeign = site === 'cross-site' || !isOwnPage(origin, own);
    const isGuarded = strangers === 'neighbours' || isLoopback(own.hostname);
    if (!isForeign || !isGuarded || !(rejectCrossSite || needsNoPreflight(request))) return ANONYMOUS;
    if (origin !== undefined && allowsOrigin?.(origin) === true) return ANONYMOUS;
    throw new A2AError(
      'PERMISSION_DENIED',
      'Cross-site request rejected: without auth this agent does not accept requests from web pages of other sites. Set auth, list the origin in cors.origins, or call the agent from a server',
      { details: { guard: 'origin' } },
    );
  };
}

/** Pages of the agent's own host, and pages that this machine serves, such as those of a development server. */
function isOwnPage(origin: string | undefined, own: URL): boolean {
  if (origin === undefined) return true;
  if (!URL.canParse(origin)) return false;
  const { hostname, host } = new URL(origin);
  return host === own.host || isLoopback(hostname);
}

/** Whether a browser sends a request that changes something without a CORS preflight, as it does for forms. */
function needsNoPreflight(request: HttpRequest): boolean {
  const { method } = request;
  return method !== 'GET' && method !== 'HEAD' && !isJsonType(request.header('content-type'));
}

/** Without a way to know anybody, where everybody would be too many. */
export const nobody: Identify = () => {
  throw new A2AError('UNAVAILABLE', 'This agent answers nobody yet: its operator has to say who may call', {
    cause: new Error('No auth is set in production: set it, or insecurePublic: true for everybody'),
    retryAfterMs: UNSET_RETRY_MS,
  });
};

/** How callers are found out. */
export interface IdentifyOptions extends ServedAt {
  readonly authenticators: readonly Authenticator[];
  /** Told of credentials that are no good. */
  readonly logins: Pick<FailedLogins, 'refused'>;
}

/**
 * The first that knows the credentials says whose they are; without any nobody comes in. What one authenticator finds
 * wrong another may find right: a fixed token is no JWT. But whoever has brought what is wrong is not let in as a guest, for
 * then he would find nothing of what is his, and guess for free.
 */
export function identifyBy(options: IdentifyOptions): Identify {
  const { authenticators, logins } = options;
  const isGuestAfter = (caller: Caller, refusal: A2AError | undefined): boolean =>
    refusal !== undefined && !caller.isVerified;
  const askFrom = (first: number, request: HttpRequest, earlier?: A2AError): Caller | Promise<Caller> => {
    let refusal = earlier;
    for (let i = first; i < authenticators.length; i++) {
      let found: Authenticated | Promise<Authenticated>;
      try {
        found = authenticators[i]?.authenticate(request, options);
      } catch (error) {
        refusal = graver(refusal, error);
        continue;
      }
      if (found === undefined || found === null) continue;
      if (isLater(found)) {
        const before = refusal;
        return found.then(
          (caller) => {
            if (caller === undefined || caller === null) return askFrom(i + 1, request, before);
            assertCaller(caller);
            return isGuestAfter(caller, before) ? askFrom(i + 1, request, before) : caller;
          },
          (error: unknown) => askFrom(i + 1, request, graver(before, error)),
        );
      }
      assertCaller(found);
      if (!isGuestAfter(found, refusal)) return found;
    }
    if (refusal === undefined) throw missingCredentials();
    logins.refused(request, refusal);
    throw refusal;
  };
  return (request) => askFrom(0, request);
}

/** Whoever cannot be known at the moment is not refused for good. What is no refusal at all is not passed over. */
function graver(earlier: A2AError | undefined, error: unknown): A2AError {
  if (!A2AError.is(error, 'UNAUTHENTICATED') && !A2AError.is(error, 'UNAVAILABLE')) throw error;
  return earlier?.code === 'UNAVAILABLE' ? earlier : error;
}
