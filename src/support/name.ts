/** Alone, that is: two that belong together are one character here. */
const SURROGATE = /\p{Surrogate}/u;

/**
 * Whether a name (an id, an owner, a key) is the same one wherever it is kept, so that no two run into each other. Where
 * C is at work a string ends at NUL; in UTF-8 all halves of characters become the same one.
 */
export function isName(text: string): boolean {
  return !text.includes('\0') && !SURROGATE.test(text);
}

/**
 * How many characters a name may have that callers give, and how many the id of a caller. Stores keep them in indexes, where
 * PostgreSQL takes no row of more than 2704 bytes. With three bytes for each character, which is the most, names as long
 * as may be fit into one with a caller's id of about 290; beyond that its store has the last word.
 */
export const MAX_NAME = 256;
export const MAX_CALLER = 512;
