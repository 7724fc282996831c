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
  const bare = text.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '');
  const tail = bare.length % 4;
  if (tail === 1) return undefined;
  return tail === 0 ? bare : bare + '='.repeat(4 - tail);
}
