/**
 * Returns the approximate length of a value as JSON; escapes are not counted. For values that are too large to be
 * serialised only to be measured: a long text costs as little as a short one.
 */
export function jsonSize(value: unknown): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 4;
  let size = 2;
  if (Array.isArray(value)) {
    for (const item of value as readonly unknown[]) size += jsonSize(item) + 1;
    return size;
  }
  const members = value as Readonly<Record<string, unknown>>;
  for (const name in members) if (members[name] !== undefined) size += name.length + 4 + jsonSize(members[name]);
  return size;
}
