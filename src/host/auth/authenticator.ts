import type { Caller } from '../../engine/handler.ts';
import type { SecurityScheme } from '../../model/security.ts';
import type { HttpRequest } from '../http.ts';

/** Facts about the server that an authenticator can trust, because no request can influence them. */
export interface ServedAt {
  /** The configured public URL of the agent, never one derived from a request; `undefined` if it is not configured. */
  readonly publicUrl: string | undefined;
}

/** Authenticates callers by the headers and the query of a request. The body is not read yet. */
export interface Authenticator {
  /** The security schemes that the card declares, by name. */
  readonly schemes: Readonly<Record<string, SecurityScheme>>;
  /** The `WWW-Authenticate` challenge for requests without credentials, such as `Bearer realm="a2a"`; empty for none. */
  readonly challenge: string;
  /**
   * Returns the caller, or `undefined` if the request has no credentials of this kind. Return a promise only if needed, because
   * awaiting one delays every request.
   *
   * @throws A2AError `UNAUTHENTICATED` if the credentials are invalid (the other authenticators are still tried), and
   *   `UNAVAILABLE` if they cannot be verified at the moment.
   */
  authenticate(request: HttpRequest, servedAt: ServedAt): Caller | undefined | Promise<Caller | undefined>;
}

/** The result of authentication: the caller, or `undefined` or `null` if the request has no credentials of this kind. */
export type Authenticated = Caller | null | undefined;

/**
 * Authenticates requests with your own code: a session, a database table, a header set by a proxy. The request is not a web-standard
 * `Request`: `request.header('cookie')` reads a header, `request.query` is the query string, and the body is not available.
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
  /** Returns the caller of a request. */
  readonly authenticate: AuthenticateHook;
  /** The security schemes by name, in the 1.0 format. With `{}` the card declares none. Default: a bearer token. */
  readonly schemes?: Readonly<Record<string, SecurityScheme>>;
  /** The `WWW-Authenticate` header of a 401, such as `Bearer realm="a2a"`. Default: derived from the first scheme. */
  readonly challenge?: string;
}

/**
 * Authenticates a request by its headers, before the body is read. Returns a promise only if needed, because awaiting one delays every
 * request. `Access` checks permissions afterwards, when the request is counted.
 *
 * @throws A2AError `UNAUTHENTICATED`, `PERMISSION_DENIED` or `UNAVAILABLE`, which is sent to the caller.
 */
export type Identify = (request: HttpRequest) => Caller | Promise<Caller>;
