import type { Caller } from '../../engine/handler.ts';
import type { SecurityScheme } from '../../model/security.ts';
import type { HttpRequest } from '../http.ts';

/** What an authenticator may rely on, because nobody who calls can have said it. */
export interface ServedAt {
  /** The address of the agent by its own word, never by that of a request; `undefined` if it has not been told. */
  readonly publicUrl: string | undefined;
}

/** One way to find out who calls, by the headers and the query of a request: its body is not read yet. */
export interface Authenticator {
  /** How cards tell of it, by a name of its own. */
  readonly schemes: Readonly<Record<string, SecurityScheme>>;
  /** What `WWW-Authenticate` says to who has brought nothing, such as `Bearer realm="a2a"`; empty if there is no such word. */
  readonly challenge: string;
  /**
   * Says who calls; `undefined` if the request has no credentials of this kind. What it knows at once it gives at once, so
   * that nobody waits for a promise.
   *
   * @throws A2AError `UNAUTHENTICATED` if it has some, and they are no good: another authenticator may still know them;
   *   `UNAVAILABLE` if nobody can tell at the moment.
   */
  authenticate(request: HttpRequest, servedAt: ServedAt): Caller | undefined | Promise<Caller | undefined>;
}

/** What a function finds: the caller; `undefined` or `null` if the request has no credentials of its kind. */
export type Authenticated = Caller | null | undefined;

/**
 * Authenticates requests by code of your own: a session, a table, a header of a proxy. The request is not a web-standard one:
 * `request.header('cookie')` reads a header, `request.query` is the query string, and the body is not there yet.
 *
 * @example
 * const auth: AuthenticateHook = (request) => {
 *   const user = request.header('x-forwarded-user');
 *   return user === undefined ? undefined : { id: user, isVerified: true };
 * };
 */
export type AuthenticateHook = (request: HttpRequest) => Authenticated | Promise<Authenticated>;

/**
 * A function that authenticates, with the security schemes that the card declares for it.
 *
 * @example
 * auth: {
 *   schemes: { session: { apiKeySecurityScheme: { location: 'cookie', name: 'sid' } } },
 *   authenticate: (request) => callerOfSession(request.header('cookie')),
 * }
 */
export interface CustomAuth {
  readonly authenticate: AuthenticateHook;
  /** The schemes by name, as 1.0 writes them; a bearer token if not set. With `{}` the card declares nothing. */
  readonly schemes?: Readonly<Record<string, SecurityScheme>>;
  /** `WWW-Authenticate` of a 401, such as `Bearer realm="a2a"`; made of the first scheme if not set. */
  readonly challenge?: string;
}
