/**
 * A short name for a text: equal for equal texts, different for others by all chance (106 bits). Not for secrets: whoever
 * wants two texts of the same name can find them.
 */
export function digest(text: string): string {
  return hash53(text, 0) + hash53(text, 0x9e3779b9);
}

/** Two multiplicative hashes in one pass, mixed at the end: 53 bits as 11 digits. */
function hash53(text: string, seed: number): string {
  let a = 0xdeadbeef ^ seed;
  let b = 0x41c6ce57 ^ seed;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 2654435761);
    b = Math.imul(b ^ unit, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return (4294967296 * (2097151 & b) + (a >>> 0)).toString(36).padStart(11, '0');
}
