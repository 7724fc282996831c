import { sha256 } from './sha256.ts';

/** Compares two secrets in constant time. Compares their digests, whose prefixes an attacker cannot choose. */
export async function isSameSecret(given: string, expected: string): Promise<boolean> {
  const [a, b] = await Promise.all([sha256(given), sha256(expected)]);
  return isSameText(a, b);
}

/** Compares two texts in constant time whose length is not secret, such as signatures and digests. */
export function isSameText(one: string, other: string): boolean {
  if (one.length !== other.length) return false;
  let difference = 0;
  for (let i = 0; i < one.length; i++) difference |= one.charCodeAt(i) ^ other.charCodeAt(i);
  return difference === 0;
}
