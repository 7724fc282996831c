/** Returns the known name that is most similar to a wrong one, if any is. */
export function nearest(wrong: string, known: readonly string[]): string | undefined {
  const word = wrong.toLowerCase();
  let best: string | undefined;
  let least = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const name of known) {
    const other = name.toLowerCase();
    // `timeout` for `timeoutMs`, `defaultInputModes` for `inputModes`.
    const isPiece = (word.length > 3 && other.startsWith(word)) || (other.length > 3 && word.endsWith(other));
    const apart = isPiece ? 1 : distance(word, other);
    if (apart < least) [best, least] = [name, apart];
  }
  return best;
}

/** The number of letters to insert, delete, replace or swap to turn one word into the other. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) {
      const replaced = (row[j] ?? 0) + (a[i] === b[j] ? 0 : 1);
      const isSwapped = j > 0 && a[i] === b[j - 1] && a[i - 1] === b[j];
      const swapped = isSwapped ? (before[j - 1] ?? 0) + 1 : replaced;
      next.push(Math.min(replaced, swapped, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    [before, row] = [row, next];
  }
  return row[b.length] ?? 0;
}
