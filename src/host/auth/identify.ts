import type { Caller } from '../../engine/handler.ts';
import { A2AError } from '../../errors.ts';
import type { Authenticated, Authenticator, Identify, ServedAt } from './authenticator.ts';
import { assertCaller, isLater } from './caller-check.ts';
import { missingCredentials } from './authentication-errors.ts';
import { UNSET_RETRY_MS } from './hosted.ts';
import { isLoopback } from '../../support/net/loopback.ts';
import { type HttpRequest, isJsonType } from '../http.ts';
import type { FailedLogins } from '../limits/failed-logins.ts';

const ANONYMOUS: Caller = Object.freeze({ id: 'anonymous', isVerified: false });

export interface AnonymousOptions {
  /** `local` are trusted because they can reach the agent; `public` callers are not trusted at all. */
  readonly anonymousAccess: 'local' | 'public';
  /** Rejects all cross-site requests, not only those that browsers send without a CORS preflight. */
  readonly rejectCrossSite?: boolean | undefined;
  /** Whether the operator has allowed pages of this origin to call. */
  readonly allowsOrigin?: ((origin: string) => boolean) | undefined;
}

/**
 * Accepts every request as the anonymous caller, except cross-site requests: a web page can make the browser of its visitor send a
 * request, for example by a form, to an agent that only the visitor can reach. The browser marks it with `Sec-Fetch-Site` and
 * `Origin`, which the page cannot change. Clients other than browsers send neither header.
 *
 * Pages whose origin the option `cors` lists are accepted. If CORS middleware may be in front, requests that need its consent
 * are left to it. An agent that accepts all callers has nothing to protect unless the request addresses this machine.
 */
export function anonymous({ anonymousAccess, rejectCrossSite = false, allowsOrigin }: AnonymousOptions): Identify {
  return (request) => {
    const site = request.header('sec-fetch-site');
    const origin = request.header('origin');
    if (site === undefined && origin === undefined) return ANONYMOUS;
    const own = new URL(request.base);
    const isForeign = site === 'cross-site' || !isOwnPage(origin, own);
    const isGuarded = anonymousAccess === 'local' || isLoopback(own.hostname);
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

/** Rejects every request, because authentication is not configured in production. */
export const rejectAll: Identify = () => {
  throw new A2AError(
    'UNAVAILABLE',
    'This agent does not accept calls yet: its operator must configure authentication',
    {
      cause: new Error(
        'Authentication is not configured in production: set auth, or insecurePublic: true to accept anonymous callers',
      ),
      retryAfterMs: UNSET_RETRY_MS,
    },
  );
};

export interface IdentifyOptions extends ServedAt {
  readonly authenticators: readonly Authenticator[];
  readonly logins: Pick<FailedLogins, 'countRejected'>;
}

/**
 * Tries the authenticators in order; the first that accepts the credentials determines the caller. Credentials that one authenticator
 * rejects may be valid for another: a fixed token is not a JWT. But a request with rejected credentials is never accepted as an
 * unverified caller, because it would see none of its own tasks, and guessing would not count as a failed login.
 */
export function identifyBy(options: IdentifyOptions): Identify {
  const { authenticators, logins } = options;
  const isUnverifiedAfter = (caller: Caller, rejection: A2AError | undefined): boolean =>
    rejection !== undefined && !caller.isVerified;
  const tryFrom = (first: number, request: HttpRequest, earlier?: A2AError): Caller | Promise<Caller> => {
    let rejection = earlier;
    for (let i = first; i < authenticators.length; i++) {
      let found: Authenticated | Promise<Authenticated>;
      try {
        found = authenticators[i]?.authenticate(request, options);
      } catch (error) {
        rejection = moreSevere(rejection, error);
        continue;
      }
      if (found === undefined || found === null) continue;
      if (isLater(found)) {
        const before = rejection;
        return found.then(
          (caller) => {
            if (caller === undefined || caller === null) return tryFrom(i + 1, request, before);
            assertCaller(caller);
            return isUnverifiedAfter(caller, before) ? tryFrom(i + 1, request, before) : caller;
          },
          (error: unknown) => tryFrom(i + 1, request, moreSevere(before, error)),
        );
      }
      assertCaller(found);
      if (!isUnverifiedAfter(found, rejection)) return found;
    }
    if (rejection === undefined) throw missingCredentials(authenticators);
    logins.countRejected(request, rejection);
    throw rejection;
  };
  return (request) => tryFrom(0, request);
}

/** `UNAVAILABLE` takes precedence, because the credentials may be valid. Errors other than rejections are rethrown. */
function moreSevere(earlier: A2AError | undefined, error: unknown): A2AError {
  if (!A2AError.is(error, 'UNAUTHENTICATED') && !A2AError.is(error, 'UNAVAILABLE')) throw error;
  return earlier?.code === 'UNAVAILABLE' ? earlier : error;
}
