/** Alone, that is: two that belong together are one character here. */
const SURROGATE = /\p{Surrogate}/u;

/**
 * Whether a name (an id, an owner, a key) is the same one wherever it is kept, so that no two run into each other. Where
 * C is at work a string ends at NUL; in UTF-8 all halves of characters become the same one.
 */
export function isName(text: string): boolean {
  return !text.includes('\0') && !SURROGATE.test(text);
}
