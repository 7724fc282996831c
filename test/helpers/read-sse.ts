import { type SseEvent, SseDecoder, type SseDecoderOptions } from '../../src/wire/sse/sse-decoder.ts';

/** The body of a `fetch` response, or any other source of bytes. */
export type SseSource = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array | string>;

/**
 * Yields the events of a stream as they arrive. The source is closed however the loop ends. Pass your
 * own decoder to find out afterwards whether the stream ended early.
 *
 * @example
 * const decoder = new SseDecoder();
 * for await (const { data } of readSse(response.body, decoder)) console.log(JSON.parse(data));
 * if (decoder.pending) console.log('cut off inside an event');
 */
export async function* readSse(
  source: SseSource,
  options: SseDecoderOptions | SseDecoder = {},
): AsyncGenerator<SseEvent, void, void> {
  const decoder = options instanceof SseDecoder ? options : new SseDecoder(options);
  for await (const chunk of 'getReader' in source ? readChunks(source) : source) {
    for (const event of decoder.push(chunk)) yield event;
    if (decoder.failure !== undefined) throw decoder.failure;
  }
}

/**
 * Does not use the iterator of the stream, which Safari lacks, and which throws at the end of a loop if the connection broke
 * after the last event that was read.
 */
async function* readChunks(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => {});
    reader.releaseLock();
  }
}
