/** SHA-256 of a body, as lower-case hex: what a signed token says of the body that it came with. */
export async function bodyDigest(body: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(body)));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
