const STANDARD = /^[A-Za-z0-9+/]*={0,2}$/;
const ANY = /^[A-Za-z0-9+/_-]*={0,2}$/;

/**
 * Converts base64 of any accepted form to the standard padded form: standard or URL-safe alphabet, padded or not (ProtoJSON
 * `bytes`). Returns `undefined` if the text is not base64.
 */
export function normalizeBase64(text: string): string | undefined {
  // Inline files are large and usually well-formed: one scan, no copy.
  if (text.length % 4 === 0 && STANDARD.test(text)) return text;
  if (!ANY.test(text)) return undefined;
  // Padding must be complete or absent.
  if (text.endsWith('=') && text.length % 4 !== 0) return undefined;
  const tail = text.length % 4;
  if (tail === 1) return undefined;
  const standard = toStandardAlphabet(text);
  return tail === 0 ? standard : standard + '='.repeat(4 - tail);
}

/** Works on bytes, because replacing every second character of a large text takes seconds. */
function toStandardAlphabet(text: string): string {
  const codes = new TextEncoder().encode(text);
  for (let i = 0; i < codes.length; i++) {
    if (codes[i] === 0x2d) codes[i] = 0x2b;
    else if (codes[i] === 0x5f) codes[i] = 0x2f;
  }
  return new TextDecoder().decode(codes);
}

/** Returns whether `normalizeBase64` would accept the text, without converting it. */
export function isBase64(text: string): boolean {
  return ANY.test(text) && text.length % 4 !== 1 && !(text.endsWith('=') && text.length % 4 !== 0);
}

const SHORTEST_ENCODED = 8;

/**
 * Decodes standard base64 once, if the result is itself canonical base64 of at least 8 characters: padded, and without
 * stray bits in its last character. Otherwise returns `undefined`; for most content the first 9 bytes decide.
 */
export function encodedBase64(content: string): string | undefined {
  if (!STANDARD.test(atob(content.slice(0, 12)))) return undefined;
  const text = atob(content);
  if (text.length < SHORTEST_ENCODED || text.length % 4 !== 0 || !STANDARD.test(text)) return undefined;
  return btoa(atob(text.slice(-4))) === text.slice(-4) ? text : undefined;
}
