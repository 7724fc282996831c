import { A2AError } from '../errors.ts';
import type { AgentCard } from '../model/card.ts';

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
  /** After a 401: gets something newer and says whether there is any. Without it a 401 is final. */
  refresh?(context: AuthContext): boolean | Promise<boolean>;
}

type HeadersRecord = Readonly<Record<string, string>>;

/** Gives a bearer token; after a 401 it is asked once more, with `refresh` set. */
export type TokenSource = (context: AuthContext & { readonly refresh: boolean }) => string | Promise<string>;

/** An API key. The card says what its header is called, if it is not given. */
export interface ApiKey {
  readonly apiKey: string;
  readonly header?: string;
}

type OneAuth = string | TokenSource | ApiKey | AuthStrategy;

/** A string is a bearer token. Of several, the next is tried when one is refused. */
export type Auth = OneAuth | readonly OneAuth[];

/** The credentials of one client: which of them is in use, and what to do when it is refused. */
export class Credentials {
  readonly #strategies: readonly AuthStrategy[];
  #current = 0;
  #renewing: Promise<boolean> | undefined;

  constructor(auth: Auth) {
    this.#strategies = (isList(auth) ? auth : [auth]).map(strategyOf);
  }

  /** Changes when another credential takes over. Who was refused with an older one need not ask for a newer. */
  generation = 0;

  async headers(context: AuthContext): Promise<HeadersRecord> {
    const headers = (await this.#strategies[this.#current]?.headers(context)) ?? {};
    return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  }

  /**
   * Called after a 401 to a request of the given generation, once for each strategy and call. True if it is worth while
   * to try again.
   */
  async renew(context: AuthContext, attempt: AuthAttempt): Promise<boolean> {
    if (attempt.generation < this.generation) return true;
    // Others were refused with the same one, and one refresh is enough for all.
    this.#renewing ??= this.#renew(context, attempt).finally(() => (this.#renewing = undefined));
    return this.#renewing;
  }

  async #renew(context: AuthContext, attempt: AuthAttempt): Promise<boolean> {
    const strategy = this.#strategies[this.#current];
    if (strategy?.refresh !== undefined && !attempt.refreshed.has(strategy)) {
      attempt.refreshed.add(strategy);
      if (await strategy.refresh(context)) return this.#next(this.#current);
    }
    return this.#current + 1 < this.#strategies.length && this.#next(this.#current + 1);
  }

  #next(index: number): true {
    this.#current = index;
    this.generation++;
    return true;
  }
}

/** What one call has tried so far. */
export class AuthAttempt {
  generation = 0;
  readonly refreshed = new Set<AuthStrategy>();
}

function isList(auth: Auth): auth is readonly OneAuth[] {
  return Array.isArray(auth);
}

function strategyOf(auth: OneAuth): AuthStrategy {
  if (typeof auth === 'string') return { headers: () => bearer(auth) };
  if (typeof auth === 'function') return tokens(auth);
  return 'apiKey' in auth ? apiKey(auth) : auth;
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

function apiKey({ apiKey: key, header }: ApiKey): AuthStrategy {
  return {
    headers({ card }) {
      const schemes = Object.values(card?.securitySchemes ?? {});
      const inHeader = schemes.flatMap((scheme) =>
        'apiKeySecurityScheme' in scheme && scheme.apiKeySecurityScheme.location === 'header'
          ? scheme.apiKeySecurityScheme.name
          : [],
      );
      return { [header ?? inHeader[0] ?? 'x-api-key']: key };
    },
  };
}

/** @throws A2AError for what would become another header, or none. */
function bearer(token: string): HeadersRecord {
  if (token === '' || /[^\x21-\x7e]/.test(token)) {
    throw new A2AError('UNAUTHENTICATED', 'The bearer token is empty or has characters that a header cannot hold');
  }
  return { authorization: `Bearer ${token}` };
}
