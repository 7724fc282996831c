import { sha256 } from './sha256.ts';

/**
 * Whether two texts are the same, in a time that does not tell how far they agree: it is their digests that are compared,
 * of which nobody can choose the beginning.
 */
export async function isSameSecret(given: string, expected: string): Promise<boolean> {
  const [a, b] = await Promise.all([sha256(given), sha256(expected)]);
  return isSameText(a, b);
}

/** The same for texts whose length is no secret, such as signatures and digests. */
export function isSameText(one: string, other: string): boolean {
  if (one.length !== other.length) return false;
  let difference = 0;
  for (let i = 0; i < one.length; i++) difference |= one.charCodeAt(i) ^ other.charCodeAt(i);
  return difference === 0;
}
