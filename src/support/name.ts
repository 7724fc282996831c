/** Matches only unpaired surrogates, because in Unicode mode a pair is one character. */
const SURROGATE = /\p{Surrogate}/u;

/**
 * Returns whether a name (an id, an owner, a key) stays distinct in every store. C strings end at NUL, and UTF-8 encodes
 * all unpaired surrogates as the same character.
 */
export function isName(text: string): boolean {
  return !text.includes('\0') && !SURROGATE.test(text);
}

/**
 * The maximum length of a name that callers choose, and of a caller id. Stores keep them in indexes, and PostgreSQL allows
 * at most 2704 bytes per index row. With at most three bytes per character, the longest names fit together with a caller id
 * of about 290 characters; for longer ones the store decides.
 */
export const MAX_NAME = 256;
export const MAX_CALLER = 512;
