import { A2AError } from '../../errors.ts';

/** A body whole, as text. Reading stops, and closes the connection, as soon as it is too large. */
export async function readText(chunks: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder();
  let length = 0;
  let text = '';
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > maxBytes) throw tooLarge(maxBytes);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

export function tooLarge(maxBytes: number): A2AError {
  return new A2AError('INVALID_AGENT_RESPONSE', `The answer has more than ${maxBytes} bytes (maxAnswerBytes)`);
}
