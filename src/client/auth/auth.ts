import type { AgentCard } from '../../model/card.ts';
import { type ApiKey, apiKey } from './api-key.ts';
import { bearer } from './bearer.ts';
import { type ClientCredentials, clientCredentials } from './client-credentials.ts';
import type { Deadline } from '../request/deadline.ts';
import { plainHeaders } from '../request/plain-headers.ts';
import { type SignedToken, signedToken } from './signed-token.ts';
import type { TokenTools } from './token-endpoint.ts';

/** The request that credentials are needed for. */
export interface AuthContext {
  /** The origin that the request goes to. Only origins that the user named, or the one of a given card, get credentials. */
  readonly origin: string;
  /** The agent card. Undefined while the card itself is requested. */
  readonly card: AgentCard | undefined;
  /** The `WWW-Authenticate` header of the response that rejected the previous credentials. Only set in `refresh()`. */
  readonly challenge?: string | undefined;
}

/**
 * A custom way to authenticate.
 *
 * @example
 * const auth: AuthStrategy = { headers: async () => ({ 'x-session': await session.token() }) };
 */
export interface AuthStrategy {
  /** Returns the headers for a request. Called for every request, so cache expensive results. */
  headers(context: AuthContext): HeadersRecord | Promise<HeadersRecord>;
  /**
   * Called after a 401. Gets new credentials and returns whether there are any. Without it a 401 is final. It is called at most
   * once per call, and only once for all concurrent calls that were rejected with the same credentials.
   */
  refresh?(context: AuthContext): boolean | Promise<boolean>;
}

/** A built-in strategy, which also gets the deadline of the call. */
export interface OwnStrategy extends Pick<AuthStrategy, 'refresh'> {
  headers(context: AuthContext, deadline: Deadline): HeadersRecord | Promise<HeadersRecord>;
  /** Returns query parameters to add to the URL, if the card requires the credentials there. */
  query?(context: AuthContext): Readonly<Record<string, string>>;
}

/** Header values by name. */
export type HeadersRecord = Readonly<Record<string, string>>;

/**
 * Returns a bearer token. Called for every request, and after a 401 once more with `refresh: true`.
 *
 * @example
 * const auth: TokenSource = ({ refresh }) => tokens.get({ skipCache: refresh });
 */
export type TokenSource = (
  context: AuthContext & {
    /** Whether the agent rejected the previous token with a 401, so that a cached token must not be returned. */
    readonly refresh: boolean;
  },
) => string | Promise<string>;

/** One kind of credentials. A string is a bearer token. */
export type OneAuth = string | TokenSource | ApiKey | ClientCredentials | SignedToken | AuthStrategy;

/** The credentials of a client. From a list, the next entry is tried after a 401. */
export type Auth = OneAuth | readonly OneAuth[];

/** @throws A2AError `INVALID_PARAMS` for credentials that can never work, such as an empty secret. */
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
