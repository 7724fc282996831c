import type { JSONWebKeySet, JWTVerifyGetKey } from 'jose';
import { A2AError } from '../../errors.ts';

type Keys = JWTVerifyGetKey;

/** Keys are asked for again after this time; until then new ones are found by their name. */
const FRESH_MS = 10 * 60_000;
/** Keys that could not be asked for again count no longer than this. */
const STALE_MS = 24 * 60 * 60_000;
/** A stranger can name any key he likes: so often we go and look for it. */
const LOOK_AGAIN_MS = 30_000;
/** After a failure nobody else need wait for the next one. */
const RETRY_MS = 5000;

/**
 * The public keys of an issuer, fetched when the first token comes. While newer ones are fetched, and while they cannot
 * be, the old ones serve on.
 */
export class RemoteKeys {
  readonly #load: () => Promise<JSONWebKeySet>;
  readonly #now: () => number;
  #keys: Keys | undefined;
  #loadedAt = Number.NEGATIVE_INFINITY;
  #failedAt = Number.NEGATIVE_INFINITY;
  #failure: unknown;
  #loading: Promise<Keys> | undefined;

  constructor(load: () => Promise<JSONWebKeySet>, now: () => number) {
    this.#load = load;
    this.#now = now;
  }

  /**
   * The key that a token names.
   *
   * @throws A2AError `UNAVAILABLE` if the issuer cannot be asked; an error of `jose` if it has no such key.
   */
  readonly find: Keys = async (header, token) => {
    const keys = await this.#current();
    try {
      return await keys(header, token);
    } catch (error) {
      const isUnknown = (error as { readonly code?: unknown }).code === 'ERR_JWKS_NO_MATCHING_KEY';
      if (!isUnknown || this.#age() < LOOK_AGAIN_MS) throw error;
      return (await this.#reload())(header, token);
    }
  };

  #age(): number {
    return this.#now() - this.#loadedAt;
  }

  async #current(): Promise<Keys> {
    if (this.#keys === undefined || this.#age() > STALE_MS) return this.#reload();
    // Nobody waits for it, and what goes wrong with it is told when the old ones are of no use any more.
    if (this.#age() > FRESH_MS) void this.#reload().catch(() => {});
    return this.#keys;
  }

  async #reload(): Promise<Keys> {
    if (this.#now() - this.#failedAt < RETRY_MS) throw this.#unavailable();
    this.#loading ??= this.#fetch().finally(() => (this.#loading = undefined));
    return this.#loading;
  }

  async #fetch(): Promise<Keys> {
    try {
      const { createLocalJWKSet } = await import('jose');
      const keys = createLocalJWKSet(await this.#load());
      this.#loadedAt = this.#now();
      return (this.#keys = keys);
    } catch (error) {
      this.#failedAt = this.#now();
      this.#failure = error;
      throw this.#unavailable();
    }
  }

  #unavailable(): A2AError {
    return new A2AError('UNAVAILABLE', 'Tokens cannot be checked at the moment: their issuer does not answer', {
      retryAfterMs: RETRY_MS,
      cause: this.#failure,
    });
  }
}
