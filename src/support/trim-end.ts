/** Removes all trailing occurrences of a character. A loop, because the pattern `/x+$/` takes quadratic time. */
export function trimEndOf(text: string, char: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === char) end--;
  return end === text.length ? text : text.slice(0, end);
}
