import { A2AError } from '../../errors.ts';

/** Reads a whole body as text. If it is too large, reading stops and the connection is closed. */
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
  return new A2AError(
    'INVALID_AGENT_RESPONSE',
    `The response is larger than ${maxBytes} bytes (limits.maxAnswerBytes)`,
  );
}
