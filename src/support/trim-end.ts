/** A text without the given character at its end, however often it stands there. `/x+$/` would take quadratic time. */
export function trimEndOf(text: string, char: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === char) end--;
  return end === text.length ? text : text.slice(0, end);
}
