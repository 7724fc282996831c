import { sha256 } from './sha256.ts';

/**
 * Whether two texts are the same, in a time that does not tell how far they agree: it is their digests that are compared,
 * of which nobody can choose the beginning.
 */
export async function isSameSecret(given: string, expected: string): Promise<boolean> {
  const [a, b] = await Promise.all([sha256(given), sha256(expected)]);
  let difference = 0;
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i);
  return difference === 0;
}
