import { joinBytes } from '../support/join-bytes.ts';
import { BodyTooLarge } from './transport.ts';

/** A body whole. Reading stops as soon as it is too large. */
export async function gatherBytes(chunks: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const taken: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > maxBytes) throw new BodyTooLarge(maxBytes);
    taken.push(chunk);
  }
  return joinBytes(taken, length);
}
