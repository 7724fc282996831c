/** Whether JSON has more than so many objects and lists inside each other. Goes no deeper itself, however deep the JSON is. */
export function isDeeperThan(levels: number, json: unknown): boolean {
  if (typeof json !== 'object' || json === null) return false;
  return levels === 0 || Object.values(json).some((value) => isDeeperThan(levels - 1, value));
}
