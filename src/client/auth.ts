import type { AgentCard } from '../model/card.ts';
import { type ApiKey, apiKey } from './api-key.ts';
import { bearer } from './bearer.ts';
import { type ClientCredentials, clientCredentials } from './client-credentials.ts';
import type { Deadline } from './deadline.ts';
import { plainHeaders } from './plain-headers.ts';
import { type SignedToken, signedToken } from './signed-token.ts';
import type { TokenTools } from './token-endpoint.ts';

/** What a strategy may want to know before it gives a credential away. */
export interface AuthContext {
  /** Where the request goes. It is always an origin that the caller of `connect()` named. */
  readonly origin: string;
  /** The card, as soon as it is known. */
  readonly card: AgentCard | undefined;
  /** The `WWW-Authenticate` header of the answer that refused the last one. */
  readonly challenge?: string | undefined;
}

/** A way to prove who the caller is. */
export interface AuthStrategy {
  /** The headers for a request. Asked for each time, so remember what is expensive. */
  headers(context: AuthContext): HeadersRecord | Promise<HeadersRecord>;
  /**
   * After a 401: gets something newer and says whether there is any. Without it a 401 is final. It is asked once in a call,
   * and once for all calls that were refused with the same.
   */
  refresh?(context: AuthContext): boolean | Promise<boolean>;
}

/** A strategy of this library, which also knows how long the call has got. */
export interface OwnStrategy extends Pick<AuthStrategy, 'refresh'> {
  headers(context: AuthContext, deadline: Deadline): HeadersRecord | Promise<HeadersRecord>;
  /** What it adds to the address of a request, where a card wants that. */
  query?(context: AuthContext): Readonly<Record<string, string>>;
}

export type HeadersRecord = Readonly<Record<string, string>>;

/** Gives a bearer token; after a 401 it is asked once more, with `refresh` set. */
export type TokenSource = (context: AuthContext & { readonly refresh: boolean }) => string | Promise<string>;

export type OneAuth = string | TokenSource | ApiKey | ClientCredentials | SignedToken | AuthStrategy;

/** A string is a bearer token. Of several, the next is tried when one is refused. */
export type Auth = OneAuth | readonly OneAuth[];

/** @throws A2AError `INVALID_PARAMS` for what can never work. */
export function strategyOf(auth: OneAuth, tools: TokenTools): OwnStrategy {
  if (typeof auth === 'string') return { headers: () => bearer(auth) };
  if (typeof auth === 'function') return tokens(auth);
  if ('apiKey' in auth) return apiKey(auth);
  if ('clientId' in auth) return clientCredentials(auth, tools);
  return 'secret' in auth ? signedToken(auth, tools.clock) : custom(auth);
}

function tokens(source: TokenSource): AuthStrategy {
  let renewed: string | undefined;
  return {
    async headers(context) {
      const token = renewed ?? (await source({ ...context, refresh: false }));
      renewed = undefined;
      return bearer(token);
    },
    async refresh(context) {
      renewed = await source({ ...context, refresh: true });
      return true;
    },
  };
}

function custom(strategy: AuthStrategy): AuthStrategy {
  return {
    headers: async (context) => plainHeaders(await strategy.headers(context)),
    refresh: (context) => strategy.refresh?.(context) ?? false,
  };
}
