import type { CardKeys } from '../wire/card-signature-key.ts';

/** Whose signatures make a card one that is believed (1.0 §8.4.3). */
export interface CardTrust {
  /**
   * What becomes of a card without a signature: refused if this is `required`, as it is if not set, for whoever forges a card
   * can also leave its signature away. `if-signed` believes it.
   */
  readonly mode?: 'required' | 'if-signed';
  /** The keys that you trust: a JWK set, or a function that finds the key for the header of a signature. */
  readonly keys?: CardKeys;
  /**
   * Origins from which keys may be fetched when a signature says (`jku`) that its key is there. Only over https, and without
   * redirects. From no others are keys ever fetched.
   */
  readonly keyOrigins?: readonly string[];
}
