/** SHA-256 of a body in lower-case hex. A signed token contains the digest of the body it was sent with. */
export async function bodyDigest(body: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(body)));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
