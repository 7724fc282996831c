import type { Caller } from '../engine/handler.ts';
import { A2AError } from '../errors.ts';
import type { Authenticator, ServedAt } from './auth/authenticator.ts';
import { assertCaller, isLater } from './auth/caller-check.ts';
import { missingCredentials } from './auth/credentials.ts';
import { UNSET_RETRY_MS } from './auth/hosted.ts';
import { isLoopback } from '../support/loopback.ts';
import type { HttpRequest } from './http.ts';
import type { FailedLogins } from './limits/failed-logins.ts';

/**
 * Says who calls, by the headers of the request: it is asked before the body is read. What it knows at once it gives at
 * once, so that nobody waits for a promise. What he may do is asked afterwards, by `Access`, when he is counted.
 *
 * @throws A2AError `UNAUTHENTICATED`, `PERMISSION_DENIED` or `UNAVAILABLE` that the caller gets.
 */
export type Identify = (request: HttpRequest) => Caller | Promise<Caller>;

/** The one caller that all are as long as nobody has to authenticate. */
const ANONYMOUS: Caller = Object.freeze({ id: 'anonymous', isVerified: false });

/** Anonymous callers, from wherever they come. A page of another site cannot call the agent on its visitor's own machine. */
export const anybody: Identify = (request) => {
  refuseForeignPage(request, (address) => isLoopback(address.hostname));
  return ANONYMOUS;
};

/** Anonymous callers that are trusted because they can reach the agent at all: a page of another site is not one of them. */
export const neighbours: Identify = (request) => {
  refuseForeignPage(request, () => true);
  return ANONYMOUS;
};

/**
 * A page can have a browser send a request to an agent that only its visitor can reach: as a form, without asking first. The
 * browser says so in `Sec-Fetch-Site` and `Origin`, which a page cannot set. Programs send neither.
 *
 * @throws A2AError `PERMISSION_DENIED`
 */
function refuseForeignPage(request: HttpRequest, isGuarded: (address: URL) => boolean): void {
  const site = request.header('sec-fetch-site');
  const origin = request.header('origin');
  if (site === undefined && origin === undefined) return;
  const own = new URL(request.base);
  if (!isGuarded(own) || (site !== 'cross-site' && isOwnPage(origin, own))) return;
  throw new A2AError(
    'PERMISSION_DENIED',
    'Without auth this agent takes no requests from web pages of other sites. Set auth, or call it from a program',
    { details: { guard: 'origin' } },
  );
}

/** A page that this machine serves, such as a development server with the agent behind it, counts as the agent's own. */
function isOwnPage(origin: string | undefined, own: URL): boolean {
  if (origin === undefined) return true;
  if (!URL.canParse(origin)) return false;
  const { hostname, host } = new URL(origin);
  return host === own.host || isLoopback(hostname);
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
      let found: Caller | undefined | Promise<Caller | undefined>;
      try {
        found = authenticators[i]?.authenticate(request, options);
      } catch (error) {
        refusal = graver(refusal, error);
        continue;
      }
      if (found === undefined) continue;
      if (isLater(found)) {
        const before = refusal;
        return found.then(
          (caller) => {
            if (caller === undefined) return askFrom(i + 1, request, before);
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
