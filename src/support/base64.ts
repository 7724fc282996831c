const STANDARD = /^[A-Za-z0-9+/]*={0,2}$/;
const ANY = /^[A-Za-z0-9+/_-]*={0,2}$/;

/**
 * The standard padded form of base64 text in any accepted form: standard or URL-safe alphabet, padded or not (ProtoJSON
 * `bytes`). `undefined` if it is not base64.
 */
export function normalizeBase64(text: string): string | undefined {
  // Inline files are large and mostly well-formed already: one scan, no copy.
  if (text.length % 4 === 0 && STANDARD.test(text)) return text;
  if (!ANY.test(text)) return undefined;
  // Padding is all there or not there at all.
  if (text.endsWith('=') && text.length % 4 !== 0) return undefined;
  const tail = text.length % 4;
  if (tail === 1) return undefined;
  const standard = toStandardAlphabet(text);
  return tail === 0 ? standard : standard + '='.repeat(4 - tail);
}

/** By bytes: replacing every second character of a large file as text takes seconds. */
function toStandardAlphabet(text: string): string {
  const codes = new TextEncoder().encode(text);
  for (let i = 0; i < codes.length; i++) {
    if (codes[i] === 0x2d) codes[i] = 0x2b;
    else if (codes[i] === 0x5f) codes[i] = 0x2f;
  }
  return new TextDecoder().decode(codes);
}

/** Whether `normalizeBase64` would take it, without the work. */
export function isBase64(text: string): boolean {
  return ANY.test(text) && text.length % 4 !== 1 && !(text.endsWith('=') && text.length % 4 !== 0);
}

const SHORTEST_ENCODED = 8;

/**
 * The text that standard base64 encodes, if that is canonical base64 of at least 8 characters itself: padded, and without stray bits
 * in its last character. Else `undefined`, for most content after a look at its first 9 bytes.
 */
export function encodedBase64(content: string): string | undefined {
  if (!STANDARD.test(atob(content.slice(0, 12)))) return undefined;
  const text = atob(content);
  if (text.length < SHORTEST_ENCODED || text.length % 4 !== 0 || !STANDARD.test(text)) return undefined;
  return btoa(atob(text.slice(-4))) === text.slice(-4) ? text : undefined;
}
