import type { JSONWebKeySet, JWTVerifyGetKey } from 'jose';
import { A2AError } from '../errors.ts';

type Keys = JWTVerifyGetKey;

/** Keys are refreshed after this time. Before that, an unknown key id triggers a refresh. */
const FRESH_MS = 10 * 60_000;
/** Keys that could not be refreshed expire after this time. */
const STALE_MS = 24 * 60 * 60_000;
/** The shortest interval between refreshes for unknown key ids, because any caller can make up a key id. */
const MIN_REFRESH_MS = 30_000;
/** After a failure, requests fail immediately for this time instead of waiting for another attempt. */
const RETRY_MS = 5000;

/** The public keys of an issuer, fetched for the first token. The old keys stay in use during a refresh, and if it fails. */
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
   * Finds the key for a token.
   *
   * @throws A2AError `UNAVAILABLE` if the keys cannot be fetched; an error of `jose` if the issuer has no such key.
   */
  readonly find: Keys = async (header, token) => {
    const keys = await this.#current();
    try {
      return await keys(header, token);
    } catch (error) {
      const isUnknown = (error as { readonly code?: unknown }).code === 'ERR_JWKS_NO_MATCHING_KEY';
      if (!isUnknown || this.#age() < MIN_REFRESH_MS) throw error;
      return (await this.#reload())(header, token);
    }
  };

  #age(): number {
    return this.#now() - this.#loadedAt;
  }

  async #current(): Promise<Keys> {
    if (this.#keys === undefined || this.#age() > STALE_MS) return this.#reload();
    // In the background. A failure is reported only once the old keys have expired.
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
    return new A2AError(
      'UNAVAILABLE',
      'Cannot verify tokens at the moment: the keys of their issuer could not be fetched. Retry later.',
      {
        retryAfterMs: RETRY_MS,
        cause: this.#failure,
      },
    );
  }
}
