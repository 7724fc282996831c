/** Returns whether JSON is nested deeper than `levels`. Recurses at most `levels` deep. */
export function isDeeperThan(levels: number, json: unknown): boolean {
  if (typeof json !== 'object' || json === null) return false;
  return levels === 0 || Object.values(json).some((value) => isDeeperThan(levels - 1, value));
}
