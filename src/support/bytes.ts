/** Chunks of this size fit into the arguments of one call. */
const CHUNK = 0x8000;

/** Encodes bytes as standard padded base64. */
export function encodeBase64(bytes: Uint8Array): string {
  let binary = '';
  for (let i = 0; i < bytes.length; i += CHUNK) binary += String.fromCharCode(...bytes.subarray(i, i + CHUNK));
  return btoa(binary);
}

/** Decodes standard base64. */
export function decodeBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
}

/** Joins chunks of bytes whose total length is known. */
export function joinBytes(pieces: readonly Uint8Array[], length: number): Uint8Array {
  if (pieces.length === 1 && pieces[0] !== undefined) return pieces[0];
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';

  readonly maxBytes: number;
  /** The name of the option that sets the limit. */
  readonly option: string | undefined;

  constructor(maxBytes: number, option?: string) {
    super(`The body has more than ${maxBytes} bytes`);
    this.maxBytes = maxBytes;
    this.option = option;
  }
}

/** Reads a whole body. Stops as soon as it is too large. @throws BodyTooLarge */
export async function gatherBytes(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
  option?: string,
): Promise<Uint8Array> {
  const taken: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > maxBytes) throw new BodyTooLarge(maxBytes, option);
    taken.push(chunk);
  }
  return joinBytes(taken, length);
}

/** Decodes UTF-8. Keeps a byte order mark. @throws TypeError if the bytes are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
}
