import { type ApiKey, apiKey } from './api-key.ts';
import { type ClientCredentials, clientCredentials } from './client-credentials.ts';
import { type SignedToken, signedToken } from './signed-token.ts';
import { type AuthContext, type AuthStrategy, bearer, type BuiltInStrategy, plainHeaders } from './strategy.ts';
import type { TokenTools } from './token-endpoint.ts';

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
export function strategyOf(auth: OneAuth, tools: TokenTools): BuiltInStrategy {
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
