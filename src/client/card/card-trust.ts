import type { CardKeys } from '../../wire/card/card-signature-key.ts';

/**
 * Which card signatures to trust (A2A 1.0 §8.4.3).
 *
 * @example { keys: { keys: [publicJwk] } }
 * @example { keyOrigins: ['https://keys.example.com'] }
 */
export interface CardTrust {
  /**
   * Whether a card must have a signature. `required` (default) rejects a card without one, because an attacker who forges a card
   * can also omit the signature. `if-signed` accepts it.
   */
  readonly mode?: 'required' | 'if-signed';
  /** The keys that you trust: a JWK set, or a function that returns the key for the header of a signature. */
  readonly keys?: CardKeys;
  /**
   * Origins from which keys may be fetched if a signature names them in its `jku` header. Keys are fetched only over https, without
   * following redirects, and from no other origins.
   */
  readonly keyOrigins?: readonly string[];
}
