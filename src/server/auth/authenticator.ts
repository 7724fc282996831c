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

/** An authenticator as one function, for callers that only you can know: by a session, a table or a header of a proxy. */
export type AuthenticateHook = (request: HttpRequest) => Caller | null | undefined | Promise<Caller | null | undefined>;
