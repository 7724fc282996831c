const SEED = 0x9e3779b9;
const DIGITS = '0123456789abcdefghijklmnopqrstuvwxyz';
const FIVE_DIGITS = 36 ** 5;

/**
 * Returns a short digest of a text (106 bits). It is not cryptographic: collisions can be constructed, so do not use it for
 * secrets.
 */
export function digest(text: string): string {
  // Four multiplicative hashes in one pass, because reading a character takes longer than multiplying.
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  let c = 0xdeadbeef ^ SEED;
  let d = 0x41c6ce57 ^ SEED;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 2654435761);
    b = Math.imul(b ^ unit, 1597334677);
    c = Math.imul(c ^ unit, 2654435761);
    d = Math.imul(d ^ unit, 1597334677);
  }
  // Joined, because a string made with `+` keeps both operands in memory, and thousands of digests are kept.
  return [mixed(a, b), mixed(c, d)].join('');
}

/** Two hashes as 53 bits in 11 digits. */
function mixed(first: number, second: number): string {
  let a = first;
  let b = second;
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  // Converted by hand, because toString(36) takes longer than everything else here.
  const all = 4294967296 * (2097151 & b) + (a >>> 0);
  const upper = Math.floor(all / FIVE_DIGITS);
  const top = Math.floor(upper / FIVE_DIGITS);
  return DIGITS.charAt(top) + fiveDigits(upper - top * FIVE_DIGITS) + fiveDigits(all - upper * FIVE_DIGITS);
}

function fiveDigits(number: number): string {
  let text = '';
  let left = number;
  for (let i = 0; i < 5; i++) {
    const next = Math.trunc(left / 36);
    text = DIGITS.charAt(left - next * 36) + text;
    left = next;
  }
  return text;
}
